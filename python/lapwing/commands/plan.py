"""`lapwing plan`: the task lists of strategies, printed, drawn side by side, or written as data."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from lapwing.base.agreement import DONE, end_together, together
from lapwing.base.atomic_file import check_file, check_picture
from lapwing.base.error import user_error
from lapwing.commands.options import (
    FEW_RANKS,
    CaseName,
    Debug,
    Json,
    Sets,
    answered,
    on_case,
    ranks_option,
    strategies_option,
)
from lapwing.commands.tasks.description import (
    Described,
    describe_stages,
    describe_strategy,
    write_description,
)
from lapwing.commands.tasks.task_order import Done, TaskOrder, task_order
from lapwing.core.mpi_runtime import announced_world_size
from lapwing.core.names import chosen_strategies
from lapwing.run.creation import create_case_run, step_of
from lapwing.run.request import Request, Setup, agree_on_setup

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.core.domain import Domain

_WIDTH = 104  # columns


@answered
def plan(
    case: CaseName,
    strategy: Annotated[list[str] | None, strategies_option("the strategy of the case")] = None,
    ranks: Annotated[int | None, ranks_option(str(FEW_RANKS))] = None,
    rank: Annotated[int, typer.Option(help="The rank to look at.", metavar="R")] = 0,
    set_: Sets = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw all strategies into this picture.", metavar="F.png")
    ] = None,
    json: Json = None,
    debug: Debug = False,
) -> int:
    """Print what a rank does in which order under a strategy, and draw it.

    A task starts an exchange (packs and posts), awaits the arrival of one of its
    phases, or computes a stage on a box. The list repeats: it shows the
    steady state, in which an exchange may start in the step before the one that
    needs it. Strategies differ in how the owned box is cut into zones, and in
    what is computed while halos travel. The picture has a row per strategy: the
    order of all tasks, arrows for what travels, and a map of the zones of each
    stage. [b]--json[/b] writes the stages, tasks and messages of all ranks, which
    `lapwing predict` of lapwing-lab and other programs read. Nothing is run.

    Examples:

    lapwing plan kelvin --strategy 5s

    lapwing plan kelvin --strategy "blocking,3s,5s,6s,edge-first,dataflow,deep:2" --plot plan.png

    lapwing plan northsea --ranks 9 --rank 4 --strategy dataflow --plot middle.png
    """
    request = Request(
        case=case,
        ranks=ranks or announced_world_size() or FEW_RANKS,
        sets=tuple(set_ or ()),
        leaves_results=False,
        debug=debug,
    )
    wanted = Wanted(tuple(strategy or ()), rank, plot, json)
    more = ["--ranks", str(request.ranks)]
    return on_case(request, lambda comm: _run(request, wanted, comm), more)


def planned_strategies(texts: Sequence[str]) -> tuple[str, ...]:
    """The strategies to plan. Local; UserError for unknown ones and for auto, which has no list."""
    names = chosen_strategies("--strategy", texts)
    if "auto" in names:
        got = "'auto', which takes one of the others by measurement"
        remedy = "name those that it tries: blocking,edge-first,dataflow,deep:2"
        raise user_error("--strategy", got, "strategies with a task list of their own", remedy)
    return names


def check_rank(rank: int, ranks: int) -> None:
    """Raise UserError for a rank that is not there. Local."""
    if not 0 <= rank < ranks:
        expected = f"0 to {ranks - 1}"
        raise user_error("--rank", str(rank), expected, "choose one of the ranks, or more --ranks")


@dataclass(frozen=True)
class Wanted:
    """The request to `lapwing plan`: strategies, the rank to look at, and files to write."""

    strategies: tuple[str, ...]  # as the user gave them; (): the strategy of the case
    rank: int
    picture: Path | None = None
    description: Path | None = None


@dataclass(frozen=True)
class _Planned:
    """The plan of a step under one strategy."""

    order: TaskOrder
    exchanges: str  # Step.describe()
    described: Described | None  # all ranks; None except on the rank to look at


def _run(request: Request, wanted: Wanted, comm: Comm) -> int:
    """Print and draw the task lists of one rank, and return the exit code, the same on all ranks.

    Collective. Errors are printed, not raised, as `run_case` does.
    """
    rank = wanted.rank
    where = "set-up"
    try:
        setup = agree_on_setup(request, comm)
        check_rank(rank, comm.size)
        strategies = planned_strategies(wanted.strategies or [setup.case.run.strategy])
        here = comm.rank == rank
        together(comm, lambda: check_picture(wanted.picture if here else None))
        together(comm, lambda: check_file("--json", wanted.description if here else None))
        from lapwing.core.domain import Domain  # needs MPI, which the caller has started

        domain = Domain(setup.partition, comm)
        made = []
        for strategy in strategies:
            where = f"strategy {strategy}"
            made.append(_planned(setup, domain, strategy, wanted))
        where = "files"
        together(comm, lambda: _tell(setup, made, wanted) if here else None)
        domain.close()
    except Exception as problem:
        return end_together(comm, problem, where, request.debug)
    return DONE


def _planned(setup: Setup, domain: Domain, strategy: str, wanted: Wanted) -> _Planned:
    """Plan the model's step under a strategy, for one rank and as data for all. Collective."""
    from lapwing.core._core import outline_of

    # how bytes move changes no list
    run = create_case_run(setup, domain, strategy=strategy, transport="p2p")
    step = step_of(run, setup.case.name)
    made = task_order(
        step.report.strategy,
        wanted.rank,
        list(domain.boxes),
        step.report.task_lists(),
        step.report.tasks_in_order,
    )
    words, stages = step.report.describe(), describe_stages(step.report)
    described = None
    if wanted.description is not None:
        ranks = domain.mpi.gather(outline_of(step, domain).data(), root=wanted.rank)
        described = ranks and describe_strategy(step.report.strategy, stages, ranks)
    del run, step
    gc.collect()
    return _Planned(made, words, described)


