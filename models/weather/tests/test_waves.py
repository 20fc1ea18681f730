"""Cases with a known answer: Lamb waves, a balanced jet, Eady's growing wave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from atmosphere import growth_per_day
from lapwing_weather.air import GAS_CONSTANT, KAPPA
from lapwing_weather.initial import InitialAir
from lapwing_weather.levels import make_levels
from lapwing_weather.vertical_structure import vertical_structure
from numpy.typing import NDArray

MakeAir = Callable[..., Any]  # see atmosphere.py
Array = NDArray[np.float64]


def peak(row: Array) -> float:
    """Index of the maximum, by the parabola through the values around it."""
    i = int(row.argmax())
    before, here, after = row[i - 1 : i + 2]
    return float(i + 0.5 * (before - after) / (before - 2 * here + after))


def test_lamb_waves(make_air: MakeAir) -> None:
    """The bump travels at sqrt(R T / (1 - kappa)), and at the speed of the discrete mode."""
    air = make_air("gravity-wave")
    levels = make_levels(air.settings.levels)
    warmth = air.settings.initial.temperature
    mode = vertical_structure(levels, np.full(levels.count, warmth), 1e5).speeds()[0]
    lamb = np.sqrt(GAS_CONSTANT * warmth / (1 - KAPPA))
    places = []
    for steps in (90, 180):
        air.run.advance(steps)
        places.append(peak(air.get("pressure")[100:, 1]))
    speed = (places[1] - places[0]) * air.settings.grid.spacing_x / (180 * air.run.dt)
    print(f"speed {speed:.2f} m/s; Lamb {lamb:.2f} m/s, fastest discrete mode {mode:.2f} m/s")
    assert abs(speed / lamb - 1) < 0.02
    assert abs(speed / mode - 1) < 0.005
    assert abs(mode / lamb - 1) < 0.015


def test_standing_external_mode(make_air: MakeAir) -> None:
    """The external mode of the vertical structure swings as a leapfrog on a C-grid lets it."""
    air = make_air("gravity-wave", "initial.amplitude=0", "levels.shape=hybrid", "levels.top=100")
    speed, frequency, wave = air.put_external_mode(1e-4)
    steps = round(np.pi / frequency / air.run.dt)  # half a period
    air.run.advance(steps)
    after = np.log(air.get("pressure")[:, 1] / 1e5)
    expected = wave * np.cos(frequency * steps * air.run.dt)
    error = np.abs(after - expected).max() / 1e-4
    print(f"after half a period of {speed:.2f} m/s: largest error {error:.4f} of the amplitude")
    assert error < 0.02


def test_geostrophic_jet_stays(make_air: MakeAir) -> None:
    """Nothing changes by more than rounding, relative to the wind and the other fields."""
    air = make_air("geostrophic")
    before = {name: air.get(name) for name in air.run.newest()}
    scale = {name: np.abs(values).max() for name, values in before.items()}
    scale["wind_y"] = scale["wind_x"]
    for steps in (1, 199):
        air.run.advance(steps)
        change = {n: np.abs(air.get(n) - before[n]).max() / scale[n] for n in before}
        print({name: f"{value:.1e}" for name, value in change.items()})
        assert max(change.values()) < 1e-12
    assert np.ptp(before["pressure"]) > 1000


def test_growth_of_eadys_wave(make_air: MakeAir) -> None:
    air = make_air("jet-small")
    eady = InitialAir(air.settings).eady()
    growth, expected = growth_per_day(air, 2, 10), eady.growth() * 86400
    print(f"growth {growth:.4f} per day, Eady {expected:.4f}: ratio {growth / expected:.3f}")
    assert abs(growth / expected - 1) < 0.15


def test_short_waves_do_not_grow(make_air: MakeAir) -> None:
    """Beyond Eady's short-wave cutoff, mu = 2.4: the same flow on a third of the length."""
    air = make_air("jet-small", "grid.spacing_x=60e3", "time.step=75")
    eady = InitialAir(air.settings).eady()
    assert eady.mu() > 2.4
    assert eady.growth() == 0.0
    assert growth_per_day(air, 2, 8) < 0.02


def test_the_shipped_waves_are_the_fastest(make_air: MakeAir) -> None:
    """The lengths of the cases grow fastest in the channel, within a hundredth."""
    for case in ("jet-small", "jet"):
        settings = make_air(case).settings
        eady = InitialAir(settings).eady()
        k = np.linspace(0.3, 1.6, 131) * eady.wavenumber()
        mu = eady.deformation_radius * np.hypot(k, np.pi / eady.width)
        half = 0.5 * mu
        product = (1 / np.tanh(half) - half) * (half - np.tanh(half))
        growth = k * eady.wind_difference / mu * np.sqrt(np.maximum(product, 0))
        assert eady.growth() > 0.99 * growth.max()
