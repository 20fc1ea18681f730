"""The timelines of several strategies as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from lapwing.inspect.timeline.timeline import KINDS, NAMES, Timeline
from lapwing.run.request import Plan

_WIDTH = 100  # columns


def print_timelines(plan: Plan, timelines: Sequence[Timeline], notes: Sequence[str]) -> None:
    """Print where the time of each strategy went. Local."""
    console = Console(width=_WIDTH, highlight=False)
    ranks = plan.partition.ranks
    console.print(
        f"{plan.case.name}: {timelines[0].steps} steps on {ranks} rank{'s' if ranks > 1 else ''} "
        f"({plan.cut}), transport {plan.case.run.transport}, the quickest rounds"
    )
    for note in notes:
        console.print(f"note: {note}")
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("strategy")
    table.add_column("rounds", justify="right")
    table.add_column("all ranks\nus", justify="right")
    for kind in KINDS:
        table.add_column(f"{NAMES.get(kind, kind)}\nus", justify="right")
    table.add_column("rest\nus", justify="right")
    for timeline in timelines:
        parts = [timeline.seconds(kind) for kind in KINDS]
        rest = timeline.span - sum(parts)
        values = [timeline.span, *parts, rest]
        table.add_row(
            timeline.title, str(timeline.rounds), *(f"{1e6 * value:,.1f}" for value in values)
        )
    console.print()
    console.print(table)
    console.print(
        "\nall ranks: from the first moment of a round to the last. The others: mean of the ranks; "
        "rest:\nlooking for messages between tasks, tasks themselves, and ranks that begin or end "
        "apart.\n"
    )
