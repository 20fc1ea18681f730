"""`lapwing predict`: step times on a machine that you need not have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from lapwing.commands import completion
from lapwing.commands.options import Debug, Json, Sets, answered, strategies_option

from lapwing_lab.commands.options import ChargedMpi, Machine


@answered
def predict(
    case: Annotated[
        str,
        typer.Argument(
            help="A case, cut over the ranks; a box per rank: coast-60x60, tracer-40x24; or a file "
            "of `lapwing plan --json`, with its ranks.",
            metavar="CASE",
            autocompletion=completion.cases,
        ),
    ],
    machine: Machine,
    ranks: Annotated[
        str | None,
        typer.Option(help="Numbers of ranks to price, separated by commas.", metavar="N,..."),
    ] = None,
    strategy: Annotated[list[str] | None, strategies_option("the strategy of the case")] = None,
    model: Annotated[
        Literal["events", "closed-form"],
        typer.Option(
            help="events: every task and message of every rank; closed-form: the coarray report's "
            "formula of a step that hides nothing."
        ),
    ] = "events",
    mpi: ChargedMpi = None,
    set_: Sets = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Name the slowest rank and what it waits for.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of step time and efficiency.", metavar="F.png")
    ] = None,
    json: Json = None,
    debug: Debug = False,
) -> int:
    """Price the steps of a case on a machine, for any number of ranks, without running them.

    The partition, the plans and the task lists are those that a run would
    use. What they cost is in the machine file: seconds per cell of each
    stage, and what messages cost processor and network. Every rank works
    through its tasks and waits for the messages of its neighbours; the
    slowest decides. 16384 ranks take seconds. [b]lapwing simulate[/b] runs the
    kernels too, on hundreds of ranks, and knows stages that end with work
    of all ranks, which are refused here.

    Examples:

    lapwing predict coast-60x60 --machine getm-cluster --ranks 4,16,60 --explain

    lapwing predict kelvin --machine infiniband --ranks 16,64,256,1024 --strategy blocking,dataflow --plot kelvin.png

    lapwing predict taylor-green --machine lbm-xe6 --ranks 24,96 --model closed-form

    lapwing plan kelvin --ranks 4 --json kelvin.json && lapwing predict kelvin.json --machine office
    """  # noqa: E501
    from lapwing.base.agreement import DONE
    from lapwing.base.atomic_file import check_file, check_picture

    from lapwing_lab.predict.entry import PredictionRequest
    from lapwing_lab.predict.predict import parse_ranks
    from lapwing_lab.predict.predict import predict as run
    from lapwing_lab.predict.report import print_prediction, write_prediction

    check_file("--json", json)
    check_picture(plot)
    names = tuple(part.strip() for one in strategy or () for part in one.split(","))
    sets = tuple(set_ or ())
    request = PredictionRequest(
        case, machine, parse_ranks(ranks) if ranks else (), names, mpi, sets, model
    )
    prediction = run(request)
    print_prediction(prediction, explain)
    if json is not None:
        write_prediction(json, prediction)
    if plot is not None:
        from lapwing_lab.predict.picture import draw_prediction

        draw_prediction(plot, prediction)
        print(f"picture  {plot}")
    return DONE
