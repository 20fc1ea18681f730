"""The results of a verification, and their table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rich.console import Console
from rich.table import Table

from lapwing.base.table import PLAIN

Verdict = Literal["equal", "differs", "fails", "unavailable"]


@dataclass(frozen=True)
class Difference:
    """A field that has other bits than on one rank."""

    field: str
    step: int | None  # the first one after which it differs; None: not found when run again
    cells: int  # how many differ then, every level and component counted; 0: not known
    first: tuple[int, ...]  # the first of them, in global indices; (): not known


@dataclass(frozen=True)
class Way:
    """A way to run the steps, which must not change a bit."""

    strategy: str
    transport: str
    threads: int = 1  # threads of each rank

    def __str__(self) -> str:
        """Name all three, threads where there are several."""
        several = f", {self.threads} threads" if self.threads > 1 else ""
        return f"strategy {self.strategy}, transport {self.transport}{several}"

    @property
    def column(self) -> str:
        """Name the transport and the threads, as a column of the table does. Local."""
        return f"{self.transport} x {self.threads}" if self.threads > 1 else self.transport


def ways_of(
    strategies: Sequence[str], transports: Sequence[str], threads: Sequence[int]
) -> list[Way]:
    """Every strategy with every transport, and with the first of them more threads. Local.

    The first number of threads goes with all transports. `auto` takes one of the other strategies,
    so that more threads tell nothing more of it.
    """
    first, *more = threads
    ways = [Way(strategy, transport, first) for strategy in strategies for transport in transports]
    orders = [strategy for strategy in strategies if strategy != "auto"]
    return ways + [Way(order, transports[0], number) for number in more for order in orders]


@dataclass(frozen=True)
class Outcome:
    """The result of one strategy with one transport and one number of threads."""

    strategy: str
    transport: str
    threads: int
    verdict: Verdict
    reason: str = ""  # why it is unavailable, or how it failed
    differences: list[Difference] = field(default_factory=list)
    steps: int = 0  # after which it was compared: `auto` runs on until it has chosen, and then more
    taken: str = ""  # the strategy that `auto` chose; "" for other strategies, and if it chose none

    @property
    def way(self) -> Way:
        """The way that it is the result of. Local."""
        return Way(self.strategy, self.transport, self.threads)


@dataclass(frozen=True)
class Verification:
    """All outcomes, and what one rank did meanwhile."""

    name: str
    ranks: int
    steps: int
    changed: dict[str, float]  # per field: the share of values that the steps changed on one rank
    outcomes: list[Outcome]
    undeclared: str | None = None  # undeclared reads and writes of a stage; None: no check

    @property
    def is_right(self) -> bool:
        """True if nothing was found. Local."""
        return not self.differing and not self.undeclared

    @property
    def differing(self) -> list[Outcome]:
        """The results that are not equal. Local."""
        return [one for one in self.outcomes if one.verdict in ("differs", "fails")]


_WIDTH = 124  # columns: nine transports and two numbers of threads stand side by side
_MARKS = {"equal": "equal", "differs": "DIFFERS", "fails": "FAILS", "unavailable": "-"}


def print_verification(found: Verification) -> None:
    """Print the table, what differs and where, and what could not be tried. Local."""
    console = Console(width=_WIDTH, highlight=False)
    ranks = f"{found.ranks} rank{'s' if found.ranks > 1 else ''}"
    console.print(f"{found.name}: {ranks} against one, bit by bit after {found.steps} steps")
    if changed := ", ".join(f"{name} {share:.0%}" for name, share in found.changed.items()):
        console.print(f"values that the steps change on one rank: {changed}")
    console.print()
    console.print(_table(found))
    several = sorted({one.threads for one in found.outcomes if one.threads > 1})
    if several:
        console.print(f"{', '.join(f'x {number}' for number in several)}: threads in each rank")
    console.print()
    if found.undeclared is not None:
        nothing = "no stage reads or writes what it does not declare"
        console.print(f"check: {found.undeclared or nothing}", markup=False)
    for line in _choices(found.outcomes):
        console.print(line)
    for outcome in found.differing:
        if outcome.verdict == "fails":
            console.print(f"{outcome.way}: {outcome.reason}", markup=False)
        for difference in outcome.differences:
            console.print(_sentence(outcome, difference))
    for reason, who in _reasons(found.outcomes).items():
        console.print(f"-  {who}: {reason}", markup=False)
    console.print(_verdict(found))


def _table(found: Verification) -> Table:
    columns = list(dict.fromkeys(outcome.way.column for outcome in found.outcomes))
    verdicts = {(one.strategy, one.way.column): _MARKS[one.verdict] for one in found.outcomes}
    table = Table("strategy", *columns, **PLAIN)
    for strategy in dict.fromkeys(outcome.strategy for outcome in found.outcomes):
        table.add_row(strategy, *(verdicts.get((strategy, column), "") for column in columns))
    return table


def _sentence(outcome: Outcome, difference: Difference) -> str:
    cells = f"{difference.cells} value{'s' if difference.cells > 1 else ''}"
    place = f", in {cells}, the first at {difference.first}" if difference.cells else ""
    step = f"first after step {difference.step}"
    if difference.step is None:
        step = f"after step {outcome.steps}, but not in a second run: it depends on timing"
    return f"{outcome.way}: field {difference.field} differs {step}{place}"


def _choices(outcomes: Iterable[Outcome]) -> list[str]:
    """The choice of `auto` with each transport, and when it was compared. Local."""
    tried = [one for one in outcomes if one.strategy == "auto" and one.verdict != "unavailable"]
    return [
        f"auto with {one.transport} took {one.taken}, compared after {one.steps} steps"
        if one.taken
        else f"auto with {one.transport} had taken nothing after {one.steps} steps"
        for one in tried
    ]


def _reasons(tried: list[Outcome]) -> dict[str, str]:
    """Unavailable strategies, transports, or pairs of them, by the reason. Local."""
    by_reason: dict[str, list[Outcome]] = {}
    for outcome in tried:
        if outcome.verdict == "unavailable":
            by_reason.setdefault(outcome.reason, []).append(outcome)
    return {reason: _who(missing, tried) for reason, missing in by_reason.items()}


def _who(missing: list[Outcome], tried: list[Outcome]) -> str:
    strategies = list(dict.fromkeys(outcome.strategy for outcome in missing))
    columns = list(dict.fromkeys(outcome.way.column for outcome in missing))
    if len(missing) == sum(outcome.strategy in strategies for outcome in tried):
        return f"strategy {', '.join(strategies)}"
    if len(missing) == sum(outcome.way.column in columns for outcome in tried):
        return f"transport {', '.join(columns)}"
    return f"{', '.join(strategies)} with {', '.join(columns)}"


def _verdict(found: Verification) -> str:
    still = [name for name, share in found.changed.items() if share == 0.0]
    doubt = f"; {', '.join(still)} never changed, so little is proven of it" if still else ""
    number = len(found.differing)
    if number == 0 and found.undeclared:
        return f"equal by luck: a stage does what it does not declare{doubt}"
    if number == 0:
        return f"all that could be tried give the bits of one rank{doubt}"
    return f"{number} of {len(found.outcomes)} differ from one rank{doubt}"
