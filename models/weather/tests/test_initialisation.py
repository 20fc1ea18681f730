"""Digital-filter initialisation: fast waves go by the filter's formula, what is balanced stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from atmosphere import DIGESTS, Atmosphere
from lapwing.base.error import StateError, UserError
from lapwing.core.domain import Domain, Field
from lapwing_weather import _kernels
from lapwing_weather.digital_filter import (
    dolph_response,
    dolph_ripple,
    dolph_weights,
    lanczos_weights,
    response,
)
from lapwing_weather.initialisation import copy_fields
from lapwing_weather.weather_run import numbers
from model_runs import RunOnRanks, digests_on
from numpy.typing import NDArray

MakeAir = Callable[..., Any]  # see atmosphere.py
Array = NDArray[np.float64]

FILTER = "initialisation.method=digital_filter"
SEMI_LAGRANGIAN = ("time.scheme=semi-implicit", "dynamics.advection=semi-lagrangian")
LONG = (*SEMI_LAGRANGIAN, "time.step=300", "dynamics.diffusion_scheme=implicit")


@pytest.mark.parametrize("half", [1, 5, 90])
def test_weights_are_those_of_the_formulas(half: int) -> None:
    """Their sum is 1, they are even, and the response is Chebyshev's polynomial."""
    edge = np.pi / half * 0.9
    frequencies = np.linspace(0.0, np.pi, 400)
    for weights in (lanczos_weights(half, edge), dolph_weights(half, edge)):
        assert len(weights) == 2 * half + 1
        assert abs(weights.sum() - 1.0) < 1e-14
        assert np.allclose(weights, weights[::-1], rtol=0, atol=1e-15)
    found = response(dolph_weights(half, edge), frequencies)
    assert np.allclose(found, dolph_response(half, edge, frequencies), rtol=0, atol=1e-12)
    beyond = np.abs(found[frequencies >= edge])
    assert beyond.max() <= dolph_ripple(half, edge) * (1 + 1e-9)


def test_a_sinc_in_its_window() -> None:
    """The formula at one place, by hand, and half of a wave at the cutoff where spans are long."""
    weights = lanczos_weights(3, np.pi / 2)
    assert np.isclose(weights[4] / weights[3], (1 / np.pi) / 0.5 * np.sin(np.pi / 4) / (np.pi / 4))
    assert np.isclose(weights[5], 0.0, atol=1e-15)
    assert abs(response(lanczos_weights(400, 0.3), 0.3) - 0.5) < 0.01


def standing_wave(make_air: MakeAir, *sets: str) -> tuple[Atmosphere, float, Array]:
    """A Lamb wave of still air; its frequency (1/s) in continuous time, and ln ps / 1e5 Pa."""
    air = make_air("gravity-wave", "initial.amplitude=0", "grid.periodic_y=false", *sets)
    _, frequency, wave = air.put_external_mode(1e-5)
    return air, frequency, wave


def left_of(air: Atmosphere, wave: Array) -> float:
    """Share of the standing wave in the surface pressure."""
    found = np.log(air.get("pressure")[:, 1] / 1e5)
    return float(found @ wave / (wave @ wave))


@pytest.mark.parametrize("window", ["dolph", "lanczos"])
@pytest.mark.parametrize("cells", [40, 120, 400, 1200])
def test_an_oscillation_is_damped_as_the_formula_says(
    make_air: MakeAir, window: str, cells: int
) -> None:
    """Periods of 50 min to 25 h, as the leapfrog has them, by a filter of 3 h."""
    sets = (FILTER, f"initialisation.window={window}", f"grid.cells_x={cells}", "time.filter=0")
    air, frequency, wave = standing_wave(make_air, *sets, "levels.count=4")
    air.run.initialise()
    dt, half = air.run.dt, air.settings.initialisation_steps
    make = {"dolph": dolph_weights, "lanczos": lanczos_weights}[window]
    weights = make(half, 2 * np.pi * dt / air.settings.initialisation.cutoff)
    expected = float(response(weights, np.arcsin(frequency * dt)))
    found = left_of(air, wave)
    period = 2 * np.pi / frequency / 60
    print(f"{window}: period {period:.0f} min, left {found:.5f}, formula {expected:.5f}")
    assert abs(found - expected) < 5e-4
    if cells == 40:
        assert abs(found) < 0.11
    if cells == 1200:
        assert found > 0.97


