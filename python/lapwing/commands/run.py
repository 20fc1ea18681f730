"""`lapwing run`: a case on some ranks, and its results in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.error import user_error
from lapwing.commands import completion
from lapwing.commands.options import (
    Debug,
    Progress,
    Ranks,
    Strategy,
    Transport,
    answered,
    on_case,
)


@answered
def run(
    case: Annotated[
        str | None,
        typer.Argument(
            help="Name of a shipped case, or path of a TOML file; none with --resume.",
            metavar="CASE",
            autocompletion=completion.cases,
        ),
    ] = None,
    ranks: Ranks = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            help="Blocks along x, y and, where the grid has a z axis to cut, z. "
            "Default: the blocks with the least halo.",
            metavar="MxN[xP]",
        ),
    ] = None,
    strategy: Strategy = None,
    transport: Transport = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Threads of each rank, which share its kernels. At most as many as the launcher "
            "gave it cores. Default: run.threads of the case, or OMP_NUM_THREADS if the node has "
            "as many cores for all of its ranks, or 1.",
            metavar="T",
        ),
    ] = None,
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
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Go on with the run whose results are in DIR, from the newest restart file there "
            "that is intact.",
            metavar="DIR",
        ),
    ] = None,
    io_ranks: Annotated[
        int,
        typer.Option(
            help="How many of the N ranks are output servers: they receive records and restart "
            "files and write them while the model goes on, on the N - K others. At most one for "
            "each file. 0: rank 0 of the model writes, and the model waits for it.",
            metavar="K",
        ),
    ] = 0,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Run each stage several times, with wrong values wherever it does not say that it "
            "reads, and end where a result depends on them. Many times slower.",
        ),
    ] = False,
    progress: Progress = "auto",
    debug: Debug = False,
) -> int:
    """Run a case, and leave a NetCDF file, a restart file and pictures in a folder.

    The folder then holds [b]output.nc[/b] (CF, one file), [b]points.nc[/b] where the case
    names points, [b]restart.lapwing[/b], pictures of the end, [b]partition.png[/b],
    [b]profile.json[/b], where the time went, and [b]case.toml[/b], the case with every
    key; `lapwing report` makes one page of them. Each appears when it is complete;
    a name that ends in .part is no result. More ranks than cores work:
    waits then let others run, but timings mean little. With [b]--io-ranks K[/b] the
    last K ranks write while the others go on; all files have the same bits.
    With [b]--set output.format=zarr[/b] all ranks write [b]output.zarr[/b] and
    [b]restart.zarr[/b] together, in chunks.
    Where `lapwing tune` has left a [b]CASE.tuned.toml[/b] for as many ranks of this
    machine, the run follows it, and names it in its first lines.

    Examples:

    lapwing run northsea --ranks 4

    lapwing run kelvin --set duration=12h --set output.every=30min --out out/short

    lapwing run kelvin --set 'output.points=["mast: 120000, 240000"]'

    lapwing run kelvin --ranks 2 --threads 4 --strategy 'deep:4+tiled'

    lapwing run kelvin --restart out/short/restart.lapwing --out out/short --ranks 2

    lapwing run kelvin3d --ranks 4 --io-ranks 1 --set output.every=30min

    lapwing run my_model.py:Tide --ranks 2 --set duration=12h

    lapwing run --resume out/northsea --ranks 4

    mpiexec -n 4 lapwing run my-case.toml

    SIGTERM and SIGUSR1, as batch systems send them, finish the steps that are under way,
    write a restart file and end with 0; [b]--resume[/b] goes on.
    """
    from lapwing.base.progress import resolved
    from lapwing.run.request import Request, parse_blocks
    from lapwing.run.run import run_case

    case, out = _case_and_folder(case, out, resume, restart)
    shown = resolved(progress)  # only this process knows whether there is a terminal
    request = Request(
        case=case,
        ranks=ranks,
        blocks=parse_blocks(blocks) if blocks else None,
        strategy=strategy,
        transport=transport,
        threads=threads,
        sets=tuple(set_ or ()),
        out=out,
        restart=restart,
        resume=resume is not None,
        io_ranks=io_ranks,
        progress=shown,
        debug=debug,
        tuned=True,
        check=check,
    )
    more = ["--progress", shown]
    return on_case(request, lambda comm: run_case(request, comm), more=more, stops=True)


def _case_and_folder(
    case: str | None, out: Path | None, resume: Path | None, restart: Path | None
) -> tuple[str, Path | None]:
    """The case and folder of a run: given by the user, or by a folder to resume. Local."""
    from lapwing.base.atomic_file import is_file
    from lapwing.io.result_files import CASE

    if resume is None:
        if case is None:
            raise user_error("CASE", "nothing", "a case, or --resume DIR", "name one")
        return case, out
    for name, given in (("CASE", case), ("--out", out), ("--restart", restart)):
        if given is not None:
            remedy = f"leave {name} or --resume out"
            raise user_error(name, str(given), "nothing, as --resume says it all", remedy)
    if not is_file(resume / CASE):
        remedy = "give the folder of a run, or start it with `lapwing run CASE --out DIR`"
        raise user_error(
            f"--resume {resume}", f"no {CASE}", "a folder with a run's results", remedy
        )
    return str(resume / CASE), resume
