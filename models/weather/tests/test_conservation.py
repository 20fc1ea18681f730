"""Conservation: mass, constants, its bits under shifts and restarts, the edges of an area."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing_weather._kernels import relaxation_weight

MakeAir = Callable[..., Any]  # see atmosphere.py

SIDES = {
    "walls": (),
    "channel": ("grid.periodic_x=true",),
    "torus": ("grid.periodic_x=true", "grid.periodic_y=true", "dynamics.beta=0"),
}


@pytest.mark.parametrize("sides", SIDES)
def test_mass_is_kept(make_air: MakeAir, sides: str) -> None:
    """To 1e-12 in 1000 steps of a low that whirls, whatever the sides; uniform humidity stays."""
    air = make_air("area-small", "boundary.relaxation=0", *SIDES[sides])
    air.put("humidity", np.full(air.get("humidity").shape, 0.005))
    before = air.get("pressure")
    air.run.advance(1000)
    air.run.check_state()
    after = air.get("pressure")
    change = after.sum() / before.sum() - 1
    print(
        f"mass changes by {change:.1e}, pressure of a cell by up to {np.ptp(after - before):.0f} Pa"
    )
    assert abs(change) < 1e-12
    assert np.abs(after - before).max() > 100
    assert np.abs(air.get("humidity") - 0.005).max() < 1e-15


def test_a_shift_keeps_the_bits(make_air: MakeAir) -> None:
    """In a channel that closes on itself, the origin of x is arbitrary."""
    plain, shifted = (make_air("jet-small", "dynamics.diffusion=1e16") for _ in range(2))
    for name in plain.run.newest():
        shifted.put(name, np.roll(plain.get(name), 7, axis=0))
    for air in (plain, shifted):
        air.run.advance(100)
    for name in plain.run.newest():
        assert np.array_equal(np.roll(plain.get(name), 7, axis=0), shifted.get(name))


@pytest.mark.parametrize("steps", [1, 2, 31, 33])
def test_a_restart_keeps_the_bits(make_air: MakeAir, steps: int) -> None:
    """At every position of the cycle, and while the filter is off."""
    whole, first, second = (make_air("area-small") for _ in range(3))
    whole.run.advance(steps + 17)
    first.run.advance(steps)
    for name, field in first.run.state.items():
        second.run.state[name][second.domain.box] = field[first.domain.box]
    second.run.resume(steps)
    second.run.advance(17)
    for name in whole.run.newest():
        assert np.array_equal(whole.get(name), second.get(name))


def test_variables_are_the_newest_state(make_air: MakeAir) -> None:
    air = make_air("area-small")
    for steps in (0, 1, 4):
        air.run.advance(steps)
        air.run.show()
        for name, shown in (("wind_y", "wind_y"), ("pressure", "surface_pressure")):
            values = air.run.variables[shown].field[air.domain.box]
            assert np.array_equal(values, air.get(name))
    height = np.array(air.run.variables["geopotential"].field[air.domain.box]) / 9.80665
    assert np.all(np.diff(height, axis=2) < 0)
    assert 14e3 < height[:, :, 0].min() < height[:, :, 0].max() < 20e3


def test_relaxation_weights() -> None:
    weights = [relaxation_weight(distance, 8) for distance in range(-1, 10)]
    assert weights[:2] == [1.0, 1.0]
    assert weights[9:] == [0.0, 0.0]
    assert weights[5] == pytest.approx(0.5)
    assert all(a >= b for a, b in itertools.pairwise(weights))


def test_edges_are_drawn_to_what_is_given(make_air: MakeAir) -> None:
    """The outermost points keep their bits, those next to them stay near, the middle goes on."""
    air = make_air("area-small")
    before = {name: air.get(name) for name in air.run.newest()}
    air.run.advance(360)
    air.run.check_state()
    for name, start in before.items():
        # the last faces along their axis have no cell beyond: walls behind the frame
        last_x, last_y = -2 if name == "wind_x" else -1, -2 if name == "wind_y" else -1
        change = np.abs(air.get(name) - start)
        for edge in (np.s_[0], np.s_[last_x], np.s_[:, 0], np.s_[:, last_y]):
            assert change[edge].max() == 0.0, name
        assert change[1:3, 5:-5].max() < change[9:-9, 9:-9].max()
        assert change[9:-9, 9:-9].max() > 0
    # without the frame the same area has walls, against which the wind blows
    walled = make_air("area-small", "boundary.relaxation=0")
    walled.run.advance(360)
    assert np.abs(walled.get("pressure") - before["pressure"])[0].max() > 50
