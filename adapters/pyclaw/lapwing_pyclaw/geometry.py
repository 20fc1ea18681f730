"""Domains whose one patch is cut among ranks; coordinates have the bits of the whole patch."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

from clawpack.pyclaw import geometry

from lapwing_pyclaw.cut import Cut


class PartOfDimension(geometry.Dimension):  # type: ignore[misc]
    """The cells lo <= index < hi of a dimension. Local."""

    def __init__(self, whole: geometry.Dimension, lo: int, hi: int) -> None:
        """Take over the coordinates of these cells."""
        at_end = hi == whole.num_cells
        upper = whole.upper if at_end else whole.nodes[hi]
        super().__init__(whole.nodes[lo], upper, hi - lo, whole.name, lo == 0, at_end, whole.units)
        self.whole, self.lo = whole, lo
        self._nodes, self._centers = whole.nodes[lo : hi + 1], whole.centers[lo:hi]

    @property
    def delta(self) -> float:
        """Width of a cell, taken from the whole patch: computed again it would have other bits."""
        return float(self.whole.delta)

    def centers_with_ghost(self, num_ghost: int) -> Any:
        """Centers of the cells and of `num_ghost` ghost cells on both sides."""
        last = self.lo + self.num_cells + 2 * num_ghost
        return self.whole.centers_with_ghost(num_ghost)[self.lo : last]

    def nodes_with_ghost(self, num_ghost: int) -> Any:
        """Edges of the cells and of `num_ghost` ghost cells on both sides."""
        last = self.lo + self.num_cells + 2 * num_ghost + 1
        return self.whole.nodes_with_ghost(num_ghost)[self.lo : last]


class Grid(geometry.Grid):  # type: ignore[misc]
    """The cells of this rank. A gauge belongs to the rank that owns its cell."""

    def add_gauges(self, gauge_coords: Sequence[Sequence[float]]) -> None:
        """Add those gauges that lie in cells of this rank. Local."""
        for gauge in gauge_coords:
            place = [
                int((at - dim.whole.lower) // dim.whole.delta) - dim.lo
                for at, dim in zip(gauge, self.dimensions, strict=True)
            ]
            if all(0 <= n < dim.num_cells for n, dim in zip(place, self.dimensions, strict=True)):
                self.gauge_file_names.append(f"gauge{'_'.join(str(at) for at in gauge)}.txt")
                self.gauges.append(place)


class Patch(geometry.Patch):  # type: ignore[misc]
    """A patch of which this rank computes one box, `grid`; `dimensions` describe the whole patch.

    Collective over `comm`, COMM_WORLD by default. Raises lapwing.UserError on all ranks if they are
    more than the cells allow.
    """

    def __init__(
        self,
        dimensions: geometry.Dimension | Sequence[geometry.Dimension],
        comm: Any = None,
        cut: Cut | None = None,
    ) -> None:
        """Cut the patch, or share a cut with a copy of it."""
        super().__init__(dimensions)
        self.cut = cut or Cut(self.num_cells_global, comm)
        box = self.cut.domain.box
        self.grid = Grid(
            [
                PartOfDimension(whole, lo, hi)
                for whole, lo, hi in zip(self.dimensions, box.lo, box.hi, strict=False)
            ]
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A patch with the same cut. Local."""
        result = type(self)(copy.deepcopy(self.dimensions, memo), cut=self.cut)
        result.grid.mapc2p = self.grid.mapc2p
        result.level, result.patch_index = self.level, self.patch_index
        return result


class Domain(geometry.Domain):  # type: ignore[misc]
    """A domain of one patch, made of dimensions, of a patch, or of lower ends, upper ends, cells.

    Collective over `comm`, as a Patch is.
    """

    def __init__(self, *arguments: Any, comm: Any = None) -> None:
        """Make the patch, unless it is given."""
        if len(arguments) > 1:
            ends = zip(*arguments, "xyz", strict=False)
            parts = [geometry.Dimension(lower, upper, n, name) for lower, upper, n, name in ends]
        else:
            given = arguments[0]
            parts = list(given) if isinstance(given, list | tuple) else [given]
        self.patches = parts if isinstance(parts[0], Patch) else [Patch(parts, comm)]
