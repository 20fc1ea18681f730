"""`lapwing census`: which stage causes which exchange."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lapwing.commands.options import CaseName, Debug, Ranks, answer

if TYPE_CHECKING:
    from lapwing.request import Request


def census(
    case: CaseName,
    ranks: Ranks = None,
    steps: Annotated[
        int, typer.Option(min=1, help="Steps to count, after 10 to warm up.", metavar="K")
    ] = 100,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Change a key of the case, as in `lapwing run`; run.transport is one of them.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(help="File for all raw values, rank by rank.", metavar="FILE"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Count the exchanges of a case by stage and field, and split the time of each.

    An exchange costs [b]packing[/b], then waiting for a neighbour that is
    [b]late[/b], then [b]transfer[/b]. The cures differ: lateness is work that is
    spread unevenly, or a core that others use too; transfer is the transport
    and the network (try --set run.transport=...). A timer around the whole
    exchange cannot tell them apart, so here every exchange comes with a
    handshake: empty messages that say which neighbour is there. It costs about
    a microsecond, which no other command pays. Nothing but FILE is written.

    Examples:

    lapwing census northsea --ranks 4

    lapwing census kelvin --ranks 2 --set run.transport=shared --json census.json
    """

    def work() -> int:
        from lapwing.request import Request

        request = Request(
            case=case, ranks=ranks, sets=tuple(set_ or ()), leaves_results=False, debug=debug
        )
        return _census(request, steps, json)

    answer(work, debug)


def _census(request: Request, steps: int, file: Path | None) -> int:
    from lapwing import mpi_runtime
    from lapwing.atomic_file import check_file
    from lapwing.census import run_census
    from lapwing.launch import launch, started_ranks
    from lapwing.request import make_plan, ranks_of

    started = started_ranks()
    if started is None:
        ranks = ranks_of(request, started)
        make_plan(request, ranks)  # one process finds what is wrong before there are ranks
        if file is not None:
            check_file("--json", file)
        if ranks > 1:
            return launch(ranks, sys.argv[1:])
    mpi = mpi_runtime.start()
    return run_census(request, steps, file, mpi.COMM_WORLD)
