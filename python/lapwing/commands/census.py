"""`lapwing census`: all exchanges of a case's schedule, what each costs, and the tiles between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from lapwing.base.agreement import DONE, at_root, end_together
from lapwing.base.atomic_file import check_file
from lapwing.base.table import PLAIN, make_table
from lapwing.commands.options import (
    MOST,
    CaseName,
    Debug,
    Json,
    Ranks,
    Sets,
    Strategy,
    Transport,
    answered,
    on_case,
)
from lapwing.commands.tasks.computed import StageCount, count_stages
from lapwing.core import _core
from lapwing.core.partition import Extent, Mask
from lapwing.core.plan import FieldSpec, WetShare, halo_plan
from lapwing.core.versions import write_report
from lapwing.run.creation import create_case_run, step_of
from lapwing.run.request import Request, Setup, agree_on_setup
from lapwing.run.summary import crowding

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.core.domain import Domain

WARM_UP = 10  # steps before the census begins: caches fill, halos reach their steady state

_EVENTS = 1 << 16  # room for the kernel calls of a cycle

PARTS = ("packing", "late", "transfer")
HALO_WIDTH = 2  # cells, of the halo that the saving of wet-only messages is said for


@answered
def census(
    case: CaseName,
    ranks: Ranks = None,
    strategy: Strategy = None,
    transport: Transport = None,
    steps: Annotated[
        int, typer.Option(min=1, max=MOST, help="Steps to count, after 10 to warm up.", metavar="K")
    ] = 100,
    set_: Sets = None,
    json: Json = None,
    debug: Debug = False,
) -> int:
    """Count the exchanges of a case by stage and field, and split the time of each.

    An exchange costs [b]packing[/b], then waiting for a neighbour that is
    [b]late[/b], then [b]transfer[/b]. The remedies differ: lateness comes from
    work that is spread unevenly, or a core that others use too; transfer comes
    from the transport and the network (try --transport). A timer around the whole
    exchange cannot tell them apart, so here every exchange comes with a
    handshake: empty messages that say which neighbour is there. It costs about
    a microsecond, which no other command pays. A second table counts the tiles
    of each stage, those without water and all land, which are not computed, its
    kernel calls, and the cells that ranks compute twice.
    Nothing but FILE is written.

    Examples:

    lapwing census northsea --ranks 4

    lapwing census kelvin --ranks 2 --transport shared --json census.json
    """
    request = Request(
        case=case,
        ranks=ranks,
        strategy=strategy,
        transport=transport,
        sets=tuple(set_ or ()),
        leaves_results=False,
        debug=debug,
    )
    return on_case(request, lambda comm: _run(request, steps, json, comm))


@dataclass(frozen=True)
class FieldRow:
    """The share of a field in one run of an exchange."""

    name: str
    extent: str  # cells that travel, per axis and side
    messages: list[int]  # for each rank: messages sent that carry some of it
    bytes: list[int]  # for each rank
    needless: bool  # True if no stage reads the halo before it is stale again


@dataclass(frozen=True)
class ExchangeRow:
    """One exchange of the schedule, on all ranks."""

    position: int  # position in the cycle
    stage: str  # stage that could not go on without it, or that sends it unasked
    unasked: bool
    steady: bool  # part of the steady state
    count: int  # how often it ran, the same on every rank
    fields: list[FieldRow]
    messages: list[int]  # for each rank: messages sent in one run
    bytes: list[int]  # for each rank: bytes sent in one run
    packing: list[float]  # for each rank, s, all runs together
    late: list[float]  # for each rank: until the last neighbour was there
    transfer: list[float]  # for each rank: messages on their way, unpacking included
    handshake: list[float]  # for each rank, s: one handshake if all neighbours are there

    @property
    def place(self) -> str:
        """Its place in the step, as text."""
        return f"{'after' if self.unasked else 'for'} {self.stage}"


@dataclass(frozen=True)
class Census:
    """All exchanges that ran, in `steps` steps on `ranks` ranks."""

    steps: int
    ranks: int
    positions: int  # length of the cycle
    notes: list[str]  # reasons to doubt the times
    exchanges: list[ExchangeRow]
    computed: list[list[StageCount]]  # for each rank

    def needless(self) -> list[str]:
        """Halos that travel in the steady state although no stage reads them, as text. Local."""
        return [
            f"{field.name} in the exchange {row.place} (step {row.position} of the cycle)"
            for row in self.exchanges
            for field in row.fields
            if row.steady and field.needless
        ]


def _run(request: Request, steps: int, file: Path | None, comm: Comm) -> int:
    """Run some steps of a case, print its census, and return the exit code, the same on all ranks.

    Collective. Errors are printed, not raised, as `run_case` does.
    """
    where = ["set-up"]
    try:
        setup = agree_on_setup(request, comm)
        at_root(comm, lambda: check_file("--json", file))
        census = _measure(setup, steps, comm, where)
        where[0] = "table"
        at_root(comm, lambda: _tell(setup, census, file))
    except Exception as problem:
        return end_together(comm, problem, where[0], request.debug)
    return DONE


def _measure(setup: Setup, steps: int, comm: Comm, where: list[str]) -> Census | None:
    from lapwing.core.domain import Domain  # needs MPI, which the caller has started

    domain = Domain(setup.partition, comm)
    run = create_case_run(setup, domain)
    step = step_of(run, setup.case.name)
    where[0] = "time step"
    computed = count_computed(domain, step, run.advance)
    step.observe()
    run.advance(WARM_UP)
    step.reset_times()
    run.advance(steps)
    where[0] = "check of the state"
    run.check_state()
    census = gather_census(domain, step, computed)
    domain.close()
    return census


def count_computed(
    domain: Domain, step: _core.Step, advance: Callable[[int], None]
) -> list[StageCount]:
    """Run steps until all repeats, and count what this rank then computes per step. Collective.

    An observed step computes undivided boxes, so this comes before.
    """
    outline = _core.outline_of(step, domain)
    advance(outline.steps * -(-WARM_UP // outline.steps))
    step.draw_timeline(_EVENTS)
    advance(outline.steps)
    calls = Counter(subject for kind, subject, *_ in step.report.timeline if kind == "compute")
    step.draw_timeline(0)
    per_step = {name: calls[name] / outline.steps for name in outline.stages}
    return count_stages(outline.data(), domain.boxes, per_step)


def gather_census(
    domain: Domain, step: _core.Step, computed: list[StageCount] | None = None
) -> Census | None:
    """Gather what the step has counted on all ranks; None except on rank 0. Collective.

    `computed`: what `count_computed` returned on each rank.
    """
    entries = [entry for entry in step.report.census() if entry.cost.count > 0]
    gathered = domain.mpi.gather(([_measured(entry) for entry in entries], computed or []))
    if gathered is None:
        return None
    ranks = [measured for measured, _ in gathered]
    rows = [_row(*of_all) for of_all in zip(entries, *ranks, strict=True)]
    return Census(
        steps=step.report.times.steps,
        ranks=domain.ranks,
        positions=step.report.positions,
        notes=crowding(domain),
        exchanges=rows,
        computed=[counts for _, counts in gathered],
    )


def _measured(entry: _core.CensusEntry) -> dict[str, Any]:
    """The columns that differ between ranks."""
    times = {part: getattr(entry.cost, part) for part in PARTS}
    counts = {name: getattr(entry, name) for name in ("messages", "bytes", "handshake")}
    return times | counts | {"fields": [(field.messages, field.bytes) for field in entry.fields]}


def _row(entry: _core.CensusEntry, *ranks: dict[str, Any]) -> ExchangeRow:
    """The exchange of an entry; `ranks`: the measurements of each rank."""
    together = {name: [rank[name] for rank in ranks] for name in ranks[0]}
    fields = [
        FieldRow(
            name=field.name,
            extent=str(field.extent).removeprefix("Extent(").removesuffix(")"),
            messages=[messages for messages, _ in of_ranks],
            bytes=[count for _, count in of_ranks],
            needless=field.needless,
        )
        for field, *of_ranks in zip(entry.fields, *together.pop("fields"), strict=True)
    ]
    return ExchangeRow(
        position=entry.position,
        stage=entry.stage,
        unasked=entry.unasked,
        steady=entry.steady,
        count=entry.cost.count,
        fields=fields,
        **together,
    )


def census_of(document: dict[str, Any]) -> Census:
    """The census that `--json` wrote. Local. KeyError and TypeError for another document."""
    rows = [
        ExchangeRow(**{**row, "fields": [FieldRow(**field) for field in row["fields"]]})
        for row in document["exchanges"]
    ]
    kept = {name: document[name] for name in ("steps", "ranks", "positions", "notes")}
    computed = [[StageCount(**count) for count in counts] for counts in document["computed"]]
    return Census(**kept, exchanges=rows, computed=computed)


def wet_saving(setup: Setup, width: int) -> WetShare:
    """The bytes that messages without land save, for a 2D field with a halo of `width`.

    Local: pure planning for every rank of the partition.
    """
    reach = [width if size > 1 else 0 for size in setup.partition.grid.size[:2]] + [0]
    fields = [FieldSpec("field", extents=[Extent(reach, reach)])]
    mask = Mask(setup.geometry.wet)
    total = WetShare()
    for rank in range(setup.partition.ranks):
        full = halo_plan(setup.partition, rank, fields)
        total = total + full.wet_share(full.wet_only(mask))
    return total


# ---- the table


_WIDTH = 104  # columns; names and extents of fields stand before eight numbers

# heading and unit
COLUMNS = (
    ("exchange", ""),
    *((what, "per step") for what in ("exchanges", "messages", "bytes")),
    *((part, "us") for part in PARTS),
)

WORDS = """
us: microseconds, mean of the ranks (largest). An exchange is named by the stage that could not go
on without it. packing: own messages packed and posted, and copies within the rank. late: then
waiting until the last neighbour has come to the same exchange (imbalance). transfer: then until all
is here and in its place, so unpacking too, and what a neighbour that came late had still to pack.
"""


def _tell(setup: Setup, census: Census | None, file: Path | None) -> None:
    """Print the census and write it. Rank 0."""
    assert census is not None
    _print(setup, census)
    if file is None:
        return
    content = {
        "case": setup.case.name,
        "blocks": None if setup.blocks is None else list(setup.blocks),
        "strategy": setup.case.run.strategy,
        "transport": setup.case.run.transport,
        "wet_messages": setup.case.run.wet_messages,
        "warm_up": WARM_UP,
        **asdict(census),
    }
    write_report(file, "lapwing-census-1", content)
    print(f"JSON  {file}")


def _print(setup: Setup, census: Census) -> None:
    """The table, what was measured, and what is needless."""
    console = Console(width=_WIDTH, highlight=False)
    console.print(
        f"{setup.case.name}: {census.steps} steps on {census.ranks} "
        f"rank{'s' if census.ranks > 1 else ''} ({setup.cut}), "
        f"strategy {setup.case.run.strategy}, transport {setup.case.run.transport}, "
        f"wet messages {setup.case.run.wet_messages}"
    )
    for note in census.notes:
        console.print(f"note: {note}")
    console.print()
    if census.exchanges:
        console.print(_table(census))
        console.print(WORDS)
    console.print(_verdict(census))
    console.print()
    console.print(_computed_table(census))
    if census.ranks > 1 and setup.case.run.wet_messages == "off" and not setup.geometry.wet.all():
        share = str(wet_saving(setup, HALO_WIDTH)).removeprefix("WetShare(").removesuffix(")")
        console.print(
            f"without land in it (run.wet_messages), a halo of width {HALO_WIDTH}: {share}"
        )


def _table(census: Census) -> Table:
    table = Table(**PLAIN)
    table.add_column("", overflow="fold")
    for what, unit in COLUMNS[1:]:
        table.add_column(f"{what}\n{unit}", justify="right", no_wrap=unit == "us")
    for position in sorted({row.position for row in census.exchanges}):
        if census.positions > 1:
            table.add_row(f"[bold]step {position} of a cycle of {census.positions}[/bold]")
        for row in census.exchanges:
            if row.position == position:
                _add_exchange(table, row, census.steps)
    table.add_section()
    rows = census.exchanges
    moved = (
        sum(row.count for row in rows),
        sum(sum(row.messages) * row.count for row in rows),
        sum(sum(row.bytes) * row.count for row in rows),
    )
    table.add_row(
        "[bold]per step, all together[/bold]",
        *(_number(total / census.steps) for total in moved),
        *_times(census.exchanges, census.steps),
    )
    return table


def exchange_cells(row: ExchangeRow, steps: int) -> tuple[str, ...]:
    """The words and numbers of an exchange, in the order of COLUMNS. Local."""
    often = row.count / steps
    return (
        row.place + ("" if row.steady else " (all halos were stale)"),
        _number(often),
        _number(sum(row.messages) * often),
        _number(sum(row.bytes) * often),
        *_times([row], row.count),
    )


def _add_exchange(table: Table, row: ExchangeRow, steps: int) -> None:
    often = row.count / steps
    table.add_row(*exchange_cells(row, steps))
    for field in row.fields:
        sides = field.extent.removesuffix(", no corners").replace(",", "")  # in few letters
        table.add_row(
            f"  {field.name}  {sides}" + (" NEEDLESS" if field.needless else ""),
            "",
            _number(sum(field.messages) * often),
            _number(sum(field.bytes) * often),
        )


def _times(rows: list[ExchangeRow], times: int) -> list[str]:
    """Mean over ranks (and largest) of the time of each part in all rows, per repetition."""
    shown = []
    for part in PARTS:
        of_ranks = zip(*(getattr(row, part) for row in rows), strict=True)
        seconds = [sum(of_rank) / times for of_rank in of_ranks]
        mean, largest = sum(seconds) / len(seconds), max(seconds)
        digits = 1 if largest < 1e-4 else 0
        shown.append(f"{mean * 1e6:,.{digits}f} ({largest * 1e6:,.{digits}f})")
    return shown


def _computed_table(census: Census) -> Table:
    """The tiles of each stage, mean of the ranks."""
    numbers = ("tiles", "dry tiles", "land", "kernel calls", "cells per call", "computed twice")
    table = make_table(("computed per step and rank",), numbers, **PLAIN)
    by_stage: dict[str, list[StageCount]] = {}
    for count in chain.from_iterable(census.computed):
        by_stage.setdefault(count.stage, []).append(count)
    for stage, counts in by_stage.items():
        tiles, dry_tiles, land, calls, cells, twice = (
            sum(getattr(count, part) for count in counts) / census.ranks
            for part in ("tiles", "dry_tiles", "land", "calls", "cells", "twice")
        )
        table.add_row(
            stage,
            _number(tiles),
            _number(dry_tiles),
            _share(land, land + cells),
            _number(calls),
            f"{cells / calls:,.0f}" if calls else "0",
            _share(twice, cells),
        )
    return table


def _verdict(census: Census) -> str:
    if not census.exchanges:
        return "no exchange ran: no stage reads beyond its cells what another stage writes"
    if needless := census.needless():
        return "needless, as nobody reads the halo before it is stale again: " + "; ".join(needless)
    return "needless: none, every halo that travels is read by a stage before it is stale again"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if part else "0"


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
