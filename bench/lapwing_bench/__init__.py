"""The benchmarks behind `lapwing bench`.

A benchmark takes the rest of the command line; every rank calls it, rank 0 prints. It returns the
exit code. Modules are imported when a benchmark runs: listing the names must not load MPI.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Benchmark:
    """A name of `lapwing bench`, and where its request and its measuring are."""

    name: str
    default_ranks: int
    request_module: str
    # for `lapwing bench --help`: what it measures and its own options, then what people may type
    takes: str
    examples: tuple[str, ...] = ()

    def check(self, arguments: Sequence[str], ranks: int) -> None:
        """Raise UserError where the request is wrong, before there are ranks. Local."""
        self._request(arguments, ranks)

    def __call__(self, arguments: Sequence[str]) -> int:
        """Measure, print, and return the exit code. Collective over the world."""
        from mpi4py import MPI

        request = self._request(arguments, MPI.COMM_WORLD.Get_size())
        result: int = import_module(f"lapwing_bench.{self.name}.benchmark").run(request)
        return result

    def _request(self, arguments: Sequence[str], ranks: int) -> Any:
        return import_module(f"lapwing_bench.{self.request_module}").parse(arguments, ranks)


_ALL = (
    Benchmark(
        "exchange",
        2,
        "exchange.request",
        "halos by every transport beside hand-written MPI and other libraries: --works a,b, "
        "--methods a,b (all by default), --shape PxQ (ranks along x and y), --width W (cells of "
        "halo, 2), --samples N (51; 11 where ranks share cores)",
        ("exchange --works 2d-60,3d-60@levels --shape 2x1 --width 10",),
    ),
    Benchmark(
        "overlap",
        2,
        "overlap.request",
        "how much of the communication a step hides: --works, --methods, --samples N (15), "
        "--transport T (auto), --chunk-bytes B (messages of at most B bytes)",
        ("netlab run --rate 1gbit -- lapwing bench overlap",),
    ),
    Benchmark(
        "transpose",
        2,
        "transpose.request",
        "whole rows and columns by every method: --work 256x192x64 (cells of the grid, several "
        "with commas), --ways a,b (twod-fft, fft-tri, and both with -kept: x stays the fastest "
        "axis), --methods a,b, --samples N (51)",
        ("transpose --work 256x192x64 --methods shared,alltoallw",),
    ),
    Benchmark(
        "zoning",
        2,
        "zoning.request",
        "what cutting loops into zones costs: --works a,b, --methods a,b, --transport T (auto), "
        "--samples N",
    ),
    Benchmark(
        "coast",
        1,
        "coast.request",
        "the coast model's kernels against memory and divider: --works 60x60,60x60x60",
        ("coast --json coast.json",),
    ),
    Benchmark(
        "lattice",
        2,
        "lattice.request",
        "the lattice model's kernels: --works 128,256 (cells of the grid along each axis, of a "
        "rank with --per-rank), --methods a,b, --blocks 1x1x1,1x1x2 (ways to cut; a rank per "
        "block, others sleep), --steps N (of a sample, 10), --samples N (15)",
        ("lattice --works 96 --per-rank --blocks 1x1x1,1x1x2,2x1x1",),
    ),
    Benchmark(
        "getm",
        2,
        "getm.request",
        "the tables of GETM's report: --sizes 60x60,40x24 (cells of a rank), --strategies a,b, "
        "--policy needed|literal (which halos travel), --levels N, --steps N, --rounds N",
        ("getm --sizes 60x60,40x24",),
    ),
    Benchmark(
        "policies",
        2,
        "policies.request",
        "which halos travel in the model with layers: --sizes, --levels N, --steps N (macro steps "
        "of a sample, 40), --samples N (15)",
        ("netlab run --rate 1gbit -- lapwing bench policies --sizes 40x24",),
    ),
    Benchmark(
        "helmholtz",
        2,
        "helmholtz.request",
        "the solver of a semi-implicit step: --work 202x190x40, --blocks PxQ, --groups 1,2,4 (of "
        "levels, worked on while others travel), --method M of the transposes (p2p), --samples N "
        "(15)",
        ("netlab run --rate 1gbit -- lapwing bench helmholtz --groups 1,2,4,8",),
    ),
    Benchmark(
        "output",
        3,
        "output.request",
        "what records cost a run with and without servers: --case CASE, --duration T, --every T "
        "(between records), --io-ranks K (servers, of the ranks started), --samples N (7), "
        "--folder DIR (on the disk to measure)",
        ("output --ranks 3 --io-ranks 1",),
    ),
    Benchmark(
        "stream",
        len(os.sched_getaffinity(0)),
        "stream.request",
        "the copies that bound a lattice Boltzmann step, on all cores: --streams 2,2x19 (one array "
        "to another, 19 to 19), --methods a,b (literal, blocked, pieces, nontemporal), --processes "
        "1,2 (of a node), --megabytes M (that a process reads in a copy; by default twice the last "
        "cache), --samples N (15)",
        ("stream --ranks 4 --processes 1,2,4",),
    ),
    Benchmark("pack", 1, "measure.request", "packing and unpacking beside memcpy"),
)
benchmarks: dict[str, Benchmark] = {benchmark.name: benchmark for benchmark in _ALL}
