"""`lapwing bench`: measurements, which other packages register."""

from __future__ import annotations

from typing import Annotated

import typer

from lapwing.commands.options import Debug, answer
from lapwing.error import user_error


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
    where ranks share cores). [b]overlap[/b] takes [b]--works[/b], [b]--methods[/b],
    [b]--samples N[/b] (15), [b]--transport T[/b] (auto) and [b]--chunk-bytes B[/b]
    (messages of at most B bytes). [b]coast[/b] takes [b]--works[/b]. [b]lattice[/b] takes
    [b]--works 128,256[/b] (cells of the grid along each axis, of a rank with [b]--per-rank[/b]),
    [b]--methods a,b[/b], [b]--blocks 1x1x2,2x1x1[/b] (ways to cut), [b]--steps N[/b] (of a
    sample, 10) and [b]--samples N[/b] (15). [b]getm[/b] takes
    [b]--sizes 60x60,40x24[/b] (cells of a rank), [b]--strategies a,b[/b],
    [b]--policy needed|literal[/b] (which halos travel), [b]--levels N[/b],
    [b]--steps N[/b] and [b]--rounds N[/b]. [b]policies[/b] takes [b]--sizes[/b],
    [b]--levels N[/b], [b]--steps N[/b] (macro steps of a sample, 40) and [b]--samples N[/b] (15).
    [b]helmholtz[/b], the solver of a semi-implicit step, takes [b]--work 202x190x40[/b],
    [b]--blocks PxQ[/b], [b]--groups 1,2,4[/b] (of levels, worked on while others travel),
    [b]--method M[/b] of the transposes (p2p) and [b]--samples N[/b] (15).
    [b]output[/b] takes [b]--case CASE[/b], [b]--duration T[/b], [b]--every T[/b] (between
    records), [b]--io-ranks K[/b] (servers, of the ranks started), [b]--samples N[/b] (7) and
    [b]--folder DIR[/b] (on the disk to measure).
    [b]transpose[/b] takes [b]--work 256x192x64[/b] (cells of the grid, several with commas),
    [b]--ways a,b[/b] (twod-fft, fft-tri, and both with -kept: x stays the fastest axis),
    [b]--methods a,b[/b] and [b]--samples N[/b] (51).
    [b]stream[/b], the copies that bound a lattice Boltzmann step, runs on all cores and takes
    [b]--streams 2,2x19[/b] (one array to another, 19 to 19), [b]--methods a,b[/b] (literal,
    blocked, pieces, nontemporal), [b]--processes 1,2[/b] (of a node), [b]--megabytes M[/b]
    (that a process reads in a copy; by default twice the last cache) and [b]--samples N[/b] (15).

    Examples:

    lapwing bench coast --json coast.json

    lapwing bench getm --sizes 60x60,40x24

    lapwing bench lattice --works 96 --per-rank --blocks 1x1x2,2x1x1

    lapwing bench exchange --works 2d-60,3d-60@levels --shape 2x1 --width 10

    lapwing bench output --ranks 3 --io-ranks 1

    lapwing bench stream --ranks 4 --processes 1,2,4

    lapwing bench transpose --work 256x192x64 --methods shared,alltoallw

    lapwing netlab run --rate 1gbit -- lapwing bench overlap

    lapwing netlab run --rate 1gbit -- lapwing bench policies --sizes 40x24

    lapwing netlab run --rate 1gbit -- lapwing bench helmholtz --groups 1,2,4,8
    """
    answer(lambda: _bench(name, ranks, context.args, debug), debug)


def _bench(name: str, ranks: int | None, arguments: list[str], debug: bool) -> int:
    from lapwing import mpi_runtime
    from lapwing.agreement import end_together
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
    world = mpi_runtime.start().COMM_WORLD
    try:
        return int(benchmark(arguments) or 0)
    except Exception as problem:  # of one rank perhaps, for which the others wait
        return end_together(world, problem, f"benchmark {name}", debug)
