"""The cells of a patch, cut among ranks: halos, and arrays of the whole patch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lapwing
import numpy as np
from numpy.typing import NDArray

from lapwing_pyclaw.beyond import Beyond


class Cut:
    """The cells that each rank computes, and the exchanges between them.

    Collective over `comm`, COMM_WORLD by default. Ghost cells beyond the ends of an axis belong to
    boundary conditions, unless `wrap` says that the axis is periodic.
    """

    def __init__(self, num_cells: Sequence[int], comm: Any = None) -> None:
        """Cut a patch of `num_cells` cells along each of its axes."""
        sizes = tuple(num_cells) if len(num_cells) > 1 else (num_cells[0], 1)
        self.domain, self._sizes = lapwing.Domain(sizes, comm), sizes
        self.axes = len(num_cells)
        self._exchanging, self._periodic = self.domain, [False] * len(sizes)
        self._exchanges: dict[tuple[int, int], lapwing.ArrayExchange] = {}
        self._wholes: dict[int, lapwing.Field] = {}
        self._beyond: Beyond | None = None

    def boxes(self) -> list[lapwing.Box]:
        """The cells of every rank, in their order. Local."""
        return [part.box for part in sorted(self.domain.partition.subdomains, key=lambda p: p.rank)]

    def wrap(self, periodic: Sequence[bool]) -> None:
        """Make these axes periodic: ghost cells then come from the other end. Collective."""
        wanted = [*periodic, *[False] * (len(self._periodic) - len(periodic))]
        if wanted == self._periodic:
            return
        boxes = self.domain.partition.subdomains
        grid = lapwing.Grid(self._sizes, wanted)
        partition = lapwing.Partition(grid, self.domain.ranks, boxes)
        self._exchanging, self._periodic = lapwing.Domain(partition, self.domain.mpi), wanted
        self._exchanges.clear()
        self._beyond = None

    def fill_halos(self, array: NDArray[np.float64], width: int) -> None:
        """Fill `width` ghost cells on each side of an array [component, i(, j)(, k)] of this rank.

        Collective over the ranks the first time, later one message per neighbour. One rank has
        conditions on all sides, and nothing to exchange.
        """
        if self.domain.ranks == 1:
            return
        key = array.shape[0], width
        if key not in self._exchanges:
            self._exchanges[key] = lapwing.ArrayExchange(
                self._exchanging, "patch", halo=width, components=array.shape[0], order="c"
            )
        # axes of one cell have no halo in lapwing: conditions alone fill their ghost cells
        flat = (slice(width, -width) if cells == 1 else slice(None) for cells in self._sizes)
        inner = array[(slice(None), *tuple(flat)[: self.axes])]
        packed = np.asfortranarray(inner)
        self._exchanges[key].run(np.moveaxis(packed, 0, -1))
        if packed is not inner:
            inner[...] = packed

    def fill_corners(self, array: NDArray[np.float64], width: int) -> None:
        """Fill ghost cells between ranks again, now with what conditions left beyond the sides.

        A condition of a user may fill only those next to this rank's cells, or by coordinates that
        have other bits a period away. Collective, as `fill_halos`; copies the array twice.
        """
        if self.axes == 1:
            return
        if self._beyond is None or self._beyond.width != width:
            self._beyond = Beyond(self.domain, self._periodic, self.axes, width)
        self._beyond.fill(array)

    def gathered(self, array: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The array [component, i(, j)(, k)] of the whole patch on rank 0, None on the others.

        `array` has the cells of this rank, without ghost cells. Collective.
        """
        components = array.shape[0]
        if components not in self._wholes:
            self._wholes[components] = self.domain.field(
                "patch", halo=0, components=components, order="c"
            )
        field = self._wholes[components]
        field.owned[...] = np.moveaxis(array, 0, -1).reshape(field.owned.shape)
        whole = field.gather()
        if whole is None:
            return None
        cells = self.domain.partition.grid.size[: self.axes]
        return np.asfortranarray(np.moveaxis(whole.reshape(*cells, components), -1, 0))

    def part_of(self, whole: NDArray[np.float64]) -> NDArray[np.float64]:
        """This rank's cells of an array [component, i(, j)(, k)] of the whole patch. Local."""
        box = self.domain.box
        cells = [slice(lo, hi) for lo, hi in zip(box.lo, box.hi, strict=True)]
        return whole[(slice(None), *cells[: self.axes])]
