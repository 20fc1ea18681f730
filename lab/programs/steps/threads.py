"""One rank with threads against as many ranks: the same steps, alternating in one run, bit by bit.

mpiexec -n 2 python lab/programs/steps/threads.py [shallow|tide] [--size NXxNY] [--strategy S]
    [--turns N]

As many threads as there are ranks; while one rank steps with threads, the others sleep. Bind no
rank to a core: the threads need the cores of all.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from lapwing.base.error import OutsideError
from lapwing.core.domain import Domain, set_threads
from lapwing.core.mpi_runtime import start
from lapwing.model.case import geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run
from lapwing_lab import _core
from lapwing_lab._core import ShallowModel
from lapwing_lab.bench.measure.options import shape_like
from lapwing_lab.bench.models.shallow_water import first_flow
from mpi4py.MPI import COMM_SELF, Comm
from numpy.typing import NDArray

STEPS = 8  # of a turn


@dataclass(frozen=True)
class Way:
    """A model on a domain: runs steps, and returns its values on the box of this rank."""

    domain: Domain
    run: Callable[[int], object]
    values: Callable[[], NDArray[np.float64]]  # [y, x, ...]


def main() -> None:
    """Print seconds per step of both ways and their ratio. Collective."""
    options = asked()
    comm = start().COMM_WORLD
    make, usual, periodic = WORKS[options.work]
    size = shape_like("60x60")(options.size or usual)
    on_ranks, alone = make(Domain(size, comm=comm, periodic=periodic), options.strategy), None
    if comm.Get_rank() == 0:
        domain = Domain(size, comm=COMM_SELF, periodic=periodic)
        set_threads(domain, comm.Get_size())
        alone = make(domain, options.strategy)
    took: dict[str, list[float]] = {"ranks": [], "threads": []}
    for turn in range(options.turns + 1):
        for name, way in (("ranks", on_ranks), ("threads", alone)):
            seconds = timed(comm, way)
            if turn > 0:  # the first is to warm up
                took[name].append(seconds / STEPS)
    compare(comm, on_ranks, alone)
    if comm.Get_rank() == 0:
        report(options.work, options.strategy, comm.Get_size(), took)


def asked() -> argparse.Namespace:
    """Return the options of the command line. Local."""
    parser = argparse.ArgumentParser(description="Threads of one rank against ranks.")
    parser.add_argument("work", nargs="?", default="shallow", choices=tuple(WORKS))
    parser.add_argument("--size", help="cells along x and y", metavar="NXxNY")
    parser.add_argument("--strategy", default="deep:4+tiled")
    parser.add_argument("--turns", type=int, default=9)
    return parser.parse_args()


def timed(comm: Comm, way: Way | None) -> float:
    """Return the seconds of a turn on rank 0; ranks without a part in it sleep. Collective."""
    comm.Barrier()
    begin = time.perf_counter()
    if way is not None:
        way.run(STEPS)
    seconds = time.perf_counter() - begin
    over = comm.Ibarrier()
    while not over.Test():
        time.sleep(0.001)
    return seconds


def compare(comm: Comm, on_ranks: Way, alone: Way | None) -> None:
    """Raise OutsideError where the values differ. Collective."""
    parts = comm.gather((on_ranks.domain.box, on_ranks.values()))
    if alone is None or parts is None:
        return
    whole = alone.values()
    for box, values in parts:
        here = whole[box.lo[1] : box.hi[1], box.lo[0] : box.hi[0]]
        if here.tobytes() != values.tobytes():
            raise OutsideError(f"values on {box!r} differ between threads and ranks")


def report(work: str, strategy: str, number: int, took: dict[str, list[float]]) -> None:
    """Print a line for each way, and how many times as fast threads are. Local."""
    for name, seconds in took.items():
        least, middle = 1e3 * min(seconds), 1e3 * statistics.median(seconds)
        print(f"{work} {strategy} {number} {name}: least {least:.2f} ms, median {middle:.2f} ms")
    ratios = sorted(a / b for a, b in zip(took["ranks"], took["threads"], strict=True))
    low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    least = min(took["ranks"]) / min(took["threads"])
    middle = statistics.median(ratios)
    print(f"threads over ranks: {middle:.3f} ({low:.3f}-{high:.3f}), least {least:.3f}; same bits")


def shallow(domain: Domain, strategy: str) -> Way:
    """The model of `lapwing bench shallow-water` in float32. Collective."""
    nx, ny, _ = domain.partition.grid.size
    model, box = ShallowModel(nx, ny), domain.box
    method = _core.step_shallow(domain, model, False, strategy, "auto")
    method.begin(*first_flow(model, box))

    def values() -> NDArray[np.float64]:
        shape = (3, box.hi[1] - box.lo[1], box.hi[0] - box.lo[0])
        flow = np.empty(shape)
        method.read(*(one.ravel() for one in flow))
        return np.ascontiguousarray(np.moveaxis(flow, 0, -1))

    return Way(domain, method.run, values)


def tide(domain: Domain, strategy: str) -> Way:
    """The case kelvin. Collective."""
    nx, ny, _ = domain.partition.grid.size
    case = load_case("kelvin", installed_models(), (f"grid.cells_x={nx}", f"grid.cells_y={ny}"))
    run = create_run(
        case.model, domain, case.settings, geometry_of(case), strategy=strategy, transport="auto"
    )
    return Way(domain, run.advance, partial(_owned, domain, next(iter(run.state.values()))))


def _owned(domain: Domain, field: object) -> NDArray[np.float64]:
    """The values of a field on the box of this rank, rows first. Local."""
    return np.ascontiguousarray(np.squeeze(field[domain.box]).T)  # type: ignore[index]


# of each: how it is made, its cells, and whether it is periodic
WORKS: dict[str, tuple[Callable[[Domain, str], Way], str, bool | tuple[bool, bool]]] = {
    "shallow": (shallow, "3600x1800", (True, False)),
    "tide": (tide, "3000x3000", False),
}


if __name__ == "__main__":
    main()
