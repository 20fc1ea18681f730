"""Blocks as another model cuts them, and those that it may leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.error import UserError, user_error, whole_number
from lapwing.core.fields.wet_cells import wet_cells
from lapwing.core.partition import Mask
from lapwing.partition.layouts.kinds import kind_named
from lapwing.partition.layouts.kinds.kind import Kind
from lapwing.partition.layouts.layout import Edges, Layout


def plan_layout(kind: str, wet: ArrayLike, blocks: Sequence[int], halo: int = 2) -> Layout:
    """Cut a grid into blocks as a model does, and find the blocks that it may leave out.

    Local. `kind`: one of KINDS; `wet`: array [nx, ny] as for `lapwing.Mask`, for ROMS and CROCO of
    all rho points; `blocks`: blocks along x and y; `halo`: the width of the model's halo, cells,
    where it has a choice. UserError for another kind, blocks that the model does not make, a mask
    without a wet cell or with other numbers than 0 and 1, and one that the model takes for a
    periodic grid.
    """
    return LayoutPlanner(kind, wet, halo).plan(blocks)


class LayoutPlanner:
    """`plan_layout` for many numbers of blocks: counts the wet cells of the mask once."""

    def __init__(self, kind: str, wet: ArrayLike, halo: int = 2) -> None:
        """Local. Arguments and errors as `plan_layout`."""
        self.kind = kind_named(kind)
        self.wet = mask_cells(wet)
        self.shape: tuple[int, int] = (self.wet.shape[0], self.wet.shape[1])
        self.halo = self.kind.width(whole_number("halo", halo, least=0))
        self.kind.check(self.wet)
        self.mask = Mask(self.wet)

    def plan(self, blocks: Sequence[int]) -> Layout:
        """Return the layout with these blocks along x and y. Local. Errors as `plan_layout`."""
        counts, dropped = self._dropped(blocks)
        places = tuple((int(i), int(j)) for j, i in np.argwhere(dropped.T))
        return Layout(self.kind.name, self.shape, counts, places, self.halo)

    def ranks(self, blocks: Sequence[int]) -> int:
        """Return the ranks of that layout without making it. Local. Errors as `plan_layout`."""
        _, dropped = self._dropped(blocks)
        return dropped.size - int(np.count_nonzero(dropped))

    def check(self, layout: Layout) -> None:
        """Refuse a layout as `check_layout` does, by the mask and the halo given here. Local."""
        _check_size(layout, self.shape)
        if layout.blocks == (0, 0):
            return
        dry, found = set(self.plan(layout.blocks).dropped), set(layout.dropped)
        for blocks, what in ((found - dry, "wet"), (dry - found, "dry")):
            if blocks:
                raise _wrongly(blocks, what, layout.halo)

    def _dropped(self, blocks: Sequence[int]) -> tuple[tuple[int, int], NDArray[np.bool_]]:
        """The numbers of blocks, and which of them [i, j] get no rank."""
        counts = tuple(whole_number("blocks", n, least=1) for n in blocks)
        if len(counts) != 2:
            raise user_error("blocks", f"{len(counts)} numbers", "2: along x and y", "give (m, n)")
        dry = self.mask.counts(*self._looked_at(counts)) == 0  # for each block [i, j]
        if dry.all():
            got = "wet cells at the edge only"
            expected = f"others, as no block of {self.kind.model} has the outermost cells"
            raise user_error("mask", got, expected, "fix the mask")
        return counts, self.kind.drops(dry)

    def edges(self, blocks: tuple[int, int]) -> Edges:
        """Return the edges of these blocks along x and y. Local. Errors as `plan_layout`."""
        x, y = (
            block_edges(self.kind.name, n, parts, self.halo, axis)
            for n, parts, axis in zip(self.shape, blocks, "xy", strict=True)
        )
        return x, y

    def _looked_at(self, blocks: tuple[int, int]) -> Iterator[list[tuple[int, int]]]:
        """Yield the ranges of cells that must be dry to drop a block, for x and then for y."""
        rims = self.kind.rim(self.halo)
        for n, edges, rim in zip(self.shape, self.edges(blocks), rims, strict=True):
            low, high = self.kind.unseen, n - self.kind.unseen
            yield [(max(low, a - rim), min(high, b + rim)) for a, b in pairwise(edges)]

    def makes(self, axis: int, blocks: int) -> bool:
        """True where the model can cut axis 0 or 1 into these blocks. Local."""
        return self.kind.makes(self.shape[axis], blocks, self.halo)


def check_layout(layout: Layout, wet: ArrayLike) -> None:
    """Refuse a layout that drops a wet block, or keeps one that its model could do without.

    Local. `wet`: array [nx, ny]. UserError names the first such block and counts the rest. A layout
    without numbers of blocks drops nothing, so there is nothing to refuse.
    """
    array = mask_cells(wet)
    _check_size(layout, array.shape)
    if layout.blocks != (0, 0):
        LayoutPlanner(layout.kind, array, layout.halo).check(layout)


def _check_size(layout: Layout, shape: tuple[int, ...]) -> None:
    if layout.size not in (None, shape):
        expected = f"{shape}, as the mask"
        raise user_error("layout", f"a grid of {layout.size} cells", expected, "write it again")


def _wrongly(blocks: set[tuple[int, int]], what: str, halo: int) -> UserError:
    """Say which wet blocks are dropped, or which dry ones are kept."""
    i, j = min(blocks, key=lambda block: block[::-1])
    return user_error(
        "layout",
        f"block ({i + 1}, {j + 1}) {'dropped' if what == 'wet' else 'kept'} though it is "
        f"{what}, and {len(blocks) - 1} others",
        f"exactly the dry ones dropped, with {halo} cells of halo",
        "write it again from this mask",
    )


def block_edges(
    kind: str, cells: int, blocks: int, halo: int = 2, axis: str = "the axis"
) -> list[int]:
    """Return the first cells (from 0) of the blocks along an axis, and the end of the last one.

    Local. `cells`: cells of the mask; cells without a block lie before the first edge or behind the
    last one. `axis`: its name in messages. UserError if the model cannot make that many blocks of
    that many cells; it names the nearest numbers that work.
    """
    of = kind_named(kind)
    inner = cells - 2 * of.ring
    if not 1 <= blocks <= inner:
        expected = f"1 to {inner}, the cells there"
        raise user_error(f"blocks along {axis}", str(blocks), expected, "take fewer")
    if not of.makes(cells, blocks, halo):
        raise _not_made(of, cells, blocks, halo, axis)
    return [of.ring, *(of.ring + np.cumsum(of.sizes(inner, blocks))).tolist()]


def _not_made(of: Kind, cells: int, blocks: int, halo: int, axis: str) -> UserError:
    """Say why a model makes no such blocks, and which nearest numbers work."""
    inner = cells - 2 * of.ring
    sizes = of.sizes(inner, blocks)
    got, expected = f"{blocks} for {inner} cells", of.cut_rule
    if sizes:
        got += f", {of.narrowest(sizes)} in the smallest"
        expected = f"at least {of.least(of.width(halo))}, the width {of.halo_name}of the halo"
    most = inner // of.least(of.width(halo))
    fewer = next((n for n in range(blocks - 1, 0, -1) if of.makes(cells, n, halo)), None)
    more = next((n for n in range(blocks + 1, most + 1) if of.makes(cells, n, halo)), None)
    nearest = " or ".join(str(n) for n in (fewer, more) if n is not None)
    remedy = f"take {nearest}" if nearest else "no number works: take another grid or halo"
    if not sizes:
        remedy += of.cut_remedy
    return user_error(f"blocks along {axis}", got, expected, remedy)


def mask_cells(wet: ArrayLike) -> NDArray[np.bool_]:
    """Return the wet cells [nx, ny] of an array. Local.

    UserError for another number of dimensions, if no cell is wet, and as `wet_cells` raises.
    """
    cells = wet_cells("mask", wet)
    if cells.ndim != 2:
        remedy = "pass one value per column"
        raise user_error("mask", f"{cells.ndim} dimensions", "[nx, ny]", remedy)
    if not cells.any():
        raise user_error("mask", "no wet cell", "at least one", "fix the mask")
    return cells
