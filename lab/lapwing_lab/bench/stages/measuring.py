"""The stages of a model's step against memory and divider of this machine.

How many bytes a stage must move follows from the fields that it declares to read and to write.
What copies them, as many as a step goes through, is measured alternating with the step, and so is a
loop of divisions: the slower of both is the limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from mpi4py import MPI

from lapwing_lab import _core
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.stages.demand import VALUE, Demand, Kernels, demands_of, working_set
from lapwing_lab.bench.stages.request import Work

DIVISION_ROUNDS = 200

Samples = dict[str, list[float]]


@dataclass(frozen=True)
class Limits:
    """The speeds of the machine in the same run."""

    bandwidth: dict[str, float]  # bytes/s read and written, of fields of a kind
    division: float  # s
    root: float  # s

    def memory(self, stage: Demand) -> float:
        """Seconds per cell to move its bytes. Local."""
        return stage.bytes_per_cell / self.bandwidth[stage.kind]

    def divider(self, stage: Demand) -> float:
        """Seconds per cell to divide and take roots. Local."""
        divisions, roots = stage.dividing
        return divisions * self.division + roots * self.root

    def seconds(self, stage: Demand) -> float:
        """The slower of both. Local."""
        return max(self.memory(stage), self.divider(stage))

    def per_column(self, stages: Sequence[Demand]) -> float:
        """Seconds of a step for a column of the box, in all sweeps of these stages. Local."""
        return sum(self.seconds(s) * s.sweeps * s.share * s.levels for s in stages)


def measure(work: Work, kernels: Kernels, create: Callable[[Domain, Work], Any]) -> list[Result]:
    """Return the times of one sweep of each stage, a step, copies and divisions. Collective.

    `create`: puts the model on a domain, in motion and warm. Collective.
    """

    def measured(domain: Domain) -> list[Result]:
        model = create(domain, work)
        stages = demands_of(model.step, kernels, work)
        values = {kind: work.columns * working_set(model.step, kind) for kind in work.kinds}
        values = {kind: count for kind, count in values.items() if count > 0}
        copies = {f"copy-{kind}": copier(n, warm=work.warm) for kind, n in values.items()}

        def take() -> dict[str, float]:
            times = {name: copy() for name, copy in copies.items()}
            times["division"], times["root"] = _core.time_divisions(DIVISION_ROUNDS)
            return times | _sweep_times(step_times(model, work.steps), stages, kernels)

        samples = sampled(work, take)
        model.check_state()
        return _results(work, kernels, stages, values, samples)

    return on_domain((work.nx, work.ny * MPI.COMM_WORLD.size), measured)


def _sweep_times(
    spent: dict[str, float], stages: list[Demand], kernels: Kernels
) -> dict[str, float]:
    """Return seconds of the whole step, of one sweep of each stage, and of their sums."""
    sums = {
        name: sum(spent[part.name] for part in parts)
        for name, parts in _parts(stages, kernels).items()
    }
    sweeps = {stage.name: spent[stage.name] / stage.sweeps for stage in stages}
    return {"step": spent["step"]} | sums | sweeps


def _results(
    work: Work, kernels: Kernels, stages: list[Demand], values: dict[str, int], samples: Samples
) -> list[Result]:
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
        extra = _stage_rates(work, stage, samples[stage.name], limits)
        name = f"{stage.name}{work.name}"
        results.append(Result(name, kernels.model, samples[stage.name], extra, part=True))
    for name, parts in (_parts(stages, kernels) | {"step": stages}).items():
        seconds = median(samples[name])
        share = work.columns * limits.per_column(parts) / seconds
        rates = {
            "cells_per_second": work.columns * max(1, work.levels) / seconds,
            "roofline_share": share,
        }
        results.append(Result(f"{name}{work.name}", kernels.model, samples[name], rates))
    return results


def _parts(stages: list[Demand], kernels: Kernels) -> dict[str, list[Demand]]:
    """The stages of each sum that this model has."""
    found = {
        name: [stage for stage in stages if belongs(stage.name)]
        for name, belongs in kernels.sums.items()
    }
    return {name: parts for name, parts in found.items() if parts}


def _stage_rates(
    work: Work, stage: Demand, samples: list[float], limits: Limits
) -> dict[str, float]:
    """The rate of one sweep, its share of what the machine allows, and why it allows no more."""
    rate = work.columns * stage.share * stage.levels / median(samples)
    return {
        "cells_per_second": rate,
        "roofline_share": rate * limits.seconds(stage),
        "bytes_per_cell": stage.bytes_per_cell,
        "divisions_per_cell": float(stage.dividing[0]),
        "roots_per_cell": float(stage.dividing[1]),
        "by_divider": float(limits.divider(stage) > limits.memory(stage)),
        "sweeps": float(stage.sweeps),
    }


# ---- timing


def step_times(model: Any, steps: int) -> dict[str, float]:
    """Seconds per step of the whole step and of each of its stages. Collective."""
    model.step.reset_times()
    begin = time.perf_counter()
    model.advance(steps)
    whole = time.perf_counter() - begin
    stages = zip(model.step.report.stage_names, model.step.report.times.compute, strict=True)
    return {"step": whole / steps} | {name: seconds / steps for name, seconds in stages}


def copier(values: int, *, warm: bool = False) -> Callable[[], float]:
    """A function that copies arrays of that many values in all; its result is seconds. Local.

    `warm`: it begins with a copy that is not timed.
    """
    source, target = np.ones(values // 2), np.zeros(values // 2)
    repeats = max(1, 10_000_000 // values)

    def copy() -> float:
        if warm:
            np.copyto(target, source)
        begin = time.perf_counter()
        for _ in range(repeats):
            np.copyto(target, source)
        return (time.perf_counter() - begin) / repeats

    return copy


def sampled(work: Work, take: Callable[[], dict[str, float]]) -> dict[str, list[float]]:
    """Take samples on the slowest rank by `take`; one more warms up. Collective."""
    samples = [take() for _ in range(1 + work.samples)][1:]
    largest = np.array([list(sample.values()) for sample in samples])
    MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, largest, MPI.MAX)
    return dict(zip(samples[0], largest.T.tolist(), strict=True))
