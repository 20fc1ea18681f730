"""Tables of results for people: a column is a heading, and what it has of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lapwing.base.table import make_table
from rich.table import Table

from lapwing_lab.bench.measure.report import Result

Cell = Callable[[Result], str]
Column = tuple[str, Cell]

METHOD: Column = ("method", lambda result: result.method)
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def number(key: str, factor: float = 1.0, decimals: int = 0, missing: str = "") -> Cell:
    """A number of `Result.extra` times a factor. Local."""
    return lambda result: (
        f"{factor * result.extra[key]:.{decimals}f}" if key in result.extra else missing
    )


def percent(key: str) -> Cell:
    """A share of `Result.extra`. Local."""
    return lambda result: f"{100 * result.extra[key]:.0f} %" if key in result.extra else ""


def spread(key: str, decimals: int = 2) -> Cell:
    """The result of `ratio` under a name: median and middle half. Local."""

    def cell(result: Result) -> str:
        if key not in result.extra:
            return ""
        low, high = result.extra[f"{key}_quarter"], result.extra[f"{key}_three_quarters"]
        return f"{result.extra[key]:.{decimals}f} ({low:.2f}-{high:.2f})"

    return cell


def apart(*keys: str) -> Cell:
    """The largest of some distances of `Result.extra` from other results. Local."""

    def cell(result: Result) -> str:
        far = [result.extra[key] for key in keys if key in result.extra]
        return "" if not far else "same bits" if max(far) == 0 else f"{max(far):.1e}"

    return cell


def middle(unit: str, decimals: int) -> Cell:
    """Median of the samples in s, ms, us or ns. Local."""
    return lambda result: f"{_PER_SECOND[unit] * result.median:.{decimals}f}"


def times(unit: str, decimals: int, *headings: str) -> list[Column]:
    """Median, least and largest of the samples in s, ms, us or ns, under three headings. Local."""
    factor = _PER_SECOND[unit]
    cells: list[Cell] = [
        middle(unit, decimals),
        lambda result: f"{factor * min(result.samples):.{decimals}f}",
        lambda result: f"{factor * max(result.samples):.{decimals}f}",
    ]
    return list(zip(headings, cells, strict=True))


def compared(unit: str, decimals: int) -> list[Column]:
    """Times, and `limit_share` and `speedup` of `Result.extra`. Local."""
    share, speedup = percent("limit_share"), spread("speedup")
    found = times(unit, decimals, f"median {unit}", f"min {unit}", f"max {unit}")
    return [*found, ("share of limit", share), ("speed-up", speedup)]


def table(
    results: Sequence[Result],
    numbers: Sequence[Column],
    words: Sequence[Column] = (("work", lambda result: result.work), METHOD),
    no_wrap: bool = True,
    **look: Any,
) -> Table:
    """A row per result: some words, of which all but the last are not repeated, and numbers. Local.

    `no_wrap`, `look`: as `lapwing.base.table.make_table` has them.
    """
    headings = ([heading for heading, _ in columns] for columns in (words, numbers))
    made = make_table(*headings, no_wrap=no_wrap, **look)
    before: list[str] = []
    for result in results:
        *group, last = (cell(result) for _, cell in words)
        if group != before:
            made.add_section()
        shown = group if group != before else [""] * len(group)
        made.add_row(*shown, last, *(cell(result) for _, cell in numbers))
        before = group
    return made
