"""The table at the end of a run: time spent and data moved."""

from __future__ import annotations

import resource
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from lapwing.base.agreement import watched
from lapwing.base.duration import format_clock, format_rate
from lapwing.base.table import PLAIN, make_table
from lapwing.core.domain import Domain
from lapwing.core.versions import write_report
from lapwing.model.model import Run
from lapwing.run.request import Setup
from lapwing.run.results import Results

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.core._core import Step

_OUTPUT = ("keeping", "closing")


def crowding(domain: Domain) -> list[str]:
    """A note if ranks share cores, else none. Local, the same need on all ranks."""
    if not domain.node.oversubscribed:
        return []
    here, cores = domain.node.ranks, _count(domain.node.cores, "core")
    where = (
        f"{here} ranks on {cores}"
        if here > domain.node.cores
        else "more ranks than cores on a node"
    )
    return [f"{where}: waits let others run; timings mean little"]


@dataclass(frozen=True)
class RankTimes:
    """The measurements of one rank: seconds over all steps, and what it sent per step."""

    stepping: float  # inside Run.advance, s
    halo_start: float  # packing and posting, s
    halo_wait: float  # waiting and unpacking, s
    compute: float  # all stages, s
    exchanges: float  # rounds per step
    messages: float  # sent per step
    bytes: float  # sent per step
    keeping: float = 0.0  # output in the time loop, s
    closing: float = 0.0  # after it, until the files were complete, s
    written: int = 0  # bytes of records and restarts
    memory: int = 0  # largest of the process, bytes
    fields: int = 0  # bytes of the fields of state and output, with their halos
    stages: dict[str, float] = field(default_factory=dict)  # seconds in each
    calls: dict[str, int] = field(default_factory=dict)  # of each, a box at a time


@dataclass(frozen=True)
class Summary:
    """The ranks of a run together."""

    steps: int
    wall: float  # from the first step to the last record, s
    ranks: list[RankTimes]
    way: str = ""  # the model's work for its output
    cuts: int | None = None  # times that the grid was cut again; none: the run never looked
    cutting: float = 0.0  # what that took, s

    @property
    def stepping(self) -> float:
        """Seconds inside the time step, of the slowest rank."""
        return max(rank.stepping for rank in self.ranks)

    def share(self, part: str) -> tuple[float, float]:
        """Mean and largest share of stepping time in halo_start, halo_wait or compute, 0 to 1."""
        shares = [getattr(rank, part) / max(rank.stepping, 1e-12) for rank in self.ranks]
        return sum(shares) / len(shares), max(shares)

    def moved(self, part: str) -> tuple[float, float]:
        """Sum over ranks and largest of exchanges, messages or bytes per step."""
        values = [float(getattr(rank, part)) for rank in self.ranks]
        return sum(values), max(values)


