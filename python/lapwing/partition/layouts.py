"""Layout files of other ocean models: into how many blocks a grid is cut, and which get no rank.

Three models read such files, each cutting and dropping by rules of its own, which are followed here
so that the model finds what the file says (docs/guide/layouts.md names the sources):

- ``mom6``: the `mask_table` of FMS, for MOM6, MOM5 and SIS2;
- ``mitgcm``: the `blankList` of `data.exch2`, with the numbers for `SIZE.h`;
- ``nemo``: the namelist block `nammpp`; NEMO finds the land itself, so the rest is a listing.

The edges of the grid are taken as closed: no periodic axis, no fold at the north pole.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.atomic_file import complete_or_absent
from lapwing.base.error import UserError, user_error, whole_number
from lapwing.base.wet_cells import wet_cells
from lapwing.core.partition import Box, CostModel, Grid, Mask, Partition, Subdomain, partition_cost
from lapwing.partition import layout_files
from lapwing.partition.layout_files import Edges, Layout

__all__ = [
    "KINDS",
    "Layout",
    "LayoutPlanner",
    "block_edges",
    "check_layout",
    "plan_layout",
    "read_layout",
    "write_layout",
]

_LONGEST = 4.0  # longer side of a block over the shorter one, where that is possible
_IDLE = 0.9  # layouts with fewer ranks than so much of the fullest are not priced


class _Rules(NamedTuple):
    """How one model cuts and drops, and its file."""

    sizes: Callable[[int, int, int, str], list[int]]  # of the blocks along an axis
    rim: Callable[[int], int]  # cells around a block that must be dry too, from the halo width
    lines: Callable[[Layout, Edges], Iterator[str]]
    parse: Callable[[str, str], Layout]


def plan_layout(kind: str, wet: ArrayLike, blocks: Sequence[int], halo: int = 2) -> Layout:
    """Cut a grid into blocks as a model does, and find the blocks that it may leave out.

    Local. `kind`: one of KINDS; `wet`: array [nx, ny] as for `lapwing.Mask`; `blocks`: blocks along
    x and y; `halo`: the width of the model's halo, cells. UserError for another kind, blocks that
    the model does not make, and a mask without a wet cell or with other numbers than 0 and 1.
    """
    return LayoutPlanner(kind, wet, halo).plan(blocks)


class LayoutPlanner:
    """`plan_layout` for many numbers of blocks: counts the wet cells of the mask once."""

    def __init__(self, kind: str, wet: ArrayLike, halo: int = 2) -> None:
        """Local. Arguments and errors as `plan_layout`."""
        from scipy.ndimage import maximum_filter  # here: it takes a while to load

        self.kind, self.rules = kind, rules_of(kind)
        array = _mask(wet)
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])
        self.halo = whole_number("halo", halo, least=0)
        near = maximum_filter(array, 2 * self.rules.rim(self.halo) + 1)  # wet, or next to it
        below = near.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)
        self._below = np.pad(below, ((1, 0), (1, 0)))  # [i, j]: cells below i and below j

    def plan(self, blocks: Sequence[int]) -> Layout:
        """The layout with so many blocks along x and y. Local. Errors as `plan_layout`."""
        counts = tuple(whole_number("blocks", n, least=1) for n in blocks)
        if len(counts) != 2:
            raise user_error("blocks", f"{len(counts)} numbers", "2: along x and y", "give (m, n)")
        corners = self._below[np.ix_(*_edges(self.kind, self.shape, counts, self.halo))]
        dry = np.diff(np.diff(corners, axis=0), axis=1) == 0  # of each block [i, j]
        dropped = tuple((int(i), int(j)) for j, i in np.argwhere(dry.T))
        return Layout(self.kind, self.shape, counts, dropped, self.halo)


def write_layout(
    kind: str, wet: ArrayLike, blocks: Sequence[int], path: Path, halo: int = 2
) -> Layout:
    """Write the file with which a model drops its dry blocks, and return what is in it.

    Local, for one rank; arguments and errors as `plan_layout`. A mask without land gives a file
    that drops nothing. OSError where the file cannot be written.
    """
    layout = plan_layout(kind, wet, blocks, halo)
    edges = _edges(kind, np.shape(wet), layout.blocks, layout.halo)
    with complete_or_absent(path) as part:
        part.write_text("".join(f"{line}\n" for line in rules_of(kind).lines(layout, edges)))
    return layout


def read_layout(kind: str, path: Path) -> Layout:
    """Read a layout file, of this module or of another tool.

    Local. UserError where it cannot be read or is not what the model would accept.
    """
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as problem:
        raise user_error(
            f"layout file {path}", str(problem), f"a file for {kind}", "correct the name"
        ) from None
    try:
        layout = rules_of(kind).parse(text, f"layout file {path}")
    except UserError:
        raise
    except ValueError as problem:  # a number of thousands of digits
        expected = "numbers of cells and blocks"
        raise user_error(f"layout file {path}", str(problem), expected, "fix the file") from None
    _check_positions(layout, path)
    return layout


def check_layout(layout: Layout, wet: ArrayLike) -> None:
    """Refuse a layout that drops a wet block, or keeps one that its model could do without.

    Local. `wet`: array [nx, ny]. UserError names the first such block and counts the others.
    """
    array = _mask(wet)
    if layout.size not in (None, array.shape):
        expected = f"{array.shape}, as the mask"
        raise user_error("layout", f"a grid of {layout.size} cells", expected, "write it again")
    dry = set(plan_layout(layout.kind, array, layout.blocks, layout.halo).dropped)
    found = set(layout.dropped)
    for blocks, what in ((found - dry, "wet"), (dry - found, "dry")):
        if blocks:
            i, j = min(blocks, key=lambda block: block[::-1])
            raise user_error(
                "layout",
                f"block ({i + 1}, {j + 1}) {'dropped' if what == 'wet' else 'kept'} though it is "
                f"{what}, and {len(blocks) - 1} others",
                f"exactly the dry ones dropped, with {layout.halo} cells of halo",
                "write it again from this mask",
            )


def block_edges(
    kind: str, cells: int, blocks: int, halo: int = 2, axis: str = "the axis"
) -> list[int]:
    """The first cells (from 0) of the blocks along an axis, and one past its last cell.

    Local. `axis`: its name in messages. UserError where the model does not make so many blocks of
    so many cells.
    """
    if not 1 <= blocks <= cells:
        expected = f"1 to {cells}, the cells there"
        raise user_error(f"blocks along {axis}", str(blocks), expected, "take fewer")
    return [0, *np.cumsum(rules_of(kind).sizes(cells, blocks, halo, axis)).tolist()]


def _mask(wet: ArrayLike) -> NDArray[np.bool_]:
    array = wet_cells("mask", wet)
    if array.ndim != 2:
        remedy = "pass one value per column"
        raise user_error("mask", f"{array.ndim} dimensions", "[nx, ny]", remedy)
    if not array.any():
        raise user_error("mask", "no wet cell", "at least one", "fix the mask")
    return array


def _edges(kind: str, shape: Sequence[int], blocks: tuple[int, int], halo: int) -> Edges:
    x, y = (
        block_edges(kind, n, parts, halo, axis)
        for n, parts, axis in zip(shape, blocks, "xy", strict=True)
    )
    return x, y


def _check_positions(layout: Layout, path: Path) -> None:
    m, n = layout.blocks
    outside = [(i, j) for i, j in layout.dropped if not (0 <= i < m and 0 <= j < n)]
    got, expected = "", f"blocks of {m} x {n}, each once"
    if outside:
        got = f"block {outside[0][0] + 1}, {outside[0][1] + 1}"
    elif len(layout.dropped) > len(set(layout.dropped)):
        got = "a block twice"
    elif layout.ranks < 1:
        got, expected = "all blocks dropped", "one that is left"
    if got:
        raise user_error(f"layout file {path}", got, expected, "write the file again")


# ---- how the models cut an axis


def _fms_sizes(cells: int, blocks: int, halo: int, axis: str) -> list[int]:
    """Mirrored sizes where numbers allow: from both ends inwards, each the mean of what is left."""
    odd, odd_cells = blocks % 2 == 1, cells % 2 == 1
    mirrored = odd == odd_cells or (odd and blocks < cells // 2)
    low: list[int] = []
    high: list[int] = []
    while len(low) + len(high) < blocks:
        left = blocks - len(low) - len(high)
        size = -(-(cells - sum(low) - sum(high)) // left)
        low.append(size)
        if mirrored and left > 1:
            high.append(size)
    sizes = low + high[::-1]
    if min(sizes) < 1:
        got = f"{blocks} for {cells} cells, which FMS cuts into sizes {sizes}"
        remedy = "take another number of blocks"
        raise user_error(f"blocks along {axis}", got, "at least one cell in each", remedy)
    return sizes


def _mitgcm_sizes(cells: int, blocks: int, halo: int, axis: str) -> list[int]:
    """Tiles of one size."""
    if cells % blocks:
        fitting = [n for n in range(1, cells + 1) if cells % n == 0]
        fewer = max(n for n in fitting if n < blocks)
        more = min(n for n in fitting if n > blocks)
        expected = "a number that divides them, as all tiles of MITgcm have one size"
        remedy = f"take {fewer} or {more}, or add land to the grid"
        raise user_error(f"blocks along {axis}", f"{blocks} for {cells} cells", expected, remedy)
    return [cells // blocks] * blocks


def _nemo_sizes(cells: int, blocks: int, halo: int, axis: str) -> list[int]:
    """Sizes that differ by at most one, the larger ones first; none below the width of the halo."""
    small, larger = divmod(cells, blocks)
    if small < halo:
        got = f"{blocks} for {cells} cells, {small} in the smallest"
        expected = f"at least {halo}, the width nn_hls of the halo"
        raise user_error(f"blocks along {axis}", got, expected, f"take at most {cells // halo}")
    return [small + 1] * larger + [small] * (blocks - larger)


_MODELS = {
    # check_mask and MOM6 itself drop a block only where the cells of its halo are dry as well
    "mom6": _Rules(_fms_sizes, lambda halo: halo, layout_files.mom6_lines, layout_files.parse_mom6),
    # MITgcm warns of water at an edge without a neighbour, so what a blank tile touches must be dry
    "mitgcm": _Rules(
        _mitgcm_sizes, lambda halo: 1, layout_files.mitgcm_lines, layout_files.parse_mitgcm
    ),
    # NEMO looks at a block and one cell around, however wide its halo is
    "nemo": _Rules(_nemo_sizes, lambda halo: 1, layout_files.nemo_lines, layout_files.parse_nemo),
}
KINDS = tuple(_MODELS)


def rules_of(kind: str) -> _Rules:
    """How a model cuts and drops, and its file. Local; UserError for a model that is not known."""
    if kind not in _MODELS:
        known = f"one of {', '.join(_MODELS)}"
        raise user_error("--layout", repr(kind), known, "choose one of these")
    return _MODELS[kind]


# ---- which blocks a file should have: the cheapest that another model can make and drop


def choose_layout(
    kind: str,
    wet: NDArray[np.bool_],
    ranks: int,
    model: CostModel,
    preferred: tuple[int, int] | None = None,
) -> Layout:
    """The layout of least cost with at most `ranks` ranks, under the rules of another model.

    Local. `kind`: one of `layouts.KINDS`; `wet`: array [nx, ny]; `preferred`: blocks along
    x and y that are taken where these rules allow them with that many ranks. Otherwise every number
    of blocks along x is tried, with as many along y as the ranks allow. Blocks are not trimmed, as
    these models do not trim them. UserError as `plan_layout`. Takes seconds for a thousand ranks.
    """
    planner = LayoutPlanner(kind, wet, model.width)
    if preferred is not None:
        with suppress(UserError):  # blocks that this model does not make
            layout = planner.plan(preferred)
            if layout.ranks <= ranks:
                return layout
    mask = Mask(wet)
    layouts = _fullest(planner, float(wet.mean()), ranks) or [planner.plan((1, 1))]
    return min(layouts, key=lambda layout: (layout_cost(layout, mask, model), layout.blocks))


def layout_cost(layout: Layout, mask: Mask, model: CostModel) -> float:
    """What the blocks that are left cost, numbered with x fastest, all ranks alike. Local."""
    numbers = ("wet", "dry", "off", "on", "latency", "width", "ranks_per_node")
    alike = CostModel(**{name: getattr(model, name) for name in numbers})
    return partition_cost(layout_partition(layout), mask, alike).cost


def layout_partition(layout: Layout) -> Partition:
    """The blocks that are left, a rank for each. Local."""
    assert layout.size is not None
    x, y = (
        block_edges(layout.kind, cells, parts, layout.halo)
        for cells, parts in zip(layout.size, layout.blocks, strict=True)
    )
    dropped = set(layout.dropped)
    kept = [
        Box((x[i], y[j], 0), (x[i + 1], y[j + 1], 1))
        for j in range(layout.blocks[1])
        for i in range(layout.blocks[0])
        if (i, j) not in dropped
    ]
    subdomains = [Subdomain(rank, box) for rank, box in enumerate(kept)]
    return Partition(Grid(layout.size), len(kept), subdomains)


def write_checked_layout(layout: Layout, wet: NDArray[np.bool_], path: Path) -> None:
    """Write a layout file, read it back and compare it with the mask and the layout.

    Local, for one rank. UserError where what was read is not what was written.
    """
    write_layout(layout.kind, wet, layout.blocks, path, layout.halo)
    read = read_layout(layout.kind, path)
    check_layout(read, wet)
    if (read.blocks, read.dropped) != (layout.blocks, layout.dropped):
        remedy = "look at that disk"
        raise user_error(f"layout file {path}", "other blocks than written", "the same", remedy)


def _fullest(planner: LayoutPlanner, wet_share: float, ranks: int) -> list[Layout]:
    """For every number of blocks along x the layout with the most ranks that are not too many."""
    most = int(2 * ranks / wet_share) + 16  # blocks
    along_x, along_y = (
        [n for n in range(1, cells + 1) if _makes(planner, cells, n)] for cells in planner.shape
    )
    found: list[Layout] = []
    for longest in (_LONGEST, math.inf):
        for m in along_x:
            rows = [n for n in along_y if m * n <= most and _compact(planner, m, n, longest)]
            found += _fullest_rows(planner, m, rows, ranks)
        if found:
            break
    fullest = max((layout.ranks for layout in found), default=0)
    # A rank left idle costs about its share, and there are many layouts to price.
    return [layout for layout in found if layout.ranks >= _IDLE * fullest]


def _fullest_rows(planner: LayoutPlanner, m: int, rows: list[int], ranks: int) -> list[Layout]:
    """With `m` blocks along x, none or one; more of the `rows` along y need more ranks."""
    fitting = bisect_right(rows, ranks, key=lambda n: planner.plan((m, n)).ranks)
    return [planner.plan((m, rows[fitting - 1]))] if fitting else []


def _compact(planner: LayoutPlanner, m: int, n: int, longest: float) -> bool:
    sides = (planner.shape[0] / m, planner.shape[1] / n)
    return max(sides) <= longest * min(sides)


def _makes(planner: LayoutPlanner, cells: int, blocks: int) -> bool:
    """Whether the model cuts an axis of so many cells into so many blocks."""
    try:
        block_edges(planner.kind, cells, blocks, planner.halo)
    except UserError:
        return False
    return True
