"""`lapwing census`: which stage causes which exchange."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lapwing.commands.options import CaseName, Debug, Json, Ranks, Sets, answer

if TYPE_CHECKING:
    from lapwing.run.request import Request


def census(
    case: CaseName,
    ranks: Ranks = None,
    steps: Annotated[
        int, typer.Option(min=1, help="Steps to count, after 10 to warm up.", metavar="K")
    ] = 100,
    set_: Sets = None,
    json: Json = None,
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
        from lapwing.run.request import Request

        request = Request(
            case=case, ranks=ranks, sets=tuple(set_ or ()), leaves_results=False, debug=debug
        )
        return _census(request, steps, json)

    answer(work, debug)


def _census(request: Request, steps: int, file: Path | None) -> int:
    from lapwing.base.atomic_file import check_file
    from lapwing.inspect.census.command import run_census
    from lapwing.machine.launch import on_ranks
    from lapwing.run.request import make_plan, ranks_of

    def prepare() -> int:
        ranks = ranks_of(request, None)
        make_plan(request, ranks)
        if file is not None:
            check_file("--json", file)
        return ranks

    return on_ranks(prepare, lambda comm: run_census(request, steps, file, comm))