def _tell(setup: Setup, made: list[_Planned], wanted: Wanted) -> None:
    """Print the lists, draw them and write them. The rank that they are of."""
    ranks = setup.partition.ranks
    for one in made:
        _print(one.order, ranks, one.exchanges)
    if wanted.picture is not None:
        from lapwing.commands.tasks.picture import draw_task_orders

        title = f"{setup.case.name}: what rank {wanted.rank} of {ranks} does in which order"
        draw_task_orders(wanted.picture, [one.order for one in made], title)
        print(f"picture  {wanted.picture}")
    if wanted.description is not None:
        described = [one.described for one in made if one.described is not None]
        write_description(wanted.description, setup, described)
        print(f"JSON     {wanted.description}")


def _print(plan: TaskOrder, ranks: int, exchanges: str) -> None:
    """Print the messages, and every task in its order. `exchanges`: Step.describe()."""
    console = Console(width=_WIDTH, highlight=False, markup=False)
    boxes = ", ".join(_box_text(box) for box in plan.owned) or "no cell"
    console.print(f"strategy {plan.strategy}, rank {plan.rank} of {ranks}, which owns {boxes}")
    console.print(
        f"{100 * plan.hidden_share():.0f} % of its cells are computed while messages travel\n"
    )
    console.print("exchanges and stages")
    console.print(exchanges.rstrip())
    for number in range(plan.lists):
        steps = plan.steps_of(number)
        which = f"step {steps[0]}" if len(steps) == 1 else f"steps {steps[0]} to {steps[-1]}, which"
        together = " tiles go through together," if len(steps) > 1 else ""
        console.print(f"\ntasks of {which}{together} of {plan.steps}")
        console.print(_table(plan, number))
    console.print()


def _table(plan: TaskOrder, number: int) -> Table:
    """The tasks of a list."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2))
    table.add_column("", justify="right")
    for heading in ("task", "box", "meanwhile travels", "after"):
        table.add_column(heading, overflow="fold")
    several = len(plan.steps_of(number)) > 1
    places = [place for place, done in enumerate(plan.order) if done.list == number]
    number_of = {plan.order[place].number: str(at) for at, place in enumerate(places)}
    for place in places:
        done, task = plan.order[place], plan.order[place].task
        travelling = plan.travelling(place) if task.kind == "compute" else []
        table.add_row(
            number_of[done.number],
            _what(done) + (f" of step {done.step}" if several and task.kind == "compute" else ""),
            _box_text(task.box) if task.kind == "compute" else "",
            "; ".join(f"{flight.fields} ({flight.sides})" for flight in travelling),
            " ".join(number_of[before] for before in task.after),
        )
    return table


def _what(done: Done) -> str:
    """A task as text."""
    task = done.task
    if task.kind == "start":
        return f"start {task.subject}" + (" of the next step" if task.ahead else "")
    if task.kind == "arrive":
        return f"arrival of {task.subject}, phase {task.phase}"
    return f"{task.kind} {task.subject}"


def _box_text(box: object) -> str:
    """A box in few letters: [0:120, 0:60]."""
    return repr(box).removeprefix("Box")
