"""The work of each rank in time, under each strategy, and its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lapwing.base.table import PLAIN, make_table
from lapwing.run.request import Setup
from rich.console import Console

KINDS = ("compute", "start", "unpack", "wait")  # as people call them: compute, pack, unpack, wait
NAMES = {"start": "pack", "unpack": "unpack", "wait": "wait"}


@dataclass(frozen=True)
class Event:
    """A span of time on one rank."""

    kind: str  # of KINDS
    subject: str  # the stage, or the fields that are packed or unpacked
    begin: float  # s, in the end since the first event of the round on any rank
    end: float
    cells: int  # computed
    thread: int = 0  # of the rank

    def since(self, moment: float) -> Event:
        """The event with its times counted from a moment. Local."""
        return replace(self, begin=self.begin - moment, end=self.end - moment)


@dataclass(frozen=True)
class Timeline:
    """The quickest round of steps under one strategy, on all ranks.

    What else the machine does makes the others slower.
    """

    strategy: str  # as it was asked for
    taken: str  # what `auto` took, else the same
    steps: int
    rounds: int  # how many were tried
    ranks: list[list[Event]]  # by begin

    @property
    def span(self) -> float:
        """Seconds from the first to the last moment of the round, over all ranks. Local."""
        return max((event.end for events in self.ranks for event in events), default=0.0)

    def seconds(self, kind: str) -> float:
        """Seconds of one kind of event in the round, mean of the ranks. Local."""
        spent = [e.end - e.begin for events in self.ranks for e in events if e.kind == kind]
        return sum(spent) / len(self.ranks)

    @property
    def title(self) -> str:
        """Its strategy, with what `auto` took."""
        more = "" if self.strategy == self.taken else f": {self.taken}"
        return self.strategy + more


_WIDTH = 100  # columns


def print_timelines(setup: Setup, timelines: Sequence[Timeline], notes: Sequence[str]) -> None:
    """Print where the time of each strategy went. Local."""
    console = Console(width=_WIDTH, highlight=False)
    ranks = setup.partition.ranks
    console.print(
        f"{setup.case.name}: {timelines[0].steps} steps on {ranks} rank{'s' if ranks > 1 else ''} "
        f"({setup.cut}), transport {setup.case.run.transport}, the quickest rounds"
    )
    for note in notes:
        console.print(f"note: {note}")
    kinds = (f"{NAMES.get(kind, kind)}\nus" for kind in KINDS)
    table = make_table(("strategy",), ("rounds", "all ranks\nus", *kinds, "rest\nus"), **PLAIN)
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
