"""Semi-implicit steps: as the explicit ones where those can go, and four times as long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from atmosphere import DIGESTS, growth_per_day
from lapwing.base.error import UserError
from lapwing_weather.levels import make_levels
from lapwing_weather.vertical_structure import vertical_structure
from lapwing_weather.weather_run import longest_time_step
from model_runs import RunOnRanks, digests_on

MakeAir = Callable[..., Any]  # see atmosphere.py

IMPLICIT = "time.scheme=semi-implicit"


def four_times(make_air: MakeAir, case: str) -> str:
    """A time step of four times what explicit steps can take, rounded up to divide a day."""
    longest = longest_time_step(make_air(case).settings)
    return f"time.step={86400 / int(86400 / (4.0 * longest)):.17g}"


def test_a_wave_grows_as_with_explicit_steps(make_air: MakeAir) -> None:
    explicit = growth_per_day(make_air("jet-small"), 2, 10)
    step = four_times(make_air, "jet-small")
    implicit = growth_per_day(make_air("jet-small", IMPLICIT, step), 2, 10)
    print(f"{step} s: growth {implicit:.4f} per day, explicit {explicit:.4f}")
    assert abs(implicit / explicit - 1) < 0.02


def test_a_slow_gravity_wave_keeps_its_speed(make_air: MakeAir) -> None:
    """A standing wave of the second vertical mode, at four times the explicit step."""
    sets = ("dynamics.coriolis=0", "initial.amplitude=0", "grid.periodic_y=false")
    step = four_times(make_air, "gravity-wave")
    air = make_air("gravity-wave", *sets, IMPLICIT, step)
    levels, grid = make_levels(air.settings.levels), air.settings.grid
    reference = np.full(levels.count, air.settings.initial.temperature)
    structure = vertical_structure(levels, reference, 1e5)
    squares, vectors = np.linalg.eig(structure.matrix)
    order = np.argsort(np.real(squares))[::-1]
    speed, divergence = np.sqrt(np.real(squares[order[1]])), np.real(vectors[:, order[1]])
    temperature = structure.tau @ divergence
    temperature *= 0.01 / np.abs(temperature).max()  # K
    x = float(structure.nu @ divergence) * 0.01 / np.abs(structure.tau @ divergence).max()
    k = 4 * np.pi / (grid.cells_x * grid.spacing_x)
    wave = np.cos(k * (np.arange(grid.cells_x) + 0.5) * grid.spacing_x)[:, None]
    air.put("pressure", 1e5 * np.exp(wave * x) * np.ones((1, grid.cells_y)))
    base = air.settings.initial.temperature
    air.put("temperature", base + wave[:, :, None] * temperature * np.ones((1, grid.cells_y, 1)))
    layer = int(np.abs(temperature).argmax())
    amplitudes = []
    for _ in range(round(1.2 * np.pi / (k * speed) / air.run.dt)):
        air.run.advance(1)
        row = air.get("temperature")[:, 1, layer] - base
        amplitudes.append(float(row @ wave[:, 0]))
    signs = np.array(amplitudes)
    first = int(np.argmax(signs * signs[0] < 0))  # the first past a quarter of a period
    zero = first + signs[first - 1] / (signs[first - 1] - signs[first])
    found = 0.5 * np.pi / (zero * air.run.dt) / k
    print(f"{step} s: second mode at {found:.2f} m/s, {speed:.2f} m/s in the linear operators")
    assert abs(found / speed - 1) < 0.02


def test_air_is_neither_lost_nor_won(make_air: MakeAir) -> None:
    air = make_air("jet-small", IMPLICIT, four_times(make_air, "jet-small"))
    before = air.get("pressure").sum()
    air.run.advance(1000)
    assert abs(air.get("pressure").sum() / before - 1) < 1e-12


def test_short_steps_are_those_of_the_explicit_scheme(make_air: MakeAir) -> None:
    """The correction is of second order in the step: at a quarter of it, a sixteenth, about."""
    differences = []
    for step in (100.0, 25.0):
        ways = [
            make_air("jet-small", f"time.step={step}", "time.filter=0", *sets)
            for sets in ((), (IMPLICIT,))
        ]
        for air in ways:
            air.run.advance(round(36000 / step))
        winds = [air.get("wind_y") for air in ways]
        differences.append(np.abs(winds[0] - winds[1]).max())
    print(f"largest differences of the wind: {differences} m/s")
    assert differences[1] < differences[0] / 8


def test_bits_do_not_depend_on_threads(run_on_ranks: RunOnRanks) -> None:
    """LAPACK takes other ways with more threads, from about a hundred levels on."""
    asked = ("jet-small", IMPLICIT, "levels.count=100", "grid.cells_x=12", "blocking")
    digests: set[str] = set()
    for threads in ("1", "2"):
        environment = {"OPENBLAS_NUM_THREADS": threads}
        digests |= digests_on(run_on_ranks, 1, DIGESTS, *asked, environment=environment)
    assert len(digests) == 1


def test_walls_along_y_are_needed(make_air: MakeAir) -> None:
    with pytest.raises(UserError, match=r"grid.periodic_y: got true with time.scheme"):
        make_air("gravity-wave", IMPLICIT)


@pytest.mark.slow
def test_ranks_and_strategies(run_on_ranks: RunOnRanks) -> None:
    digests: set[str] = set()
    for ranks in (1, 2, 3, 4, 6, 9):
        strategies = ["blocking", "dataflow"]
        if ranks in (1, 4):
            strategies += ["6s", "edge-first", "deep:2"]
        asked = ("jet-small", IMPLICIT, "time.groups=2", *strategies)
        digests |= digests_on(run_on_ranks, ranks, DIGESTS, *asked)
    assert len(digests) == 1
