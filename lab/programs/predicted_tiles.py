"""Steps of two models with and without tiles: measured here, and predicted for a machine.

python lab/programs/predicted_tiles.py [--machine FILE] [--works tide-3000x3000,...]
    [--strategies blocking,tiled,deep(4)+tiled] [--samples 7] [--json FILE]

Strategies alternate, some steps to a sample, on the ranks that mpiexec started or on one.
The prediction prices the task lists of the same steps. Prints the least time of a step, the
prediction, and how far off its ratio to the first strategy is.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from lapwing.core._core import RankOutline, outline_of
from lapwing.core.domain import Domain
from lapwing.core.mpi_runtime import start as start_mpi
from lapwing.core.partition import Grid, best_blocks, block_partition
from lapwing.core.versions import write_report
from lapwing.model.case import geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run, step_of
from lapwing_lab import _core
from lapwing_lab.bench.measure.markdown import print_head, print_row
from lapwing_lab.bench.measure.options import several, shape_like
from lapwing_lab.bench.models.shallow_water import first_flow
from lapwing_lab.machine.charges import stage_charges
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.predict.events import forecast_of
from lapwing_lab.predict.outlines import Outlines

WORKS = ("tide-3000x3000", "tide-240x240", "shallow-3600x1800", "shallow-360x180")
STRATEGIES = ("blocking", "tiled", "deep(4)+tiled")
MACHINE = Path(__file__).parent / "machines" / "epyc-2-cores.toml"  # that measured the kept results
STEPS = 8  # of a sample, at least: whole passes and cycles
_SAMPLE = 0.05  # s, at least


@dataclass(frozen=True)
class Made:
    """A model that is ready to step, and what its stages are charged as."""

    model: str
    stages: tuple[str, ...]
    step: Any
    advance: Callable[[int], None]
    begin: Callable[[], None] = lambda: None  # with the first flow: later ones may be slower
    holds: Any = None


@dataclass(frozen=True)
class Compared:
    """A work by one strategy: s per step, of the slowest rank."""

    work: str
    strategy: str
    samples: list[float]
    predicted: float

    def faster(self, first: Compared) -> tuple[float, float]:
        """The measured and the predicted speed-up over another strategy. Local."""
        return min(first.samples) / min(self.samples), first.predicted / self.predicted


def firsts(rows: Sequence[Compared]) -> dict[str, Compared]:
    """The first row of each work, which the others are compared with. Local."""
    return {row.work: row for row in reversed(rows)}


def main() -> None:
    """Print a row for each work and strategy."""
    parser = argparse.ArgumentParser(description="Predicted and measured steps of tiles.")
    parser.add_argument("--machine", default=str(MACHINE))
    parser.add_argument("--works", type=several(str), default=WORKS)
    parser.add_argument("--strategies", type=several(str), default=STRATEGIES)
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    comm = start_mpi().COMM_WORLD
    rows = []
    for work in options.works:
        rows += compare(work, options.strategies, options.samples, options.machine, comm)
    if comm.rank == 0:
        tell(rows)
        if options.json is not None:
            write(options.json, rows)


def compare(
    work: str, strategies: Sequence[str], samples: int, machine: str, comm: Any
) -> list[Compared]:
    """Measure and predict a work by every strategy. Collective."""
    domain, make = subject(work, comm)
    made = {strategy: make(strategy) for strategy in strategies}
    times = {strategy: list[float]() for strategy in strategies}
    steps = {strategy: steps_of_sample(one, comm) for strategy, one in made.items()}
    for _ in range(samples):
        for strategy, one in made.items():
            times[strategy].append(seconds(one, steps[strategy], comm))
    rows = [
        Compared(work, strategy, times[strategy], predicted(one, domain, machine, comm))
        for strategy, one in made.items()
    ]
    made.clear()
    gc.collect()
    domain.close()
    return rows


def subject(work: str, comm: Any) -> tuple[Domain, Callable[[str], Made]]:
    """The domain of a work, and what makes its model for a strategy. Collective."""
    name, _, size = work.partition("-")
    x, y = shape_like("60x60")(size)
    grid = Grid((x, y), periodic=name == "shallow" and (True, False))
    domain = Domain(block_partition(grid, best_blocks(grid, comm.size)), comm)
    return domain, partial(shallow if name == "shallow" else tide, domain, (x, y))


def tide(domain: Domain, size: tuple[int, int], strategy: str) -> Made:
    """The tide of a channel. Collective."""
    sized = (f"grid.cells_x={size[0]}", f"grid.cells_y={size[1]}")
    case = load_case("kelvin", installed_models(), sized)
    geometry = geometry_of(case)
    run = create_run(
        case.model, domain, case.settings, geometry, strategy=strategy, transport="auto"
    )
    stages = ("momentum_x", "momentum_y", "continuity")
    return Made("coast", stages, step_of(run, case.name), run.advance, holds=run)


def shallow(domain: Domain, size: tuple[int, int], strategy: str) -> Made:
    """The model of `lapwing bench shallow-water` in float32. Collective."""
    model = _core.ShallowModel(*size)
    method = _core.step_shallow(domain, model, False, strategy, "auto")
    begin = partial(method.begin, *first_flow(model, domain.box))
    return Made("shallow-water", ("sweep",), method.step, method.run, begin, method)


def steps_of_sample(one: Made, comm: Any) -> int:
    """Steps that take long enough to be timed, the same on all ranks; warms up. Collective."""
    steps = STEPS
    seconds(one, steps, comm)
    while steps * seconds(one, steps, comm) < _SAMPLE:
        steps *= 2
    return steps


def seconds(one: Made, steps: int, comm: Any) -> float:
    """The time of a step on the slowest rank. Collective."""
    one.begin()
    one.advance(STEPS)
    comm.Barrier()
    begin = perf_counter()
    one.advance(steps)
    mine = (perf_counter() - begin) / steps
    return float(max(comm.allgather(mine)))


def predicted(one: Made, domain: Domain, machine: str, comm: Any) -> float:
    """The step of the same task lists on a machine. Collective."""
    outlines = [
        RankOutline.of(data) for data in comm.allgather(outline_of(one.step, domain).data())
    ]
    peers = [np.array(outline.peers, dtype=np.intp) for outline in outlines]
    loaded = load_machine(machine)
    box = np.subtract(domain.box.hi, domain.box.lo)[:2].tolist()
    charges = stage_charges(loaded, one.model, box, one.stages)
    size = domain.box.shape
    owned = comm.allgather((int(np.prod(size)), int(np.prod(size[1:]))))
    everyone = Outlines(outlines, np.arange(len(outlines)), peers, owned)
    return float(forecast_of(loaded, None, everyone, charges).step)


def tell(rows: Sequence[Compared]) -> None:
    """Print all rows, in Markdown. Local."""
    print_head(
        "work", "strategy", "measured ms", "predicted ms", "off", "ratio", "predicted", "off"
    )
    for row in rows:
        least = min(row.samples)
        ratio, told = row.faster(firsts(rows)[row.work])
        print_row(
            row.work,
            row.strategy,
            f"{1e3 * least:.4g}",
            f"{1e3 * row.predicted:.4g}",
            f"{row.predicted / least - 1:+.0%}",
            f"{ratio:.2f}",
            f"{told:.2f}",
            f"{told / ratio - 1:+.0%}",
        )


def write(file: Path, rows: Sequence[Compared]) -> None:
    """Write the rows as a benchmark writes its results. Local."""
    results = []
    for row in rows:
        faster, told = row.faster(firsts(rows)[row.work])
        extra = {"predicted": row.predicted, "faster": faster, "predicted_faster": told}
        spread = {"median": float(np.median(row.samples)), "min": min(row.samples)}
        spread["max"] = max(row.samples)
        named = {"work": row.work, "method": row.strategy, "samples": row.samples}
        results.append(named | spread | {"extra": extra})
    write_report(file, "lapwing-bench-1", {"results": results})


if __name__ == "__main__":
    main()