class StepTotals:
    """What this rank did in all steps of a run, on every partition that it had. Local."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.halo_start = self.halo_wait = 0.0  # s
        self.stages: dict[str, float] = {}  # s in each
        self.calls: dict[str, int] = {}  # of each
        self.steps = 0
        self._parts, self._sent = 0, {"exchanges": 0.0, "messages": 0.0, "bytes": 0.0}

    def add(self, step: Step, steps: int) -> None:
        """Add what a step took and sent since its times were reset, in `steps` runs of it."""
        times, volume = step.report.times, step.report.volume
        self.halo_start += float(times.halo_start)
        self.halo_wait += float(times.halo_wait)
        counted = zip(step.report.stage_names, times.compute, times.calls, strict=True)
        for name, seconds, calls in counted:
            self.stages[name] = self.stages.get(name, 0.0) + float(seconds)
            self.calls[name] = self.calls.get(name, 0) + int(calls)
        self.steps += steps
        self._parts += max(1, steps)  # a run that has no step left tells what one would send
        for part in self._sent:
            self._sent[part] += max(1, steps) * float(getattr(volume, part))

    def per_step(self) -> dict[str, float]:
        """Rounds, messages and bytes of a step, in the mean."""
        return {part: sent / self._parts for part, sent in self._sent.items()}


def gather_summary(
    comm: Comm, run: Run, totals: StepTotals, stepping: float, wall: float, results: Results
) -> Summary | None:
    """The summary on rank 0, None elsewhere. Collective."""
    clock = results.clock
    mine = RankTimes(
        stepping=stepping,
        halo_start=totals.halo_start,
        halo_wait=totals.halo_wait,
        compute=sum(totals.stages.values()),
        **totals.per_step(),
        keeping=clock.keeping,
        closing=clock.closing,
        written=results.written(),
        memory=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        fields=_field_bytes(run),
        stages=totals.stages,
        calls=totals.calls,
    )
    with watched(comm, "the times of the other ranks"):
        ranks = comm.gather(mine)
    return Summary(totals.steps, wall, ranks, clock.way) if ranks is not None else None


def _field_bytes(run: Run) -> int:
    """The memory of the fields of a run on this rank, halos included. Local."""
    fields = [*run.state.values(), *(variable.field for variable in run.variables.values())]
    return sum(
        int(field.core.array(block).nbytes)
        for field in {id(field): field for field in fields}.values()
        for block in range(field.core.count)
    )


def write_summary(file: Path, setup: Setup, strategy: str, summary: Summary) -> None:
    """Write the measurements, rank by rank, as JSON; `strategy`: the strategy that ran. Local."""
    content = {
        "case": setup.case.name,
        "title": setup.case.title,
        "cut": setup.cut,
        "strategy": strategy,
        "transport": setup.case.run.transport,
        "steps": summary.steps,
        "wall": summary.wall,
        "output": summary.way,
        "cuts": summary.cuts,
        "cutting": summary.cutting,
        "ranks": [asdict(rank) for rank in summary.ranks],
    }
    write_report(file, "lapwing-profile-1", content)


def summary_of(document: dict[str, Any]) -> Summary:
    """The summary in what `write_summary` wrote.

    Local. KeyError, TypeError or ValueError for another document.
    """
    ranks = [RankTimes(**rank) for rank in document["ranks"]]
    if not ranks:
        raise ValueError("no ranks")
    cut = document.get("cuts"), document.get("cutting", 0.0)  # profiles before these had none
    return Summary(document["steps"], document["wall"], ranks, document["output"], *cut)


def print_summary(summary: Summary) -> None:
    """Print the table. Local."""
    console = Console(width=80, highlight=False)
    rate = summary.steps / max(summary.stepping, 1e-12)
    console.print(
        f"\n{summary.steps} steps on {_count(len(summary.ranks), 'rank')}: "
        f"[bold]{format_rate(rate)} steps/s[/bold] in the time step, "
        f"{format_clock(summary.wall)} with output"
    )
    table = make_table(("share of the time step",), ("mean of ranks", "largest"), **PLAIN)
    for part in ("halo start", "halo wait", "compute"):
        mean, largest = summary.share(part.replace(" ", "_"))
        table.add_row(part, f"{100 * mean:.1f} %", f"{100 * largest:.1f} %")
    table.add_section()
    table.add_row("[bold]sent per step[/bold]", "[bold]all ranks[/bold]", "[bold]largest[/bold]")
    for part in ("messages", "bytes"):
        total, largest = summary.moved(part)
        table.add_row(
            part, f"{total:,.1f}".removesuffix(".0"), f"{largest:,.1f}".removesuffix(".0")
        )
    console.print(table)
    if any(rank.calls for rank in summary.ranks):
        console.print(_stage_table(summary.ranks))
    keeping, closing = (max(getattr(r, part) for r in summary.ranks) for part in _OUTPUT)
    print(
        f"\n{'output':<11} {keeping:.3f} s of the slowest rank, {summary.way}; "
        f"{closing:.3f} s more at the end until the files were complete"
    )
    share = 100 * (keeping + closing) / max(summary.wall, 1e-12)
    written = sum(rank.written for rank in summary.ranks)
    amount = f"; {format_bytes(written)} written" if written else ""
    print(f"{'':<11} {share:.1f} % of the run{amount}")
    fullest = max(summary.ranks, key=lambda rank: rank.memory)
    print(
        f"{'memory':<11} {format_bytes(fullest.memory)} at most on a rank, "
        f"{format_bytes(fullest.fields)} of it fields of the state and the output"
    )
    if summary.cuts is not None:
        print(f"{'rebalance':<11} {_cuts_as_text(summary.cuts, summary.cutting)}")


def _stage_table(ranks: list[RankTimes]) -> Table:
    """What each stage took and how often it was called, as models' own timers tell at the end."""
    table = make_table(("stage",), ("mean of ranks", "largest", "calls of a rank"), **PLAIN)
    for name in dict.fromkeys(name for rank in ranks for name in rank.stages):
        seconds = [rank.stages.get(name, 0.0) for rank in ranks]
        calls = [rank.calls.get(name, 0) for rank in ranks]
        mean = sum(seconds) / len(seconds)
        table.add_row(name, f"{mean:.3g} s", f"{max(seconds):.3g} s", _range(calls))
    return table


def _range(numbers: list[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _cuts_as_text(cuts: int, seconds: float) -> str:
    if cuts == 0:
        return "the grid was never cut again, as no other partition would have paid"
    return f"the grid was cut again {_count(cuts, 'time')}, which took {seconds:.3f} s"


def format_bytes(number: int) -> str:
    """A number of bytes with its unit: 312 kB, 2.5 GB. Local."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number} B"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
