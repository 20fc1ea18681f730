"""The Kelvin wave: its speed and decay are known exactly."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MakeSea = Callable[..., Any]  # see conftest.py

SPACING = 2000.0  # m
DEPTH = 60.0  # m
SPEED = math.sqrt(9.81 * DEPTH)  # of long waves, m/s
RADIUS = SPEED / 1.2e-4  # Rossby radius: offshore decay length, m


def crest_times(levels: Array, dt: float) -> Array:
    """Time (s) of the highest level in [time, place], by a parabola through three samples."""
    top = levels.argmax(axis=0)
    place = np.arange(levels.shape[1])
    before, at, after = (levels[top + n, place] for n in (-1, 0, 1))
    return np.asarray(dt * (top + 0.5 * (before - after) / (before - 2 * at + after)))


def test_phase_speed_and_decay_length(make_sea: MakeSea) -> None:
    """Before the reflection returns, the wave from `kelvin-exact` is the exact one."""
    sea = make_sea("kelvin-exact")
    along = np.arange(238, 128, -1)  # cells southwards from the boundary: 0 to 220 km
    coast, offshore, samples = [], [], 9 * 60
    for _ in range(samples):
        sea.run.advance(3)  # 1 min
        coast.append(sea.level[0, along].copy())
        offshore.append(sea.level[:, 189].copy())  # 100 km south of the boundary
    sea.run.check_state()

    distance = (239 - along) * SPACING  # m
    slowness = np.polyfit(distance, crest_times(np.array(coast), 60.0), 1)[0]  # s/m
    assert abs(1 / slowness / SPEED - 1) < 0.03

    crest = np.array(offshore)[np.argmax(np.array(offshore)[:, 0])]  # m
    near = slice(0, 150)  # 300 km: there the wave still is a tenth of its height
    x = (np.arange(240) + 0.5) * SPACING  # m
    decay = -1 / np.polyfit(x[near], np.log(crest[near]), 1)[0]  # m
    assert abs(decay / RADIUS - 1) < 0.05
    for what, found, exact in (
        ("phase speed, m/s", 1 / slowness, SPEED),
        ("decay length, m", decay, RADIUS),
    ):
        print(f"{what}: {found:.6g}, exact {exact:.6g}, {100 * found / exact - 100:+.2f} %")


def test_wave_follows_the_right_hand_coast(make_sea: MakeSea) -> None:
    """In `kelvin` the tide enters along the western coast, to the right of who looks in."""
    sea = make_sea("kelvin")
    highest = np.zeros_like(sea.level)  # m
    for _ in range(int(9 * 3600 / 20 / 15)):
        sea.run.advance(15)
        np.maximum(highest, np.abs(sea.level), out=highest)
    west, middle, east = highest[0, 150], highest[120, 150], highest[-1, 150]
    assert west > 1.5 * middle
    assert west > 2.0 * east


def test_other_hemisphere_follows_the_other_coast(make_sea: MakeSea) -> None:
    """The sign of the Coriolis parameter mirrors the wave."""
    north = make_sea("kelvin-small")
    south = make_sea("kelvin-small", "physics.coriolis=-1.2e-4")
    for sea in (north, south):
        sea.run.advance(500)
    assert np.array_equal(north.level, south.level[::-1])
