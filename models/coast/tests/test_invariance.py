"""Changes that must keep the bits: rest, mirrors, transposition, a restart."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing_coast.settings import CoastSettings, TideSettings
from numpy.typing import NDArray

MakeSea = Callable[..., Any]  # see conftest.py
Array = NDArray[np.float64]
Wet = NDArray[np.bool_]

SHAPE = (47, 41)


def closed(settings: CoastSettings) -> CoastSettings:
    """The settings with walls all around."""
    return dataclasses.replace(settings, tide=TideSettings())


@pytest.fixture
def wet() -> Wet:
    """A sea with an island and a bay."""
    wet = np.ones(SHAPE, dtype=bool)
    wet[10:18, 12:20] = False
    wet[30:, :9] = False
    wet[35:40, 3:9] = True
    return wet


def disturbed(wet: Wet, seed: int) -> tuple[Array, Array, Array]:
    """Sea level (m) and transports (m2/s) of a wild sea, 0 on land and on closed faces."""
    random = np.random.default_rng(seed)
    level, x, y = (random.uniform(-1, 1, SHAPE) * scale * wet for scale in (1.0, 20.0, 20.0))
    x[:-1] *= wet[1:]
    y[:, :-1] *= wet[:, 1:]
    x[-1] = y[:, -1] = 0.0
    return level, x, y


def test_rest_stays_at_rest(make_sea: MakeSea, wet: Wet) -> None:
    """No tide, no motion, not one bit."""
    sea = make_sea("kelvin-small", change=closed, wet=wet)
    sea.run.advance(101)
    for values in (sea.level, sea.x, sea.y):
        assert not values.copy().view(np.int64).any()


def test_even_water_stays_at_rest(make_sea: MakeSea, wet: Wet) -> None:
    """A lifted but level surface moves nowhere, whatever the coast."""
    sea = make_sea("kelvin-small", change=closed, wet=wet)
    sea.put(0.25 * wet, np.zeros(SHAPE), np.zeros(SHAPE))
    sea.run.advance(100)
    assert not sea.x.any()
    assert not sea.y.any()
    assert np.array_equal(sea.level, 0.25 * wet)


def flip(values: Array, axis: int) -> Array:
    """Faces mirrored along their own axis: the last, closed one stays last."""
    return -np.roll(np.flip(values, axis), -1, axis)


@pytest.mark.parametrize("axis", [0, 1])
def test_mirror(make_sea: MakeSea, wet: Wet, axis: int) -> None:
    """A mirrored sea with the opposite Coriolis parameter gives the mirrored bits."""
    one = make_sea("kelvin-small", change=closed, wet=wet)
    other = make_sea(
        "kelvin-small", "physics.coriolis=-1.2e-4", change=closed, wet=np.flip(wet, axis)
    )
    level, x, y = disturbed(wet, 1)

    def mirrored(values: Array, along: int) -> Array:
        return flip(values, axis) if along == axis else np.flip(values, axis)

    one.put(level, x, y)
    other.put(np.flip(level, axis), mirrored(x, 0), mirrored(y, 1))
    for sea in (one, other):
        sea.run.advance(50)
        sea.run.check_state()
    assert np.array_equal(np.flip(one.level, axis), other.level)
    assert np.array_equal(mirrored(one.x, 0), other.x)
    assert np.array_equal(mirrored(one.y, 1), other.y)


def test_transposition(make_sea: MakeSea, wet: Wet) -> None:
    """With x and y swapped, f turned around and y momentum first, the bits are the same."""

    def swapped(settings: CoastSettings) -> CoastSettings:
        grid = dataclasses.replace(settings.grid, cells_x=SHAPE[1], cells_y=SHAPE[0])
        return closed(dataclasses.replace(settings, grid=grid))

    one = make_sea("kelvin-small", change=closed, wet=wet)
    other = make_sea("kelvin-small", "physics.coriolis=-1.2e-4", change=swapped, wet=wet.T)
    level, x, y = disturbed(wet, 2)
    one.put(level, x, y)
    other.put(level.T, y.T, x.T)
    other.run.resume(1)  # odd steps begin with y
    for sea in (one, other):
        sea.run.advance(50)
    assert np.array_equal(one.level.T, other.level)
    assert np.array_equal(one.x.T, other.y)
    assert np.array_equal(one.y.T, other.x)


@pytest.mark.parametrize("first", [40, 41])
def test_restart_carries_time_and_order(make_sea: MakeSea, first: int) -> None:
    """A run that stops at an even or odd step goes on as if it had not."""
    whole, part = make_sea("kelvin-small"), make_sea("kelvin-small")
    whole.run.advance(first)
    part.put(whole.level, whole.x, whole.y)
    part.run.resume(first)
    for sea in (whole, part):
        sea.run.advance(33)
    assert whole.run.step_number == part.run.step_number == first + 33
    for a, b in ((whole.level, part.level), (whole.x, part.x), (whole.y, part.y)):
        assert np.array_equal(a, b)
