"""The benchmarks behind `lapwing bench`: commands whose options are the fields of a request.

What measures is imported when a benchmark runs: listing the names must not load MPI.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import end_together
from lapwing.base.progress import resolved
from typer.core import TyperCommand

from lapwing_lab.bench.measure.request import Request, command_of

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

# Each is a folder: its `request` has a class NameRequest, its `benchmark` a function `run`.
_NAMES = (
    *("exchange", "auto", "overlap", "transpose", "zoning", "coast", "lattice", "getm"),
    *("policies", "helmholtz", "output", "stream", "shallow-water", "by-hand", "acoustic"),
    *("miniweather", "diffusion", "wet", "partitions", "weather"),
)


def _module(name: str, part: str) -> ModuleType:
    return import_module(f"lapwing_lab.bench.{name.replace('-', '_')}.{part}")


def _request(name: str) -> type[Request]:
    kind = name.title().replace("-", "")
    found: type[Request] = getattr(_module(name, "request"), f"{kind}Request")
    return found


requests = {name: _request(name) for name in _NAMES}


def _measure(name: str, options: dict[str, Any]) -> int:
    """Run a benchmark on all ranks, started here if need be, and return the exit code."""
    from lapwing.run.launch import on_ranks

    request = requests[name]

    def measure(world: Comm) -> int:
        try:
            shown = options["progress"] if world.rank == 0 else "none"
            asked = request(**options | {"ranks": world.size, "progress": shown})
            return int(_module(name, "benchmark").run(asked))
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
