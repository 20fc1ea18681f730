"""Steps of shipped cases by several strategies that alternate, against the first of them.

mpiexec -n 2 python lab/programs/steps/orders.py [WORK ...] [--strategies blocking,tiled]
    [--samples 7] [--json FILE]

Prints for each work and strategy the least and the median time of a step on the slowest rank, and
how many times as fast as the first strategy it is: the median over the rounds, and of the least
times. All strategies must end with the same bits.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from lapwing.base.error import OutsideError
from lapwing.core.domain import Domain
from lapwing.core.mpi_runtime import start as start_mpi
from lapwing.core.partition import best_blocks, block_partition
from lapwing.core.versions import write_report
from lapwing.model.case import Case, geometry_of, load_case
from lapwing.model.model import Run
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run, step_of
from lapwing_lab.bench.measure.markdown import print_head, print_row
from lapwing_lab.bench.measure.options import several
from mpi4py import MPI

STRATEGIES = ("blocking", "tiled", "deep:4+tiled")
STEPS = 8  # of a sample, at least: whole passes and cycles
_SAMPLE = 0.1  # s, at least
# of each: the case, and its settings
WORKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tide-3000": ("kelvin", ("grid.cells_x=3000", "grid.cells_y=3000")),
    "tide-240": ("kelvin", ("grid.cells_x=240", "grid.cells_y=240")),
    "coast3d-240": ("kelvin3d", ()),
    "coast3d-60": ("kelvin3d", ("grid.cells_x=60", "grid.cells_y=60")),
    "weather-202": ("g40-functional", ()),
    "weather-120": ("overlap-120", ()),
    "lattice-128": (
        "taylor-green",
        ("grid.cells_x=128", "grid.cells_y=128", "grid.cells_z=128"),
    ),
}


@dataclass(frozen=True)
class Way:
    """A case by one strategy: its run, the domain, and what a step took in each round, s."""

    strategy: str
    run: Run
    domain: Domain
    taken: list[float] = field(default_factory=list)

    def seconds(self, steps: int) -> float:
        """Run some steps; the time of one on the slowest rank. Collective."""
        self.domain.mpi.Barrier()
        begin = perf_counter()
        self.run.advance(steps)
        mine = perf_counter() - begin
        return float(self.domain.mpi.allreduce(mine, MPI.MAX)) / steps

    def bits(self) -> str:
        """A number of the values of the state on this rank. Local."""
        digest = hashlib.sha256()
        for one in self.run.state.values():
            digest.update(np.ascontiguousarray(one[self.domain.box]).tobytes())
        return digest.hexdigest()


def main() -> None:
    """Measure and print. Collective."""
    parser = argparse.ArgumentParser(description="Steps of cases by several strategies.")
    parser.add_argument("works", nargs="*", default=tuple(WORKS), metavar="WORK")
    parser.add_argument("--strategies", type=several(str), default=STRATEGIES)
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    comm = start_mpi().COMM_WORLD
    results: list[dict[str, Any]] = []
    if comm.rank == 0:
        print_head("work", "strategy", "least ms", "median ms", "ratio", "of the least")
    for work in options.works:
        results += measured(work, options.strategies, options.samples, comm)
    if comm.rank == 0 and options.json is not None:
        write_report(options.json, "lapwing-bench-1", {"results": results})


def measured(work: str, strategies: Sequence[str], samples: int, comm: Any) -> list[dict[str, Any]]:
    """Alternate all strategies on one work, and print a row for each. Collective."""
    name, settings = WORKS[work]
    case = load_case(name, installed_models(), settings)
    ways = [made(case, strategy, comm) for strategy in strategies]
    steps = STEPS
    while steps * max(way.seconds(steps) for way in ways) < _SAMPLE:
        steps *= 2
    for number in range(samples):
        for way in ways if number % 2 == 0 else reversed(ways):
            way.taken.append(way.seconds(steps))
    require_same_bits(work, ways)
    results = [told(work, way, ways[0], comm.rank == 0) for way in ways]
    for way in ways:
        way.domain.close()
    ways.clear()
    gc.collect()
    return results


def made(case: Case, strategy: str, comm: Any) -> Way:
    """Put the case on all ranks. Collective."""
    geometry = geometry_of(case)
    partition = block_partition(geometry.grid, best_blocks(geometry.grid, comm.size))
    domain = Domain(partition, comm, axes=(geometry.x, geometry.y))
    run = create_run(
        case.model, domain, case.settings, geometry, strategy=strategy, transport="auto"
    )
    step_of(run, case.name)
    return Way(strategy, run, domain)


def require_same_bits(work: str, ways: Sequence[Way]) -> None:
    """Raise OutsideError where a strategy has other values than the first. Local."""
    for way in ways:
        if way.bits() != ways[0].bits():
            raise OutsideError(f"{work}: {way.strategy} has other bits than {ways[0].strategy}")


def told(work: str, way: Way, first: Way, is_root: bool) -> dict[str, Any]:
    """Return the result of a strategy as a benchmark writes it; printed on rank 0. Local."""
    ratios = [a / b for a, b in zip(first.taken, way.taken, strict=True)]
    least = min(first.taken) / min(way.taken)
    if is_root:
        print_row(
            work,
            way.strategy,
            f"{1e3 * min(way.taken):.4g}",
            f"{1e3 * median(way.taken):.4g}",
            f"{median(ratios):.3f} ({min(ratios):.3f}-{max(ratios):.3f})",
            f"{least:.3f}",
        )
    spread = {"median": median(way.taken), "min": min(way.taken), "max": max(way.taken)}
    extra = {"faster": median(ratios), "faster_least": least}
    return {"work": work, "method": way.strategy, "samples": way.taken, **spread, "extra": extra}


if __name__ == "__main__":
    main()
