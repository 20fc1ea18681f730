"""The benchmarks behind `lapwing bench`: commands whose options are the fields of a request.

What measures is imported when a benchmark runs: listing the names must not load MPI.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import end_together
from lapwing.base.progress import resolved
from typer.core import TyperCommand, TyperGroup

from lapwing_lab.bench.measure.request import Request, command_of

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

# The benchmarks of a folder: its `request` has a class NameRequest for each, and a module of each
# name has a function `run`.
_FOLDERS = {
    "exchange": ("exchange", "auto"),
    "overlap": ("overlap",),
    "transpose": ("transpose", "helmholtz"),
    "stages": ("coast", "weather"),
    "lattice": ("lattice", "stream"),
    "partition": ("partition", "wet"),
    "models": (
        *("shallow-water", "acoustic", "diffusion", "miniweather", "by-hand", "zoning", "output"),
    ),
    "getm": ("getm", "policies"),
}
# Works of the benchmark `models`, each with options of its own; also by their names alone.
works = (
    *("acoustic", "diffusion", "miniweather", "by-hand", "zoning", "helmholtz", "wet"),
    *("getm", "policies"),
)
_FOLDER_OF = {name: folder for folder, names in _FOLDERS.items() for name in names}


def _request(name: str) -> type[Request]:
    kind = name.title().replace("-", "")
    module = import_module(f"lapwing_lab.bench.{_FOLDER_OF[name]}.request")
    found: type[Request] = getattr(module, f"{kind}Request")
    return found


requests = {name: _request(name) for name in _FOLDER_OF}


def _measure(name: str, options: dict[str, Any]) -> int:
    """Run a benchmark on all ranks, started here if need be, and return the exit code."""
    from lapwing.run.launch import on_ranks

    request = requests[name]

    def measure(world: Comm) -> int:
        from lapwing_lab.bench.measure.binding import bound_to_cores

        module = import_module(f"lapwing_lab.bench.{_FOLDER_OF[name]}.{name.replace('-', '_')}")
        try:
            shown = options["progress"] if world.rank == 0 else "none"
            asked = request(**options | {"ranks": world.size, "progress": shown})
            with bound_to_cores(world, wanted=request.BOUND):
                return int(module.run(asked))
        except Exception as problem:  # of one rank perhaps, for which the others wait
            return end_together(world, problem, f"benchmark {name}", options["debug"])

    # one process finds what is wrong with the request before there are ranks, and only this one
    # knows whether there is a terminal
    return on_ranks(
        lambda: request(**options).ranks,
        measure,
        lambda: ["--progress", resolved(options["progress"])],
    )


every: dict[str, TyperCommand | TyperGroup] = {
    name: command_of(request, name, partial(_measure, name)) for name, request in requests.items()
}
every["partitions"] = every["partition"]  # its name in results of 2026
every["models"] = TyperGroup(
    name="models",
    commands={name: every[name] for name in works},
    subcommand_metavar="WORK [OPTIONS]",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Run whole models and their parts: on lapwing, with MPI by hand, by other packages.",
)
listed = [name for name in every if name not in (*works, "partitions")]
