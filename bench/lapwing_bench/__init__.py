"""The benchmarks behind `lapwing bench`: commands whose options are the fields of a request.

What measures is imported when a benchmark runs: listing the names must not load MPI.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import end_together
from lapwing.base.progress import resolved
from typer.core import TyperCommand

from lapwing_bench.coast.request import CoastRequest
from lapwing_bench.exchange.request import ExchangeRequest
from lapwing_bench.getm.request import GetmRequest
from lapwing_bench.helmholtz.request import HelmholtzRequest
from lapwing_bench.lattice.request import LatticeRequest
from lapwing_bench.measure.request import Request, command_of
from lapwing_bench.output.request import OutputRequest
from lapwing_bench.overlap.request import OverlapRequest
from lapwing_bench.pack.request import PackRequest
from lapwing_bench.policies.request import PoliciesRequest
from lapwing_bench.stream.request import StreamRequest
from lapwing_bench.transpose.request import TransposeRequest
from lapwing_bench.zoning.request import ZoningRequest

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

requests: dict[str, type[Request]] = {
    "exchange": ExchangeRequest,
    "overlap": OverlapRequest,
    "transpose": TransposeRequest,
    "zoning": ZoningRequest,
    "coast": CoastRequest,
    "lattice": LatticeRequest,
    "getm": GetmRequest,
    "policies": PoliciesRequest,
    "helmholtz": HelmholtzRequest,
    "output": OutputRequest,
    "stream": StreamRequest,
    "pack": PackRequest,
}


def _measure(name: str, options: dict[str, Any]) -> int:
    """Run a benchmark on all ranks, started here if need be, and return the exit code."""
    from lapwing.machine.launch import on_ranks

    request = requests[name]

    def measure(world: Comm) -> int:
        try:
            shown = options["progress"] if world.rank == 0 else "none"
            asked = request(**options | {"ranks": world.size, "progress": shown})
            return int(import_module(f"lapwing_bench.{name}.benchmark").run(asked))
        except Exception as problem:  # of one rank perhaps, for which the others wait
            return end_together(world, problem, f"benchmark {name}", options["debug"])

    # one process finds what is wrong with the request before there are ranks, and only this one
    # knows whether there is a terminal
    return on_ranks(
        lambda: request(**options).ranks,
        measure,
        lambda: ["--progress", resolved(options["progress"])],
    )


benchmarks: dict[str, TyperCommand] = {
    name: command_of(request, name, partial(_measure, name)) for name, request in requests.items()
}
