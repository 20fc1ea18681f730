"""The stages of the coast model in three dimensions against memory and divider of this machine.

How many bytes a stage must move follows from the fields that it declares to read and to write.
What copies them, as many as a step goes through, is measured in turns with the step, and so is a
loop of divisions: the later of both is the limit.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from lapwing import FieldSpec
from lapwing.base.table import make_table
from lapwing.core.domain import Domain
from lapwing_coast import CoastSettings, model
from lapwing_coast.layers.layer_settings import ForcingSettings, InitialSettings, LayerSettings
from lapwing_coast.layers.layered_run import LayeredRun
from lapwing_coast.settings import GridSettings, SideSettings, TideSettings
from mpi4py import MPI
from rich.table import Table

from lapwing_bench import _core
from lapwing_bench.coast.request import Work
from lapwing_bench.measure.report import Result

VALUE = 8  # bytes of a float64
ADVECTION = "tracer_advection"  # all interfaces and updates of both tracers together
DIVISION_ROUNDS = 200

# Declared with all layers, as fields are, but read in the lowest one only: stage, field.
LOWEST_LAYER = (("bottom_drag", "flow"), ("slow_terms", "flow"))

# Computes a strip of cells at a side of the grid: a rate per cell of the box would say nothing.
STRIPS = ("open_boundary",)

# Divisions and square roots in double precision per cell of a sweep, counted in the kernels; by
# what the names of stages begin with, behind that of a tracer. Others divide once per column at
# most.
DIVIDING = {
    "interface": (2, 0),  # Courant number; what is left of the cell behind
    "update": (1, 0),  # by the new thickness
    "mix": (1, 0),  # elimination
    "layer_momentum": (1, 0),  # elimination
    "turbulence": (3, 2),  # elimination of both; time scale, closure; length limit, closure
    "buoyancy": (1, 1),  # secant bulk modulus; salinity^3/2
    "momentum_advection": (0, 0),
    "momentum": (1, 0),  # implicit friction; its root is in single precision
    "bottom_drag": (2, 1),  # and one log1p, which has no vector form here
    "slow_terms": (0, 0),
}


# Why a stage may stay under LEAST of its limit, said under the table where it does.
LEAST = 0.25
ARITHMETIC = "arithmetic besides: "
REASONS = {
    "bottom_drag": "a logarithm per column, which has no vector form with the same bits",
    "buoyancy": ARITHMETIC + "polynomials of EOS-80, some 80 operations per cell",
    "turbulence": ARITHMETIC
    + "some 120 operations per cell; elimination waits for the layer below",
    "momentum_advection": ARITHMETIC + "six upwind fluxes, some 40 operations per cell",
    "layer_momentum": "five passes over a chunk of columns; elimination waits for the layer below",
    "mix": "up and down a chunk of columns; elimination waits for the layer below",
    "interface": ARITHMETIC + "limiter and choices of the upwind side, some 35 operations per cell",
    "tracer_flow": "a pass per fractional step, each along rows of one layer that lie far apart",
    "internal_pressure": "columns in chunks of 32: short rows that lie a layer apart",
    "carrying_speeds": "adds every layer to four sums of a row; rows of a column lie a layer apart",
    "sum_advection": "once a step: its fields come from further away than those of the copy",
    "layers": "writes far more than it reads, which a copy does not",
}


@dataclass(frozen=True)
class StageWork:
    """What one sweep of a stage over a column of cells takes at least."""

    name: str
    sweeps: int  # in a step
    levels: int  # cells of a column that it computes; 1: only depth-integrated fields
    values: int  # read and written, of a column
    flat: bool

    @property
    def bytes_per_cell(self) -> float:
        """What must move between memory and core when nothing stays in the caches."""
        return VALUE * self.values / self.levels

    @property
    def dividing(self) -> tuple[int, int]:
        """Divisions and square roots per cell."""
        return next((ops for start, ops in DIVIDING.items() if is_kind(self.name, start)), (0, 0))


@dataclass(frozen=True)
class Limits:
    """What the machine gave in the same run."""

    bandwidth: dict[bool, float]  # bytes/s read and written, of [flat] fields
    division: float  # s
    root: float  # s

    def memory(self, stage: StageWork) -> float:
        """Seconds per cell to move its bytes. Local."""
        return stage.bytes_per_cell / self.bandwidth[stage.flat]

    def divider(self, stage: StageWork) -> float:
        """Seconds per cell to divide and take roots. Local."""
        divisions, roots = stage.dividing
        return divisions * self.division + roots * self.root

    def seconds(self, stage: StageWork) -> float:
        """The later of both. Local."""
        return max(self.memory(stage), self.divider(stage))


def is_kind(stage: str, start: str) -> bool:
    """Whether the name of a stage begins so, behind that of a tracer. Local."""
    return re.sub(r"^(temperature|salinity)_", "", stage).startswith(start)


def reasons_of(work: Work, results: list[Result]) -> list[str]:
    """Why stages stay under LEAST of their limit, in words, with their share of a step. Local."""
    step = next(result.median for result in results if result.work == f"step{work.name}")
    found = []
    for result in results:
        name, extra = result.work.removesuffix(work.name), result.extra
        if "sweeps" in extra and extra["roofline_share"] < LEAST:
            spent = extra["sweeps"] * result.median / step
            kinds = (why for start, why in REASONS.items() if is_kind(name, start))
            why = next(kinds, "not known")
            found.append(f"{name} ({100 * spent:.1f} % of the step): {why}")
    return found


def stages_of(step: Any) -> list[StageWork]:
    """What each stage of a step must do, from what it declares; by name. Local."""
    found: dict[str, StageWork] = {}
    cycle = [stage for stages in step.stages for stage in stages]
    sweeps = Counter(name for name, _, _ in cycle)
    for name, reads, writes in cycle:
        if name in STRIPS:
            continue
        columns = [_values(name, spec) for spec in (*_distinct(reads), *_distinct(writes))]
        levels = max(columns)
        count = sweeps[name] // len(step.stages)
        found[name] = StageWork(name, count, levels, sum(columns), levels == 1)
    return list(found.values())


def working_set(step: Any, flat: bool) -> int:
    """Values per column of all fields that the step goes through, or the stages without layers."""
    fields = {
        spec.name: max(1, spec.levels)
        for stages in step.stages
        for _, reads, writes in stages
        for spec in (*reads, *writes)
        if not flat or all(other.levels == 0 for other in (*reads, *writes))
    }
    return sum(fields.values())


def measure(work: Work) -> list[Result]:
    """Return the times of one sweep of each stage, a step, copies and divisions. Collective."""
    domain = Domain((work.nx, work.ny * MPI.COMM_WORLD.Get_size()))
    coast = _stirred(domain, work)
    stages = stages_of(coast.step)
    columns = work.nx * work.ny
    copies = {flat: copier(columns * working_set(coast.step, flat)) for flat in (False, True)}
    samples: dict[str, list[float]] = {}
    for turn in range(-1, work.samples):  # the first turn warms up
        times = {f"copy-{_kind(flat)}": copies[flat]() for flat in copies}
        times["division"], times["root"] = _core.time_divisions(DIVISION_ROUNDS)
        times |= _step_times(coast, stages, work.steps)
        for name, seconds in times.items() if turn >= 0 else ():
            samples.setdefault(name, []).append(seconds)
    coast.check_state()
    sizes = {flat: VALUE * columns * working_set(coast.step, flat) for flat in (False, True)}
    domain.close()
    slowest = {name: slowest_of(seconds) for name, seconds in samples.items()}
    return _results(work, stages, sizes, slowest)


def _stirred(domain: Domain, work: Work) -> LayeredRun:
    """The cells of `kelvin3d` with a wave, wind and two waters, so that nothing is at rest."""
    settings = CoastSettings(
        grid=GridSettings(cells_x=work.nx, cells_y=work.ny * domain.ranks),
        tide=TideSettings(north=SideSettings(open=True, amplitude=[[0.5]], phase=[[90.0]])),
        layers=LayerSettings(levels=work.levels),
        initial=InitialSettings("two_layers", 15.0, 33.0, 10.0, 35.0),
        forcing=ForcingSettings(wind_x=0.05, heat=100.0),
    )
    geometry = model.geometry(settings, Path())
    coast = LayeredRun(domain, settings, geometry, strategy="blocking", transport="auto")
    coast.state["sea_level"].set(lambda i, j: 0.1 * np.sin(0.1 * i) * np.cos(0.13 * j))
    coast.advance(2)
    return coast


def _step_times(coast: LayeredRun, stages: list[StageWork], steps: int) -> dict[str, float]:
    """Return seconds of the whole step, of one sweep of each stage, and of all tracer advection."""
    coast.step.reset_times()
    begin = time.perf_counter()
    coast.advance(steps)
    whole = (time.perf_counter() - begin) / steps
    spent = dict(zip(coast.step.stage_names, coast.step.times.compute, strict=True))
    advection = sum(spent[stage.name] for stage in stages if is_advection(stage)) / steps
    sweeps = {stage.name: spent[stage.name] / (steps * stage.sweeps) for stage in stages}
    return {"step": whole, ADVECTION: advection} | sweeps


def is_advection(stage: StageWork) -> bool:
    """Whether the stage is one of the advection of a tracer. Local."""
    return bool(re.match(r"(temperature|salinity)_(interface|update)", stage.name))


def copier(values: int) -> Callable[[], float]:
    """Return a function that copies arrays of that many values in all; its result is seconds."""
    source, target = np.ones(values // 2), np.zeros(values // 2)
    repeats = max(1, 10_000_000 // values)

    def copy() -> float:
        begin = time.perf_counter()
        for _ in range(repeats):
            np.copyto(target, source)
        return (time.perf_counter() - begin) / repeats

    return copy


def slowest_of(seconds: list[float]) -> list[float]:
    """Return the largest of all ranks, sample by sample. Collective."""
    largest = np.empty(len(seconds))
    MPI.COMM_WORLD.Allreduce(np.array(seconds), largest, MPI.MAX)
    return [float(one) for one in largest]


def _results(
    work: Work, stages: list[StageWork], sizes: dict[bool, int], samples: dict[str, list[float]]
) -> list[Result]:
    bandwidth = {
        flat: size / median(samples[f"copy-{_kind(flat)}"]) for flat, size in sizes.items()
    }
    limits = Limits(bandwidth, median(samples["division"]), median(samples["root"]))
    columns = work.nx * work.ny
    results = [
        Result(f"copy-{_kind(flat)}{work.name}", "numpy", samples[f"copy-{_kind(flat)}"],
               {"bandwidth": bandwidth[flat], "bytes": float(sizes[flat])})
        for flat in sizes
    ]  # fmt: skip
    for name in ("division", "root"):
        results.append(Result(f"{name}{work.name}", "vectors", samples[name]))
    for stage in stages:
        seconds = samples[stage.name]
        extra = _rates(columns * stage.levels, seconds, [(stage, 1)], limits)
        extra |= {
            "bytes_per_cell": stage.bytes_per_cell,
            "divisions_per_cell": float(stage.dividing[0]),
            "roots_per_cell": float(stage.dividing[1]),
            "by_divider": float(limits.divider(stage) > limits.memory(stage)),
            "sweeps": float(stage.sweeps),
        }
        results.append(Result(f"{stage.name}{work.name}", "coast", seconds, extra))
    for name, parts in ((ADVECTION, [s for s in stages if is_advection(s)]), ("step", stages)):
        counted = [(stage, stage.sweeps) for stage in parts]
        extra = _rates(columns * work.levels, samples[name], counted, limits)
        results.append(Result(f"{name}{work.name}", "coast", samples[name], extra))
    return results


def _rates(
    cells: int, seconds: list[float], parts: list[tuple[StageWork, int]], limits: Limits
) -> dict[str, float]:
    """The rate at which so many cells went through all parts, and its share of what they allow."""
    columns = {stage: cells for stage, _ in parts}
    layers = max(stage.levels for stage in columns)
    least = sum(limits.seconds(s) * n * cells * s.levels / layers for s, n in parts)  # s
    rate = cells / median(seconds)
    return {"cells_per_second": rate, "roofline_share": least / median(seconds)}


def _kind(flat: bool) -> str:
    return "flat" if flat else "layers"


def table(work: Work, results: list[Result]) -> Table:
    """The table of one work for people. Local."""
    by_name = {result.work.removesuffix(work.name): result for result in results}
    copies = [by_name[f"copy-{kind}"].extra for kind in ("layers", "flat")]
    spoken = " and ".join(
        f"{c['bytes'] / 1e6:.1f} MB {c['bandwidth'] / 1e9:.1f} GB/s" for c in copies
    )
    division, root = (1e9 * by_name[name].median for name in ("division", "root"))
    found = make_table(
        ("stage",),
        ("sweeps", "Mcells/s", "bytes/cell", "div+roots", "limit", "reached"),
        title=f"Coast model, {work.nx} x {work.ny} x {work.levels} cells per core, "
        f"{work.samples} samples",
        caption=f"copying, read and written: {spoken} (stages without layers: cells are columns).\n"
        f"A division takes {division:.2f} ns, a square root {root:.2f} ns in vectors. Reached: of "
        "the later of memory and divider.",
    )
    for name, result in by_name.items():
        if "cells_per_second" in result.extra:
            _add_row(found, name, result.extra)
    return found


def _add_row(found: Table, name: str, extra: dict[str, float]) -> None:
    said = ["", "", ""]
    if "sweeps" in extra:
        operations = f"{extra['divisions_per_cell']:.0f}+{extra['roots_per_cell']:.0f}"
        by = "divider" if extra["by_divider"] else "memory"
        said = [f"{extra['bytes_per_cell']:.0f}", operations, by]
    found.add_row(
        name,
        f"{extra['sweeps']:.0f}" if "sweeps" in extra else "",
        f"{extra['cells_per_second'] / 1e6:.1f}",
        *said,
        f"{100 * extra['roofline_share']:.0f} %",
    )


def _values(stage: str, spec: FieldSpec) -> int:
    """Values that one column of a field has for a stage. Local."""
    if any(stage.startswith(s) and spec.name.startswith(f) for s, f in LOWEST_LAYER):
        return 1
    return max(1, spec.levels) * spec.components


def _distinct(specs: list[FieldSpec]) -> list[FieldSpec]:
    return list({spec.name: spec for spec in specs}.values())