def test_bits_without_it_are_those_of_the_state(make_air: MakeAir) -> None:
    """Off by default: nothing is touched, and nothing a second time or after a restart."""
    air = make_air("area-small")
    before = air.get("pressure")
    air.run.initialise()
    assert np.array_equal(air.get("pressure"), before)
    filtered = make_air("area-small", FILTER)
    filtered.run.resume(0)
    filtered.run.initialise()
    assert np.array_equal(filtered.get("pressure"), before)


def test_it_is_done_once(make_air: MakeAir) -> None:
    sets = (FILTER, "initialisation.span=20min", "initialisation.cutoff=20min")
    one, other = make_air("area-small", *sets), make_air("area-small", *sets)
    one.run.initialise()
    one.run.initialise()
    for air in (one, other):
        air.run.advance(3)
    for name in one.run.newest():
        assert np.array_equal(one.get(name), other.get(name))


def noise(air: Atmosphere, steps: int = 6) -> float:
    """Mean size of the change of surface pressure in the first steps, Pa/s."""
    changes = []
    before = air.get("pressure")
    for _ in range(steps):
        air.run.advance(1)
        after = air.get("pressure")
        changes.append(np.abs(after - before).mean() / air.run.dt)
        before = after
    return float(np.mean(changes))


def noise_and_change(
    make_air: MakeAir, *sets: str, error: float = 0.0
) -> tuple[float, float, dict[str, float]]:
    """Noise (Pa/s) without and with the filter, and the rms that it changes in each field.

    `error`: of the surface pressure before, Pa rms, away from the frame.
    """
    plain, filtered = make_air("area-small", *sets), make_air("area-small", FILTER, *sets)
    errors = np.zeros_like(plain.get("pressure"))
    inner = errors[9:-9, 9:-9]
    inner += error * np.random.default_rng(1).standard_normal(inner.shape)
    for air in (plain, filtered):
        air.put("pressure", air.get("pressure") + errors)
    filtered.run.initialise()
    names = plain.run.newest()
    change = {n: float(np.std(filtered.get(n) - plain.get(n))) for n in names}
    return noise(plain), noise(filtered), change


@pytest.mark.parametrize(("scheme", "factor"), [((), 8), (LONG, 5)])
@pytest.mark.parametrize("window", ["dolph", "lanczos"])
def test_an_unbalanced_start_becomes_quiet(
    make_air: MakeAir, scheme: Sequence[str], factor: float, window: str
) -> None:
    """A low with errors of 100 Pa rms in its surface pressure, each cell's its own.

    What is left is the change of the low itself: as much as without errors.
    """
    sets = (*scheme, f"initialisation.window={window}")
    before, after, change = noise_and_change(make_air, *sets, error=100.0)
    _, clean, _ = noise_and_change(make_air, *sets)
    found = [f"{1e3 * one:.1f}" for one in (before, after, clean)]
    print(f"{window}: before, after, after without errors: {found} mPa/s; {change}")
    assert after < before / factor
    assert after < 1.25 * clean


def test_a_low_near_balance_changes_little(make_air: MakeAir) -> None:
    """As shipped: its winds by less than a twentieth of the strongest, its pressure by less."""
    before, after, change = noise_and_change(make_air)
    print(f"{1e3 * before:.1f} mPa/s before, {1e3 * after:.1f} after: {change}")
    assert after < before
    assert change["wind_x"] < 0.75  # m/s rms, of 15
    assert change["pressure"] < 100.0  # Pa rms, of 2000


def test_a_balanced_jet_is_kept(make_air: MakeAir) -> None:
    air = make_air("geostrophic", FILTER)
    before = {name: air.get(name) for name in air.run.newest()}
    air.run.initialise()
    scale = {name: np.abs(values).max() for name, values in before.items()}
    scale["wind_y"] = scale["wind_x"]
    change = {n: np.abs(air.get(n) - before[n]).max() / scale[n] for n in before}
    print({name: f"{value:.1e}" for name, value in change.items()})
    assert max(change.values()) < 1e-11


def stepped_back(air: Atmosphere, steps: int) -> Array:
    """The wind along y of the newest state, steps earlier, by a model of negative steps."""
    given = numbers(air.settings)
    given.time_step = -given.time_step
    model = _kernels.WeatherModel(air.domain, given, "blocking", "auto")
    for number in range(3):
        fields = [Field(air.domain, one) for one in model.state(number)]
        copy_fields(air.domain, list(air.run.newest().values()), fields)
    model.advance(steps)
    return np.array(Field(air.domain, model.state(model.newest)[1])[air.domain.box])


