"""The command line `lapwing`."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lapwing.agreement import DONE, NO, describe, exit_code
from lapwing.error import user_error

if TYPE_CHECKING:
    from lapwing.request import Request

_EXIT_CODES = (
    "Exit codes: 0 done; 1 the answer is no; 2 the request was wrong; "
    "3 something outside failed, or the model became unstable."
)

app = typer.Typer(
    name="lapwing",
    help="Structured-grid models on many ranks, without communication code in the model.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

Debug = Annotated[bool, typer.Option("--debug", help="Print tracebacks with errors.")]


def _print_version(asked: bool) -> None:
    if asked:
        print(f"lapwing {importlib.metadata.version('lapwing')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Structured-grid models on many ranks, without communication code in the model."""


def main() -> None:
    """Run the command line; ends the process with an exit code from 0 to 3."""
    app()


def _answer(work: Callable[[], int], debug: bool) -> None:
    """End the command with the exit code of `work`, printing what it raises as one block."""
    try:
        code = work()
    except Exception as problem:
        from lapwing.launch import speaks

        if speaks():
            print(describe(problem, debug), file=sys.stderr)
        code = exit_code(problem)
    raise typer.Exit(code)


@app.command(epilog=_EXIT_CODES)
def run(
    case: Annotated[
        str, typer.Argument(help="Name of a shipped case, or path of a TOML file.", metavar="CASE")
    ],
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Ranks to start with mpiexec. Default: 1, or those of an mpiexec already there.",
            metavar="N",
        ),
    ] = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            help="Blocks along x and y. Default: those with the least halo.", metavar="MxN"
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="Order of computing and communicating: blocking.", metavar="S"),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(
            help="How messages move: auto (the fastest, by measurement), shared, p2p, "
            "persistent, neighbor, datatype, onesided, partitioned.",
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
    io_ranks: Annotated[
        int, typer.Option(help="Ranks that only write output: 0, rank 0 writes.", metavar="K")
    ] = 0,
    progress: Annotated[
        Literal["auto", "bar", "plain", "none"],
        typer.Option(help="A bar, a line every 10 s, or nothing. auto: a bar on a terminal."),
    ] = "auto",
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

    _answer(work, debug)


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


@app.command(epilog=_EXIT_CODES)
def census(
    case: Annotated[
        str, typer.Argument(help="Name of a shipped case, or path of a TOML file.", metavar="CASE")
    ],
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Ranks to start with mpiexec. Default: 1, or those of an mpiexec already there.",
            metavar="N",
        ),
    ] = None,
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

    _answer(work, debug)


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


@app.command(epilog="Exit codes: 0 bitwise equal; 1 different; 2 a file cannot be read.")
def compare(
    a: Annotated[Path, typer.Argument(help="A NetCDF file.", metavar="A.nc")],
    b: Annotated[Path, typer.Argument(help="Another one.", metavar="B.nc")],
    common_times: Annotated[
        bool,
        typer.Option(
            "--common-times",
            help="Compare only the records whose time is in both files, as after a restart.",
        ),
    ] = False,
    debug: Debug = False,
) -> None:
    """Compare the variables of two NetCDF files bit by bit.

    Prints for each variable that differs how many values do, the largest
    absolute difference (in the variable's units) and the largest relative
    one. Attributes are not compared.

    Example: lapwing compare out/one/output.nc out/four/output.nc
    """

    def work() -> int:
        from lapwing.compare import compare_files, print_differences

        differences = compare_files(a, b, common_times)
        print_differences(differences)
        return NO if differences else DONE

    _answer(work, debug)


