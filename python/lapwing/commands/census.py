"""`lapwing census`: which stage causes which exchange."""

from __future__ import annotations

from typing import Annotated

import typer

from lapwing.commands.options import MOST, CaseName, Debug, Json, Ranks, Sets, answered, on_case


@answered
def census(
    case: CaseName,
    ranks: Ranks = None,
    steps: Annotated[
        int, typer.Option(min=1, max=MOST, help="Steps to count, after 10 to warm up.", metavar="K")
    ] = 100,
    set_: Sets = None,
    json: Json = None,
    debug: Debug = False,
) -> int:
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
    from lapwing.inspect.census import run_census
    from lapwing.run.request import Request

    request = Request(
        case=case, ranks=ranks, sets=tuple(set_ or ()), leaves_results=False, debug=debug
    )
    return on_case(request, lambda comm: run_census(request, steps, json, comm))