@pytest.mark.parametrize(
    ("scheme", "most"),
    [((), 1e-3), (("time.scheme=semi-implicit",), 3e-3), (SEMI_LAGRANGIAN, 0.1)],
)
def test_steps_go_back_as_they_came(make_air: MakeAir, scheme: Sequence[str], most: float) -> None:
    """Leapfrogs find their way back; cubics through departure points damp on both ways."""
    air = make_air("jet-small", "time.filter=0", "initial.amplitude=2", *scheme)
    start = air.get("wind_y")
    air.run.advance(40)
    moved = np.abs(air.get("wind_y") - start).max()
    error = np.abs(stepped_back(air, 40) - start).max() / moved
    print(f"{scheme}: changes {moved:.3f} m/s, {error:.2e} of which is left after the way back")
    assert error < most


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (["initialisation.span=0"], r"initialisation.span: got 0 s"),
        (["initialisation.span=60"], r"initialisation.span: got 60 s with steps of 60 s; .*120 s"),
        (["initialisation.span=3h", "initialisation.step=7"], r"a multiple of two steps"),
        (["initialisation.cutoff=120"], r"initialisation.cutoff: got 120 s with .*longer than two"),
        (["initialisation.cutoff=4h"], r"initialisation.cutoff: got 14400 s .*at most the span"),
        (["initialisation.step=100"], r"initialisation.step: got 100 s; expected at most 75"),
        (["initialisation.step=-5"], r"initialisation.step: got -5 s"),
        (["initialisation.method=nmi"], r"initialisation.method: .*digital_filter"),
        (["initialisation.window=box"], r"initialisation.window: .*lanczos"),
    ],
)
def test_bad_settings(make_air: MakeAir, sets: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_air("area-small", FILTER, *sets)


def test_diffusion_is_not_undone() -> None:
    domain = Domain((10, 10))
    settings = _kernels.WeatherSettings()
    settings.levels.a, settings.levels.b = [0.0, 0.0], [0.0, 1.0]
    settings.time_step, settings.diffusion = -60.0, 1e14
    with pytest.raises(UserError, match=r"diffusion: got 1e\+14 m4/s with a time step of -60 s"):
        _kernels.WeatherModel(domain, settings, "blocking", "p2p")
    domain.close()


def test_a_state_that_turns_bad_on_the_way(make_air: MakeAir) -> None:
    air = make_air("area-small", FILTER)
    air.put("temperature", np.where(air.get("temperature") > 280, 900.0, 280.0))
    with pytest.raises(StateError, match="in the initialisation"):
        air.run.initialise()


@pytest.mark.parametrize("scheme", [(), (*LONG, "time.groups=2")])
def test_ranks_and_strategies(run_on_ranks: RunOnRanks, scheme: Sequence[str]) -> None:
    sets = (FILTER, "initialisation.span=40min", "initialisation.cutoff=40min", *scheme)
    digests: set[str] = set()
    for ranks, strategies in ((1, ("blocking", "6s")), (2, ("dataflow",)), (3, ("deep:2",))):
        digests |= digests_on(run_on_ranks, ranks, DIGESTS, "area-small", *sets, *strategies)
    assert len(digests) == 1


@pytest.mark.ranks
def test_edges_of_a_file(lapwing: Callable[..., Any], tmp_path: Path) -> None:
    """They are held on the way; who reads them changes no bit, and a restart filters nothing."""
    every = ("--set", "output.every=10min", "--set", "output.precision=double")
    drive = ("run", "area-small", *every, "--set", "boundary.relaxation=0")
    assert lapwing(*drive, "--set", "run.duration=20min", "--out", "drive").code == 0
    sets = (FILTER, "initialisation.span=20min", "initialisation.cutoff=20min")
    file = f"boundary.file={tmp_path / 'drive/output.nc'}"
    asked = [part for one in (*sets, file, "run.duration=20min") for part in ("--set", one)]
    for out, how in (("one", ()), ("served", ("--ranks", "3", "--io-ranks", "1"))):
        answer = lapwing("run", "area-small", *every, *asked, *how, "--out", out)
        assert answer.code == 0, answer.err
        assert "initialisation: dolph filter, 10 steps of 1 min back and 20 forward" in answer.out
    for name in ("output.nc", "restart.lapwing"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "served" / name).read_bytes()
    half = ("--set", "run.duration=10min", "--out", "half")
    assert lapwing("run", "area-small", *every, *asked, *half).code == 0
    restart = ("--restart", "half/restart.lapwing", "--out", "on")
    assert lapwing("run", "area-small", *every, *asked, *restart).code == 0
    restarts = [(tmp_path / out / "restart.lapwing").read_bytes() for out in ("one", "on")]
    assert restarts[0] == restarts[1]
