"""`lapwing timeline`: what each rank does when, strategy by strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from lapwing.commands.options import (
    MOST,
    CaseName,
    Debug,
    Ranks,
    Sets,
    Transport,
    answered,
    on_case,
    strategies_option,
)

DRAWN = "blocking,5s,edge-first,dataflow,deep:2,tiled,deep:2+tiled"  # without --strategy


@answered
def timeline(
    case: CaseName,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the picture and the traces. Default: out/CASE.", metavar="DIR"
        ),
    ] = None,
    ranks: Ranks = None,
    strategy: Annotated[list[str] | None, strategies_option(DRAWN)] = None,
    steps: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST,
            help="Steps to draw; rounded up to what each deep:k exchanges once for.",
            metavar="K",
        ),
    ] = 2,
    transport: Transport = None,
    set_: Sets = None,
    debug: Debug = False,
) -> int:
    """Run a few steps with each strategy, and draw what each rank does when.

    DIR/timeline.png has a bar per rank and strategy, all on one time axis:
    computing by stage, packing, waiting and unpacking. For every strategy there
    is also a trace, timeline_NAME.json, for any viewer of Chrome traces
    (chrome://tracing, ui.perfetto.dev). The picture shows the fastest of several
    rounds of K steps; with more ranks than cores it shows turns of the scheduler.

    Examples:

    lapwing timeline kelvin --ranks 2 --out out/timeline

    lapwing timeline kelvin --ranks 2 --strategy blocking,dataflow --steps 3 --transport p2p
    --out out/timeline

    lapwing netlab run --nodes 2 --rate 200mbit -- lapwing timeline kelvin --ranks 2
    --out out/timeline
    """
    from lapwing.core.names import chosen_strategies
    from lapwing.run.request import Request

    from lapwing_lab.timeline.command import run_timeline

    request = Request(
        case=case,
        ranks=ranks,
        transport=transport,
        sets=tuple(set_ or ()),
        leaves_results=False,
        debug=debug,
    )
    chosen = chosen_strategies("--strategy", strategy or [DRAWN])
    return on_case(request, lambda comm: run_timeline(request, chosen, steps, out, comm))
