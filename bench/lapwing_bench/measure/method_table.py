"""The table of a benchmark of methods that do the same: times, share of a limit, speed-up."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from lapwing_bench.measure.report import Result

_DIGITS = {"us": (1e6, 2), "ms": (1e3, 3)}  # factor from seconds, and decimals


def method_table(title: str, caption: str, unit: str, results: Sequence[Result]) -> Table:
    """Make a table of results, works one after the other, with times in `unit`: us or ms. Local.

    Each result has `limit_share`, and `speedup` with its quartiles, as `report.ratio` makes them.
    """
    factor, decimals = _DIGITS[unit]
    table = Table(title=title, caption=caption)
    table.add_column("work", no_wrap=True)
    table.add_column("method", no_wrap=True)
    headings = (
        *(f"{what} {unit}" for what in ("median", "min", "max")),
        "share of limit",
        "speed-up",
    )
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    before = ""
    for result in results:
        if result.work != before and before:
            table.add_section()
        extra = result.extra
        times = (result.median, min(result.samples), max(result.samples))
        table.add_row(
            result.work if result.work != before else "",
            result.method,
            *(f"{factor * seconds:.{decimals}f}" for seconds in times),
            f"{100 * extra['limit_share']:.0f} %",
            f"{extra['speedup']:.2f} "
            f"({extra['speedup_quarter']:.2f}-{extra['speedup_three_quarters']:.2f})",
        )
        before = result.work
    return table