@app.command(epilog=_EXIT_CODES)
def mask(
    region: Annotated[
        str,
        typer.Option(help="shelf, guinea, northsea, or bounds in degrees.", metavar="NAME|S,N,W,E"),
    ],
    out: Annotated[Path, typer.Option(help="NetCDF file to write.", metavar="FILE")],
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Size of a cell in arc-minutes. Default: 2 for northsea, else 1.", metavar="M"
        ),
    ] = None,
    connected: Annotated[
        bool | None,
        typer.Option(
            "--connected/--no-connected",
            help="Keep only the sea that can be reached from the region's sides. Default: "
            "connected for northsea (from its open sides), else all of it.",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Cut the land-sea mask of a part of the earth into a file.

    The coasts are those of the package global-land-mask (30 arc-seconds, public
    domain data). A cell is wet where the source cell at its centre is, in
    northsea where at least half of its source cells are.
    Cases name the file in [b]grid.mask[/b]. A mask of your own does as well: NetCDF
    with the variable wet (lat, lon), or a .npy array with y (latitude) first
    as maps come; 1 is wet, 0 is dry.

    Examples:

    lapwing mask --region shelf --out shelf.nc

    lapwing mask --region=-5,7,-8,12 --minutes 2 --connected --out gulf.nc
    """

    def work() -> int:
        from lapwing.regions import find_region, print_mask, write_region

        wanted = find_region(region, minutes, connected)
        print_mask(write_region(wanted, out), out)
        return DONE

    _answer(work, debug)


@app.command(epilog=_EXIT_CODES)
def partition(
    mask: Annotated[Path, typer.Argument(help="A file as `lapwing mask` makes.", metavar="MASK")],
    ranks: Annotated[
        str, typer.Option("--ranks", "-n", help="Ranks, or several.", metavar="N[,N...]")
    ],
    method: Annotated[
        str,
        typer.Option(
            help="block, assigned (several blocks per rank), ksection, metis (needs pymetis), "
            "or all, in one table."
        ),
    ] = "all",
    ranks_per_node: Annotated[
        int, typer.Option(min=1, help="One node after the other.", metavar="P")
    ] = 1,
    width: Annotated[int, typer.Option(min=0, help="Cells of halo.", metavar="W")] = 2,
    speeds: Annotated[
        str | None,
        typer.Option(help="Speeds of the ranks: numbers, or a file of them.", metavar="S,S,...|F"),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Costs of a wet and a dry point, of a halo point from off and on the node, and of "
            "a message; or a TOML file with a table \\[partition] of them. "
            "Default: wet=1,dry=0.05,off=5,on=1,latency=0.",
            metavar="NAME=C,...|F",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Of the search.", metavar="T")] = 1,
    plot: Annotated[
        Path | None, typer.Option(help="PNG of the k-section or the last row.", metavar="FILE")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="File for the table.", metavar="FILE")] = None,
    layout: Annotated[
        str | None,
        typer.Option(help="Write a layout file: mom6, mitgcm, nemo.", metavar="MODEL"),
    ] = None,
    layout_file: Annotated[
        Path | None, typer.Option(help="Name of the layout file.", metavar="FILE")
    ] = None,
    debug: Debug = False,
) -> None:
    """Cut a sea into subdomains by several methods, and say what each costs.

    [b]max/mean wet[/b] is the imbalance: how much longer the fullest rank computes
    than the mean. A halo point costs more from another node. Layout files tell
    MOM6, MITgcm and NEMO which blocks get no rank.

    Examples:

    lapwing partition shelf.nc -n 60,120,512,720

    lapwing partition shelf.nc -n 720 --ranks-per-node 24 --plot shelf.png

    lapwing partition shelf.nc -n 120 --method block --layout mom6 --layout-file mask_table
    """

    def work() -> int:
        from lapwing.partition_command import partition_mask
        from lapwing.partition_request import PartitionRequest

        request = PartitionRequest(
            mask=mask,
            ranks=ranks,
            method=method,
            ranks_per_node=ranks_per_node,
            width=width,
            speeds=speeds,
            costs=costs,
            threads=threads,
            plot=plot,
            json=json,
            layout=layout,
            layout_file=layout_file,
        )
        partition_mask(request)
        return DONE

    _answer(work, debug)


@app.command(epilog="Exit codes: 0 all is there; 1 something necessary is missing.")
def doctor(debug: Debug = False) -> None:
    """Say what is installed, what is missing, and the command that mends it."""

    def work() -> int:
        from lapwing.doctor import examine, is_healthy, print_checks

        checks = examine()
        print_checks(checks)
        return DONE if is_healthy(checks) else NO

    _answer(work, debug)


@app.command(
    epilog=_EXIT_CODES,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def bench(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of a benchmark.", metavar="NAME")],
    ranks: Annotated[
        int | None,
        typer.Option(min=1, help="Ranks to start. Default: the benchmark's own.", metavar="N"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Measure a part of lapwing; further options are those of the benchmark.

    All take [b]--json F[/b], a file for all samples, and [b]--progress[/b] as
    [b]run[/b] does. [b]exchange[/b] also takes [b]--works a,b[/b] and [b]--methods a,b[/b]
    (all by default), [b]--shape PxQ[/b] (ranks along x and y), [b]--width W[/b]
    (cells of halo, 2) and [b]--samples N[/b] (51; 11
    where ranks share cores).

    Examples:

    lapwing bench coast --json coast.json

    lapwing bench exchange --works 2d-60,3d-60@levels --shape 2x1 --width 10
    """
    _answer(lambda: _bench(name, ranks, context.args), debug)


def _bench(name: str, ranks: int | None, arguments: list[str]) -> int:
    from lapwing import mpi_runtime
    from lapwing.launch import launch, started_ranks
    from lapwing.progress import resolved
    from lapwing.registry import installed_benchmarks

    benchmarks = installed_benchmarks()
    if name not in benchmarks:
        listed = ", ".join(sorted(benchmarks)) or "none is installed"
        raise user_error("NAME", repr(name), f"a benchmark ({listed})", "choose one of them")
    benchmark = benchmarks[name]
    started = started_ranks()
    wanted = started or ranks or int(getattr(benchmark, "default_ranks", 1))
    if hasattr(benchmark, "check"):
        # one process finds what is wrong with the request before there are ranks
        benchmark.check(arguments, wanted)
    if started is None and wanted > 1:
        # Only this process knows whether there is a terminal; a --progress of the user counts.
        return launch(wanted, ["bench", name, "--progress", resolved("auto"), *arguments])
    mpi_runtime.start()
    return int(benchmark(arguments) or 0)
