"""The timing of a step and its stages, alternating with copies of as many bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

from lapwing_lab.bench.stages.work import Work

VALUE = 8  # bytes of a float64


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
