"""The cells of a patch, cut among ranks: halos, and arrays of the whole patch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lapwing
import numpy as np
from numpy.typing import NDArray


class Cut:
    """Which cells each rank computes, and the exchanges between them.

    Collective over `comm`, COMM_WORLD by default. All axes are cut as periodic ones: what wraps
    around is there where a boundary condition wants it, and overwritten where another one holds.
    """

    def __init__(self, num_cells: Sequence[int], comm: Any = None) -> None:
        """Cut a patch of so many cells along each of its axes."""
        sizes = tuple(num_cells) if len(num_cells) > 1 else (num_cells[0], 1)
        self.domain = lapwing.Domain(sizes, comm, periodic=[size > 1 for size in sizes])
        self.axes = len(num_cells)
        self._exchanges: dict[tuple[int, int], lapwing.ArrayExchange] = {}
        self._wholes: dict[int, lapwing.Field] = {}

    def fill_halos(self, array: NDArray[np.float64], width: int) -> None:
        """Fill `width` ghost cells on each side of an array [component, i(, j)(, k)] of this rank.

        Collective over the ranks the first time, later one message per neighbour.
        """
        key = array.shape[0], width
        if key not in self._exchanges:
            self._exchanges[key] = lapwing.ArrayExchange(
                self.domain, "patch", halo=width, components=array.shape[0], order="c"
            )
        self._exchanges[key].run(np.moveaxis(array, 0, -1))

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
        """What this rank computes of an array [component, i(, j)(, k)] of the whole patch. Local."""
        box = self.domain.box
        cells = [slice(lo, hi) for lo, hi in zip(box.lo, box.hi, strict=True)]
        return whole[(slice(None), *cells[: self.axes])]
