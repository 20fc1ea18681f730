"""`lapwing census`: run some steps of a case, and say what its exchanges were."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.base.agreement import DONE, end_together, together
from lapwing.base.atomic_file import check_file
from lapwing.core.versions import write_report
from lapwing.run.creation import create_case_run, step_of
from lapwing.run.request import Request, Setup, agree_on_setup

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

from lapwing.inspect.census.census import WARM_UP, Census, gather_census
from lapwing.inspect.census.table import print_census


def run_census(request: Request, steps: int, file: Path | None, comm: Comm) -> int:
    """Run some steps of a case, print its census, and return the exit code, the same on all ranks.

    Collective. Errors are printed, not raised, as `run_case` does.
    """
    where = ["set-up"]
    try:
        setup = agree_on_setup(request, comm)
        if file is not None:
            together(comm, lambda: check_file("--json", file) if comm.rank == 0 else None)
        census = _measure(setup, steps, comm, where)
        where[0] = "table"
        together(comm, lambda: _tell(setup, census, file))
    except Exception as problem:
        return end_together(comm, problem, where[0], request.debug)
    return DONE


def _measure(setup: Setup, steps: int, comm: Comm, where: list[str]) -> Census | None:
    from lapwing.core.domain import Domain  # needs MPI, which the caller has started

    domain = Domain(setup.partition, comm)
    run = create_case_run(setup, domain)
    step = step_of(run, setup.case.name)
    where[0] = "time step"
    step.observe()
    run.advance(WARM_UP)
    step.reset_times()
    run.advance(steps)
    where[0] = "check of the state"
    run.check_state()
    census = gather_census(domain, step)
    domain.close()
    return census


def _tell(setup: Setup, census: Census | None, file: Path | None) -> None:
    """Print the census and write it. Rank 0; the others have none."""
    if census is None:
        return
    print_census(setup, census)
    if file is None:
        return
    content = {
        "case": setup.case.name,
        "blocks": None if setup.blocks is None else list(setup.blocks),
        "strategy": setup.case.run.strategy,
        "transport": setup.case.run.transport,
        "warm_up": WARM_UP,
        **asdict(census),
    }
    write_report(file, "lapwing-census-1", content)
    print(f"JSON  {file}")
