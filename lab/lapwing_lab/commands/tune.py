"""`lapwing tune`: the fastest way to run a case on its ranks, kept for later runs."""

from __future__ import annotations

from typing import Annotated

import typer
from lapwing.commands.options import (
    CaseName,
    Debug,
    Json,
    Progress,
    Ranks,
    Sets,
    answered,
    on_case,
    strategies_option,
    transports_option,
)

from lapwing_lab.commands.options import ChargedMpi


@answered
def tune(
    case: CaseName,
    ranks: Ranks = None,
    machine: Annotated[
        str | None,
        typer.Option(
            help="Machine file, or the name of a shipped one, by whose costs candidates are "
            "left out before anything is measured. Default: cuts alone, by the cost of `lapwing "
            "partition`.",
            metavar="M.toml",
        ),
    ] = None,
    mpi: ChargedMpi = None,
    strategy: Annotated[list[str] | None, strategies_option("all of them")] = None,
    transport: Annotated[list[str] | None, transports_option("all of them")] = None,
    set_: Sets = None,
    exhaustive: Annotated[
        bool,
        typer.Option(
            "--exhaustive",
            help="Measure all candidates in all rounds and leave none out: more than ten times as "
            "many runs. The search is checked against it.",
        ),
    ] = False,
    json: Json = None,
    progress: Progress = "auto",
    debug: Debug = False,
) -> int:
    """Find the fastest way to run a case on its ranks, and keep it for later runs.

    A candidate is a cut of the grid (blocks, or a k-section of a sea), a
    transport and a strategy; all give the same bits. Some cuts are for fewer
    ranks, whose threads have the cores of the others. Transport auto measures for
    each exchange whether messages are combined or cut into pieces. A prediction
    leaves out what cannot be the fastest. The others alternate in short runs;
    what is clearly slower leaves early. First the cuts compete, then the
    transports, then the strategies, and in the end the best two of each together.

    The answer goes to [b]CASE.tuned.toml[/b], next to the file of a case, and for a
    shipped one into this folder; [b]--set run.tuned=FILE[/b] names another. Later
    [b]lapwing run CASE[/b] on as many ranks of this machine follows it, and
    names it in its first lines, except where the command line chooses a cut, a
    transport or a strategy itself. Measure on a quiet machine, with at most one
    rank per core.

    Examples:

    lapwing tune kelvin --ranks 2

    lapwing run kelvin --ranks 2

    lapwing tune northsea --ranks 4 --machine my-machine.toml --strategy blocking,dataflow
    """
    from lapwing.base.progress import resolved
    from lapwing.core.names import chosen_strategies, chosen_transports
    from lapwing.run.request import Request, make_setup

    from lapwing_lab.tune.command import run_tune
    from lapwing_lab.tune.request import TuneRequest, check_request

    shown = resolved(progress)
    base = Request(
        case=case,
        ranks=ranks,
        sets=tuple(set_ or ()),
        leaves_results=False,
        progress=shown,
        debug=debug,
    )
    request = TuneRequest(
        base,
        machine,
        mpi,
        chosen_strategies("--strategy", strategy) if strategy is not None else (),
        chosen_transports("--transport", transport) if transport is not None else (),
        exhaustive,
        json,
    )

    return on_case(
        base,
        lambda comm: run_tune(request, comm),
        ["--progress", shown],
        check=lambda ranks: check_request(request, make_setup(base, ranks)),
    )
