"""The coast model in motion, and how it is timed alternating with copies of as many bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing_coast import CoastSettings, model
from lapwing_coast.layers.layer_settings import ForcingSettings, InitialSettings, LayerSettings
from lapwing_coast.settings import GridSettings, SideSettings, TideSettings
from mpi4py import MPI

from lapwing_bench.coast.request import Work

VALUE = 8  # bytes of a float64


def stirred(domain: Domain, work: Work) -> Any:
    """The model on the cells of `kelvin` or `kelvin3d` with a wave, so that nothing is at rest.

    Collective. With layers there are wind and two waters too, without them the sea is closed.
    """
    north = SideSettings(open=True, amplitude=[[0.5]], phase=[[90.0]])
    grid = GridSettings(cells_x=work.nx, cells_y=work.ny * domain.ranks)
    if work.levels:
        settings = CoastSettings(
            grid=grid,
            tide=TideSettings(north=north),
            layers=LayerSettings(levels=work.levels),
            initial=InitialSettings("two_layers", 15.0, 33.0, 10.0, 35.0),
            forcing=ForcingSettings(wind_x=0.05, heat=100.0),
        )
    else:
        settings = CoastSettings(grid=grid, tide=TideSettings(north=north, ramp=1e30))
    geometry = model.geometry(settings, Path())
    coast = model.create(domain, settings, geometry, strategy="blocking", transport="auto")
    wave = 0.1 if work.levels else 0.01  # per cell
    coast.state["sea_level"].set(lambda i, j: 0.1 * np.sin(wave * i) * np.cos(1.3 * wave * j))
    coast.advance(2)
    return coast


def step_times(coast: Any, steps: int) -> dict[str, float]:
    """Seconds per step of the whole step and of each of its stages. Collective."""
    coast.step.reset_times()
    begin = time.perf_counter()
    coast.advance(steps)
    whole = time.perf_counter() - begin
    stages = zip(coast.step.report.stage_names, coast.step.report.times.compute, strict=True)
    return {"step": whole / steps} | {name: seconds / steps for name, seconds in stages}


def copier(values: int) -> Callable[[], float]:
    """A function that copies arrays of that many values in all; its result is seconds. Local."""
    source, target = np.ones(values // 2), np.zeros(values // 2)
    repeats = max(1, 10_000_000 // values)

    def copy() -> float:
        begin = time.perf_counter()
        for _ in range(repeats):
            np.copyto(target, source)
        return (time.perf_counter() - begin) / repeats

    return copy


def sampled(work: Work, take: Callable[[], dict[str, float]]) -> dict[str, list[float]]:
    """What `take` finds on the slowest rank, sample by sample; one more warms up. Collective."""
    samples = [take() for _ in range(1 + work.samples)][1:]
    largest = np.array([list(sample.values()) for sample in samples])
    MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, largest, MPI.MAX)
    return dict(zip(samples[0], largest.T.tolist(), strict=True))
