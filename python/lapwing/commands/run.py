"""`lapwing run`: a case on some ranks, and its results in a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lapwing.commands.options import CaseName, Debug, Progress, Ranks, Strategy, Transport, answer

if TYPE_CHECKING:
    from lapwing.request import Request


def run(
    case: CaseName,
    ranks: Ranks = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            help="Blocks along x and y. Default: those with the least halo.", metavar="MxN"
        ),
    ] = None,
    strategy: Strategy = None,
    transport: Transport = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Change a key of the case: table.key=value, or key=value where that is unique. "
            'Lengths of time are written "20 s", "30min", "3h", "2 d"; plain numbers are SI units.',
            metavar="KEY=VALUE",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for all results. Default: out/CASE.", metavar="DIR")
    ] = None,
    restart: Annotated[
        Path | None,
        typer.Option(
            help="Go on from this restart file, bit for bit, on any number of ranks. Where DIR "
            "holds the output of the part before, its records up to there are kept.",
            metavar="FILE",
        ),
    ] = None,
    io_ranks: Annotated[
        int, typer.Option(help="Ranks that only write output: 0, rank 0 writes.", metavar="K")
    ] = 0,
    progress: Progress = "auto",
    debug: Debug = False,
) -> None:
    """Run a case, and leave a NetCDF file, a restart file and pictures in a folder.

    The folder then holds [b]output.nc[/b] (CF, one file), [b]restart.lapwing[/b],
    a picture of the first variable at the end, [b]partition.png[/b] and
    [b]case.toml[/b], the case with every key. Each appears when it is complete;
    a name that ends in .part is no result. More ranks than cores work:
    waits then let others run, but timings mean little.

    Examples:

    lapwing run northsea --ranks 4

    lapwing run kelvin --set duration=12h --set output.every=30min --out out/short

    lapwing run kelvin --restart out/short/restart.lapwing --out out/short --ranks 2

    mpiexec -n 4 lapwing run my-case.toml
    """

    def work() -> int:
        from lapwing.progress import resolved
        from lapwing.request import Request, parse_blocks

        request = Request(
            case=case,
            ranks=ranks,
            blocks=parse_blocks(blocks) if blocks else None,
            strategy=strategy,
            transport=transport,
            sets=tuple(set_ or ()),
            out=out,
            restart=restart,
            io_ranks=io_ranks,
            progress=resolved(progress),
            debug=debug,
        )
        return _run(request)

    answer(work, debug)


def _run(request: Request) -> int:
    """Start ranks for a request, or run it on those that are there."""
    from lapwing import mpi_runtime
    from lapwing.launch import launch, started_ranks
    from lapwing.request import make_plan, ranks_of
    from lapwing.run import run_case

    started = started_ranks()
    if started is None:
        ranks = ranks_of(request, started)
        # One process finds what is wrong with the request before there are ranks, but for what the
        # model itself refuses on them. Nothing is written: the ranks make the folder.
        make_plan(request, ranks)
        if ranks > 1:
            # The last --progress counts; only this process knows whether there is a terminal.
            return launch(ranks, [*sys.argv[1:], "--progress", request.progress])
    mpi = mpi_runtime.start()
    return run_case(request, mpi.COMM_WORLD)
