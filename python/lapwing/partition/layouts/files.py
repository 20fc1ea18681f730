"""Layout files, written and read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from lapwing.base.atomic_file import complete_or_absent, writing
from lapwing.base.error import UserError, user_error
from lapwing.partition.layouts.kinds import kind_named
from lapwing.partition.layouts.layout import Layout
from lapwing.partition.layouts.plan import LayoutPlanner


def write_layout(
    kind: str, wet: ArrayLike, blocks: Sequence[int], path: Path, halo: int = 2
) -> Layout:
    """Write the file with which a model drops its dry blocks, and return what is in it.

    Local, for one rank; arguments and errors as `plan_layout`. A mask without land gives a file
    that drops nothing. OutsideError where the file cannot be written.
    """
    planner = LayoutPlanner(kind, wet, halo)
    layout = planner.plan(blocks)
    _write(layout, planner, path)
    return layout


def _write(layout: Layout, planner: LayoutPlanner, path: Path) -> None:
    with writing(path), complete_or_absent(path) as part:
        planner.kind.write(part, layout, planner.edges(layout.blocks), planner.wet)


def read_layout(kind: str, path: Path) -> Layout:
    """Read a layout file, of this package or of another tool.

    Local. UserError where it cannot be read or is not what the model would accept.
    """
    subject = f"layout file {path}"
    try:
        layout = kind_named(kind).read(path, subject)
    except UserError:
        raise
    except ValueError as problem:  # a number of thousands of digits
        expected = "numbers of cells and blocks"
        raise user_error(subject, str(problem), expected, "fix the file") from None
    _check_positions(layout, subject)
    return layout


def write_checked_layout(layout: Layout, planner: LayoutPlanner, path: Path) -> None:
    """Write a layout file, read it back and compare it with the mask and the layout.

    Local, for one rank. `planner`: the planner that made the layout. UserError if the file reads
    differently from what was written.
    """
    _write(layout, planner, path)
    read = read_layout(layout.kind, path)
    planner.check(read)
    if (read.blocks, set(read.dropped), read.halo) != (
        layout.blocks,
        set(layout.dropped),
        layout.halo,
    ):
        remedy = "look at that disk"
        raise user_error(f"layout file {path}", "other blocks than written", "the same", remedy)


def _check_positions(layout: Layout, subject: str) -> None:
    m, n = layout.blocks
    if (m, n) == (0, 0):
        return
    outside = [(i, j) for i, j in layout.dropped if not (0 <= i < m and 0 <= j < n)]
    got, expected = "", f"blocks of {m} x {n}, each once"
    if outside:
        got = f"block {outside[0][0] + 1}, {outside[0][1] + 1}"
    elif len(layout.dropped) > len(set(layout.dropped)):
        got = "a block twice"
    elif layout.ranks < 1:
        got, expected = "all blocks dropped", "one that is left"
    if got:
        raise user_error(subject, got, expected, "write the file again")
