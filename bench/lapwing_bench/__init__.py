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

    def check(self, arguments: Sequence[str], ranks: int) -> None:
        """Raise UserError where the request is wrong, before there are ranks. Local."""
        self._request(arguments, ranks)

    def __call__(self, arguments: Sequence[str]) -> int:
        """Measure, print, and return the exit code. Collective over the world."""
        from mpi4py import MPI

        request = self._request(arguments, MPI.COMM_WORLD.Get_size())
        result: int = import_module(f"lapwing_bench.{self.name}").run(request)
        return result

    def _request(self, arguments: Sequence[str], ranks: int) -> Any:
        return import_module(f"lapwing_bench.{self.request_module}").parse(arguments, ranks)


benchmarks: dict[str, Benchmark] = {
    "exchange": Benchmark("exchange", 2, "exchange_request"),
    "overlap": Benchmark("overlap", 2, "overlap_request"),
    "transpose": Benchmark("transpose", 2, "transpose_request"),
    "zoning": Benchmark("zoning", 2, "zoning_request"),
    "coast": Benchmark("coast", 1, "coast_request"),
    "lattice": Benchmark("lattice", 2, "lattice_request"),
    "getm": Benchmark("getm", 2, "getm_request"),
    "policies": Benchmark("policies", 2, "policies_request"),
    "helmholtz": Benchmark("helmholtz", 2, "helmholtz_request"),
    "output": Benchmark("output", 3, "output_request"),
    "stream": Benchmark("stream", len(os.sched_getaffinity(0)), "stream_request"),
    "pack": Benchmark("pack", 1, "request"),
}
