"""Layout files of other ocean models: into how many blocks a grid is cut, and which get no rank.

Three models read such files, each cutting and dropping by rules of its own, which are followed here
so that the model finds what the file says (docs/layouts.md names the sources):

- ``mom6``: the `mask_table` of FMS, for MOM6, MOM5 and SIS2;
- ``mitgcm``: the `blankList` of `data.exch2`, with the numbers for `SIZE.h`;
- ``nemo``: the namelist block `nammpp`; NEMO finds the land itself, so the rest is a listing.

The edges of the grid are taken as closed: no periodic axis, no fold at the north pole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.atomic_file import complete_or_absent
from lapwing.base.error import user_error, whole_number
from lapwing.partition import layout_files
from lapwing.partition.layout_files import Layout

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


class _Rules(NamedTuple):
    """How one model cuts and drops, and its file."""

    edges: Callable[[int, int, int, str], list[int]]
    rim: Callable[[int], int]  # cells around a block that must be dry too, from the halo width
    text: Callable[[Layout, tuple[list[int], list[int]]], str]
    parse: Callable[[str, str], Layout]


def plan_layout(kind: str, wet: ArrayLike, blocks: Sequence[int], halo: int = 2) -> Layout:
    """Cut a grid into blocks as a model does, and find the blocks that it may leave out.

    Local. `kind`: one of KINDS; `wet`: array [nx, ny], nonzero where wet; `blocks`: blocks along x
    and y; `halo`: the width of the model's halo, cells. UserError for another kind, a mask without
    a wet cell, and blocks that the model does not make.
    """
    return LayoutPlanner(kind, wet, halo).plan(blocks)


class LayoutPlanner:
    """`plan_layout` for many numbers of blocks: counts the wet cells of the mask once."""

    def __init__(self, kind: str, wet: ArrayLike, halo: int = 2) -> None:
        """Local. Arguments and errors as `plan_layout`."""
        self.kind, self.rules = kind, _rules(kind)
        array = _mask(wet)
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])
        self.halo = whole_number("halo", halo, least=0)
        self._below = np.zeros((self.shape[0] + 1, self.shape[1] + 1), dtype=np.int64)
        self._below[1:, 1:] = array.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)

    def plan(self, blocks: Sequence[int]) -> Layout:
        """The layout with so many blocks along x and y. Local. Errors as `plan_layout`."""
        counts = _blocks(blocks)
        edges = _edges(self.rules, self.shape, counts, self.halo)
        dry = _dry_blocks(self._below, edges, self.rules.rim(self.halo))
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
    rules = _rules(kind)
    x, y = _edges(rules, np.shape(wet), layout.blocks, layout.halo)
    with complete_or_absent(path) as part:
        part.write_text(rules.text(layout, (x, y)))
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
    layout = _rules(kind).parse(text, f"layout file {path}")
    _check_positions(layout, path)
    return layout


def check_layout(layout: Layout, wet: ArrayLike) -> None:
    """Refuse a layout that drops a wet block, or keeps one that its model could do without.

    Local. `wet`: array [nx, ny]. UserError names the first such block and counts the others.
    """
    array = _mask(wet)
    if layout.size not in (None, array.shape):
        raise user_error(
            "layout",
            f"a grid of {layout.size} cells",
            f"{array.shape}, as the mask",
            "write it anew",
        )
    expected = set(plan_layout(layout.kind, array, layout.blocks, layout.halo).dropped)
    found = set(layout.dropped)
    for blocks, what in ((found - expected, "wet"), (expected - found, "dry")):
        if blocks:
            i, j = min(blocks, key=lambda block: block[::-1])
            raise user_error(
                "layout",
                f"block ({i + 1}, {j + 1}) {'dropped' if what == 'wet' else 'kept'} though it is "
                f"{what}, and {len(blocks) - 1} others",
                f"exactly the dry ones dropped, with {layout.halo} cells of halo",
                "write it anew from this mask",
            )


def block_edges(kind: str, cells: int, blocks: int, halo: int = 2) -> list[int]:
    """The first cells (from 0) of the blocks along an axis, and one past its last cell.

    Local. UserError where the model does not make so many blocks of so many cells.
    """
    return _rules(kind).edges(cells, blocks, halo, "the axis")


def _mask(wet: ArrayLike) -> NDArray[np.bool_]:
    array: NDArray[np.bool_] = np.asarray(wet).astype(np.bool_)
    if array.ndim != 2:
        raise user_error(
            "mask", f"{array.ndim} dimensions", "[nx, ny]", "pass one value per column"
        )
    if not array.any():
        raise user_error("mask", "no wet cell", "at least one", "mend the mask")
    return array


def _blocks(blocks: Sequence[int]) -> tuple[int, int]:
    numbers = [whole_number("blocks", n, least=1) for n in blocks]
    if len(numbers) != 2:
        raise user_error("blocks", f"{len(numbers)} numbers", "2: along x and y", "give (m, n)")
    return numbers[0], numbers[1]


def _edges(
    rules: _Rules, shape: Sequence[int], blocks: tuple[int, int], halo: int
) -> tuple[list[int], list[int]]:
    x, y = (
        rules.edges(n, parts, halo, axis)
        for n, parts, axis in zip(shape, blocks, ("x", "y"), strict=True)
    )
    return x, y


def _dry_blocks(
    below: NDArray[np.int64], edges: tuple[list[int], list[int]], rim: int
) -> NDArray[np.bool_]:
    """Which blocks [i, j] have no wet cell, and none within `rim` cells around.

    `below[i, j]`: wet cells below i along x and below j along y.
    """
    lo = [np.maximum(np.array(e[:-1]) - rim, 0) for e in edges]
    hi = [np.minimum(np.array(e[1:]) + rim, e[-1]) for e in edges]

    def corner(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(below[np.ix_(x, y)])

    count = corner(hi[0], hi[1]) - corner(lo[0], hi[1]) - corner(hi[0], lo[1]) + corner(*lo)
    return np.asarray(count == 0)


def _check_positions(layout: Layout, path: Path) -> None:
    m, n = layout.blocks
    outside = [(i, j) for i, j in layout.dropped if not (0 <= i < m and 0 <= j < n)]
    twice = len(layout.dropped) - len(set(layout.dropped))
    if outside or twice:
        got = f"block {outside[0][0] + 1}, {outside[0][1] + 1}" if outside else "a block twice"
        raise user_error(
            f"layout file {path}", got, f"blocks of {m} x {n}, each once", "write the file anew"
        )
    if layout.ranks < 1:
        raise user_error(
            f"layout file {path}", "all blocks dropped", "one that is left", "write the file anew"
        )


# ---- how the models cut an axis


def _fms_edges(cells: int, blocks: int, halo: int, axis: str) -> list[int]:
    """Mirrored sizes where numbers allow: from both ends inwards, each the mean of what is left."""
    _check_count(cells, blocks, axis)
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
        raise user_error(
            f"blocks along {axis}",
            f"{blocks} for {cells} cells, which FMS cuts into sizes {sizes}",
            "at least one cell in each",
            "take another number of blocks",
        )
    return _from_sizes(sizes)


def _mitgcm_edges(cells: int, blocks: int, halo: int, axis: str) -> list[int]:
    """Tiles of one size."""
    _check_count(cells, blocks, axis)
    if cells % blocks:
        fitting = [n for n in range(1, cells + 1) if cells % n == 0]
        fewer = max(n for n in fitting if n < blocks)
        more = min(n for n in fitting if n > blocks)
        raise user_error(
            f"blocks along {axis}",
            f"{blocks} for {cells} cells",
            "a number that divides them, as all tiles of MITgcm have one size",
            f"take {fewer} or {more}, or add land to the grid",
        )
    return _from_sizes([cells // blocks] * blocks)


def _nemo_edges(cells: int, blocks: int, halo: int, axis: str) -> list[int]:
    """Sizes that differ by at most one, the larger ones first; none below the width of the halo."""
    _check_count(cells, blocks, axis)
    small, larger = divmod(cells, blocks)
    if small < halo:
        raise user_error(
            f"blocks along {axis}",
            f"{blocks} for {cells} cells, {small} in the smallest",
            f"at least {halo}, the width nn_hls of the halo",
            f"take at most {cells // halo}",
        )
    return _from_sizes([small + 1] * larger + [small] * (blocks - larger))


def _check_count(cells: int, blocks: int, axis: str) -> None:
    if not 1 <= blocks <= cells:
        raise user_error(
            f"blocks along {axis}", str(blocks), f"1 to {cells}, the cells there", "take fewer"
        )


def _from_sizes(sizes: list[int]) -> list[int]:
    return [0, *(int(n) for n in np.cumsum(sizes))]


_MODELS = {
    # check_mask and MOM6 itself drop a block only where the cells of its halo are dry as well
    "mom6": _Rules(_fms_edges, lambda halo: halo, layout_files.mom6_text, layout_files.parse_mom6),
    # MITgcm warns of water at an edge without a neighbour, so what a blank tile touches must be dry
    "mitgcm": _Rules(
        _mitgcm_edges, lambda halo: 1, layout_files.mitgcm_text, layout_files.parse_mitgcm
    ),
    # NEMO looks at a block and one cell around, however wide its halo is
    "nemo": _Rules(_nemo_edges, lambda halo: 1, layout_files.nemo_text, layout_files.parse_nemo),
}
KINDS = tuple(_MODELS)


def _rules(kind: str) -> _Rules:
    if kind not in _MODELS:
        known = f"one of {', '.join(_MODELS)}"
        raise user_error("--layout", repr(kind), known, "choose one of these")
    return _MODELS[kind]
