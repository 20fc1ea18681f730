"""The census of a case as a table for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from lapwing.base.table import PLAIN
from lapwing.inspect.census.census import PARTS, Census, ExchangeRow, wet_saving
from lapwing.run.request import Setup

HALO_WIDTH = 2  # cells, of the halo that the saving of wet-only messages is said for
_WIDTH = 104  # columns; names and extents of fields stand before eight numbers


def print_census(setup: Setup, census: Census) -> None:
    """Print the table, what was measured, and what is needless. Local."""
    console = Console(width=_WIDTH, highlight=False)
    console.print(
        f"{setup.case.name}: {census.steps} steps on {census.ranks} "
        f"rank{'s' if census.ranks > 1 else ''} ({setup.cut}), "
        f"strategy {setup.case.run.strategy}, transport {setup.case.run.transport}"
    )
    for note in census.notes:
        console.print(f"note: {note}")
    console.print()
    if census.exchanges:
        console.print(_table(census))
        console.print(_WORDS)
    console.print(_verdict(census))
    if census.ranks > 1 and not setup.geometry.wet.all():
        share = str(wet_saving(setup, HALO_WIDTH)).removeprefix("WetShare(").removesuffix(")")
        console.print(f"without land in it (wet=mask), a halo of width {HALO_WIDTH}: {share}")


_WORDS = """
us: microseconds, mean of the ranks (largest). An exchange is named by the stage that could not go
on without it. packing: own messages packed and posted, and copies within the rank. late: then
waiting until the last neighbour has come to the same exchange (imbalance). transfer: then until all
is here and in its place, so unpacking too, and what a neighbour that came late had still to pack.
"""


def _table(census: Census) -> Table:
    table = Table(**PLAIN)
    table.add_column("", overflow="fold")
    for heading in ("exchanges\nper step", "messages\nper step", "bytes\nper step"):
        table.add_column(heading, justify="right")
    for part in PARTS:
        table.add_column(f"{part}\nus", justify="right", no_wrap=True)
    for position in sorted({row.position for row in census.exchanges}):
        if census.positions > 1:
            table.add_row(f"[bold]step {position} of a cycle of {census.positions}[/bold]")
        for row in census.exchanges:
            if row.position == position:
                _add_exchange(table, row, census.steps)
    table.add_section()
    counts = [_number(census.per_step(part)) for part in ("exchanges", "messages", "bytes")]
    times = [_microseconds(*census.seconds_per_step(part)) for part in PARTS]
    table.add_row("[bold]per step, all together[/bold]", *counts, *times)
    return table


def _add_exchange(table: Table, row: ExchangeRow, steps: int) -> None:
    often = row.count / steps
    per_run = [[seconds / row.count for seconds in getattr(row, part)] for part in PARTS]
    table.add_row(
        row.place + ("" if row.steady else " (all halos were stale)"),
        _number(often),
        _number(sum(row.messages) * often),
        _number(sum(row.bytes) * often),
        *(_microseconds(sum(times) / len(times), max(times)) for times in per_run),
    )
    for field in row.fields:
        table.add_row(
            f"  {field.name}  {_sides(field.extent)}" + (" NEEDLESS" if field.needless else ""),
            "",
            _number(sum(field.messages) * often),
            _number(sum(field.bytes) * often),
        )


def _sides(extent: str) -> str:
    """An extent in few letters, as it shares a line with eight numbers. Local."""
    return extent.removesuffix(", no corners").replace(",", "")


def _verdict(census: Census) -> str:
    if not census.exchanges:
        return "no exchange ran: no stage reads beyond its cells what another stage writes"
    needless = census.needless()
    if needless:
        return "needless, as nobody reads the halo before it is stale again: " + "; ".join(needless)
    return "needless: none, every halo that travels is read by a stage before it is stale again"


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _microseconds(mean: float, largest: float) -> str:
    digits = 1 if largest < 1e-4 else 0
    return f"{mean * 1e6:,.{digits}f} ({largest * 1e6:,.{digits}f})"
