"""The stages of the coast model in three dimensions against memory and divider of this machine.

How many bytes a stage must move follows from the fields that it declares to read and to write.
What copies them, as many as a step goes through, is measured alternating with the step, and so is a
loop of divisions: the slower of both is the limit.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

from lapwing import FieldSpec
from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_bench import _core
from lapwing_bench.coast.request import Work
from lapwing_bench.coast.sampling import VALUE, copier, sampled, step_times, stirred
from lapwing_bench.measure import columns
from lapwing_bench.measure.domains import on_domain
from lapwing_bench.measure.report import Result

FLAT, LAYERS = "flat", "layers"  # fields without layers, and with them
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
    "internal_pressure": "columns in chunks of 64: short rows that lie a layer apart",
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
    kind: str  # FLAT or LAYERS

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

    bandwidth: dict[str, float]  # bytes/s read and written, of fields of a kind
    division: float  # s
    root: float  # s

    def memory(self, stage: StageWork) -> float:
        """Seconds per cell to move its bytes. Local."""
        return stage.bytes_per_cell / self.bandwidth[stage.kind]

    def divider(self, stage: StageWork) -> float:
        """Seconds per cell to divide and take roots. Local."""
        divisions, roots = stage.dividing
        return divisions * self.division + roots * self.root

    def seconds(self, stage: StageWork) -> float:
        """The slower of both. Local."""
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
    cycle = [stage for stages in step.report.stages for stage in stages]
    sweeps = Counter(name for name, _, _ in cycle)
    for name, reads, writes in cycle:
        if name in STRIPS:
            continue
        distinct = [{spec.name: spec for spec in specs}.values() for specs in (reads, writes)]
        values = [_values(name, spec) for specs in distinct for spec in specs]
        levels = max(values)
        count = sweeps[name] // len(step.report.stages)
        found[name] = StageWork(name, count, levels, sum(values), FLAT if levels == 1 else LAYERS)
    return list(found.values())


def working_set(step: Any, flat: bool) -> int:
    """Values per column of all fields that the step goes through, or the stages without layers."""
    fields = {
        spec.name: max(1, spec.levels)
        for stages in step.report.stages
        for _, reads, writes in stages
        for spec in (*reads, *writes)
        if not flat or all(other.levels == 0 for other in (*reads, *writes))
    }
    return sum(fields.values())


def measure(work: Work) -> list[Result]:
    """Return the times of one sweep of each stage, a step, copies and divisions. Collective."""

    def measured(domain: Domain) -> list[Result]:
        coast = stirred(domain, work)
        stages = stages_of(coast.step)
        values = {
            kind: work.nx * work.ny * working_set(coast.step, kind == FLAT)
            for kind in (LAYERS, FLAT)
        }
        copies = {f"copy-{kind}": copier(count) for kind, count in values.items()}

        def take() -> dict[str, float]:
            times = {name: copy() for name, copy in copies.items()}
            times["division"], times["root"] = _core.time_divisions(DIVISION_ROUNDS)
            return times | _sweep_times(coast, stages, work.steps)

        samples = sampled(work, take)
        coast.check_state()
        return _results(work, stages, values, samples)

    return on_domain((work.nx, work.ny * MPI.COMM_WORLD.size), measured)


def _sweep_times(coast: Any, stages: list[StageWork], steps: int) -> dict[str, float]:
    """Return seconds of the whole step, of one sweep of each stage, and of all tracer advection."""
    spent = step_times(coast, steps)
    advection = sum(spent[stage.name] for stage in stages if is_advection(stage))
    sweeps = {stage.name: spent[stage.name] / stage.sweeps for stage in stages}
    return {"step": spent["step"], ADVECTION: advection} | sweeps


def is_advection(stage: StageWork) -> bool:
    """Whether the stage is one of the advection of a tracer. Local."""
    return bool(re.match(r"(temperature|salinity)_(interface|update)", stage.name))


def _results(
    work: Work, stages: list[StageWork], values: dict[str, int], samples: dict[str, list[float]]
) -> list[Result]:
    cells = work.nx * work.ny
    bandwidth = {kind: VALUE * n / median(samples[f"copy-{kind}"]) for kind, n in values.items()}
    limits = Limits(bandwidth, median(samples["division"]), median(samples["root"]))
    results = []
    for kind, count in values.items():
        extra = {"bandwidth": bandwidth[kind], "bytes": float(VALUE * count)}
        name = f"copy-{kind}"
        results.append(Result(f"{name}{work.name}", "numpy", samples[name], extra))
    for name in ("division", "root"):
        results.append(Result(f"{name}{work.name}", "vectors", samples[name]))
    for stage in stages:
        seconds = samples[stage.name]
        extra = _rates(cells * stage.levels, seconds, [(stage, 1)], limits)
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
        extra = _rates(cells * work.levels, samples[name], counted, limits)
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


def table(work: Work, results: list[Result]) -> Table:
    """The table of one work for people. Local."""
    by_name = {result.work.removesuffix(work.name): result for result in results}
    copies = [by_name[f"copy-{kind}"].extra for kind in (LAYERS, FLAT)]
    spoken = " and ".join(
        f"{c['bytes'] / 1e6:.1f} MB {c['bandwidth'] / 1e9:.1f} GB/s" for c in copies
    )
    division, root = (1e9 * by_name[name].median for name in ("division", "root"))
    return columns.table(
        [result for result in results if "cells_per_second" in result.extra],
        [
            ("sweeps", columns.number("sweeps")),
            ("Mcells/s", columns.number("cells_per_second", 1e-6, 1)),
            ("bytes/cell", columns.number("bytes_per_cell")),
            ("div+roots", _operations),
            ("limit", _limit),
            ("reached", columns.percent("roofline_share")),
        ],
        words=[("stage", lambda result: result.work.removesuffix(work.name))],
        title=f"Coast model, {work.nx} x {work.ny} x {work.levels} cells per core, "
        f"{work.samples} samples",
        caption=f"copying, read and written: {spoken} (stages without layers: cells are columns).\n"
        f"A division takes {division:.2f} ns, a square root {root:.2f} ns in vectors. Reached: of "
        "the slower of memory and divider.",
    )


def _operations(result: Result) -> str:
    if "sweeps" not in result.extra:
        return ""
    return f"{result.extra['divisions_per_cell']:.0f}+{result.extra['roots_per_cell']:.0f}"


def _limit(result: Result) -> str:
    if "sweeps" not in result.extra:
        return ""
    return "divider" if result.extra["by_divider"] else "memory"


def _values(stage: str, spec: FieldSpec) -> int:
    """Values that one column of a field has for a stage. Local."""
    if any(stage.startswith(s) and spec.name.startswith(f) for s, f in LOWEST_LAYER):
        return 1
    return max(1, spec.levels) * spec.components
