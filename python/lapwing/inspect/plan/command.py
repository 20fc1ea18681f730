"""The task lists of strategies: printed, and drawn side by side."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.base.agreement import DONE, end_together, together
from lapwing.base.atomic_file import check_file
from lapwing.base.error import user_error
from lapwing.core.steps.strategy import chosen_strategies
from lapwing.inspect.plan.task_order import TaskPlan, task_plan
from lapwing.run.creation import create_case_run, step_of
from lapwing.run.request import Plan, Request, agree_on_plan

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.core.domain import Domain

DEFAULT_RANKS = 4  # the fewest with neighbours along both axes and across a corner


def planned_strategies(texts: list[str]) -> tuple[str, ...]:
    """The strategies to plan. Local; UserError for unknown ones and for auto, which has no list."""
    names = chosen_strategies("--strategy", ",".join(texts))
    if "auto" in names:
        raise user_error(
            "--strategy",
            "'auto', which takes one of the others by measurement",
            "strategies with a task list of their own",
            "name those that it tries: blocking,edge-first,dataflow,deep(2)",
        )
    return names


def check_rank(rank: int, ranks: int) -> None:
    """Raise UserError for a rank that is not there. Local."""
    if not 0 <= rank < ranks:
        raise user_error(
            "--rank", str(rank), f"0 to {ranks - 1}", "choose one of the ranks, or more --ranks"
        )


def run_plan(
    request: Request, strategies: tuple[str, ...], rank: int, picture: Path | None, comm: Comm
) -> int:
    """Print and draw the task lists of one rank, and return the exit code, the same on all ranks.

    Collective. Errors are printed, not raised, as `run_case` does.
    """
    where = "set-up"
    try:
        plan = agree_on_plan(request, comm)
        together(comm, lambda: _check(rank, picture, comm))
        from lapwing.core.domain import Domain  # needs MPI, which the caller has started

        domain = Domain(plan.partition, comm)
        made = []
        for strategy in strategies:
            where = f"strategy {strategy}"
            made.append(_task_plan(plan, domain, strategy, rank))
        where = "picture"
        together(comm, lambda: _tell(plan, made, picture) if comm.rank == rank else None)
        domain.close()
    except Exception as problem:
        return end_together(comm, problem, where, request.debug)
    return DONE


def _check(rank: int, picture: Path | None, comm: Comm) -> None:
    check_rank(rank, comm.size)
    if picture is not None and comm.rank == rank:
        check_file("--plot", picture)


def _task_plan(plan: Plan, domain: Domain, strategy: str, rank: int) -> tuple[TaskPlan, str]:
    """What a strategy makes of the model on a rank, and its exchanges in words. Collective."""
    domain.spare_halos = {}
    # how bytes move changes no list
    run = create_case_run(plan, domain, strategy=strategy, transport="p2p")
    step = step_of(run, plan.case.name)
    made = task_plan(
        step.strategy, rank, list(domain.boxes), step.task_lists(), step.tasks_in_order
    )
    words = step.describe()
    del run, step
    gc.collect()
    return made, words


def _tell(plan: Plan, made: list[tuple[TaskPlan, str]], picture: Path | None) -> None:
    """Print the lists and draw them. The rank that they are of."""
    from lapwing.inspect.plan.table import print_task_plan

    ranks = plan.partition.ranks
    for tasks, exchanges in made:
        print_task_plan(tasks, ranks, exchanges)
    if picture is not None:
        from lapwing.inspect.plan.picture import draw_task_plans

        tasks = made[0][0]
        title = f"{plan.case.name}: what rank {tasks.rank} of {ranks} does in which order"
        draw_task_plans(picture, [tasks for tasks, _ in made], title)
        print(f"picture  {picture}")
