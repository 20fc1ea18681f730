"""`lapwing plan`: the task list of a strategy, printed or drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing.commands.options import MOST, CaseName, Debug, Sets, answered, on_case


@answered
def plan(
    case: CaseName,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="Of {strategies}; several separated by commas. Default: that of the case.",
            metavar="S,...",
        ),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            help="Ranks to cut the case for, all of which are started. Default: 4, or those of an "
            "mpiexec already there.",
            metavar="N",
        ),
    ] = None,
    rank: Annotated[int, typer.Option(help="The rank to look at.", metavar="R")] = 0,
    set_: Sets = None,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of all of them.", metavar="F.png")
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            help="File for the steps of all ranks as data: stages, tasks, messages.",
            metavar="F.json",
        ),
    ] = None,
    debug: Debug = False,
) -> int:
    """Print what a rank does in which order under a strategy, and draw it.

    A task starts an exchange (packs and posts), awaits the arrival of one of its
    phases, or computes a stage on a box. The list repeats: it is that of the
    steady state, in which an exchange may start in the step before the one that
    needs it. Strategies differ in how the owned box is cut into zones, and in
    what is computed while halos travel. The picture has a row per strategy: the
    order of all tasks, arrows for what travels, and a map of the zones of each
    stage. [b]--json[/b] writes the stages, tasks and messages of all ranks, which
    `lapwing predict` of lapwing-lab and other programs read. Nothing is run.

    Examples:

    lapwing plan kelvin --strategy 5s

    lapwing plan kelvin --strategy "blocking,3s,5s,6s,edge-first,dataflow,deep(2)" --plot plan.png

    lapwing plan northsea --ranks 9 --rank 4 --strategy dataflow --plot middle.png
    """
    from lapwing.core.mpi_runtime import announced_world_size
    from lapwing.inspect.tasks.command import DEFAULT_RANKS, Wanted, run_plan
    from lapwing.run.request import Request

    request = Request(
        case=case,
        ranks=ranks or announced_world_size() or DEFAULT_RANKS,
        sets=tuple(set_ or ()),
        leaves_results=False,
        debug=debug,
    )
    wanted = Wanted(tuple(strategy or ()), rank, plot, json)
    more = ["--ranks", str(request.ranks)]
    return on_case(request, lambda comm: run_plan(request, wanted, comm), more)
