"""Mixing along the layers: its rates, what it keeps, and its limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.model.case import load_case
from lapwing_coast import model
from numpy.typing import NDArray
from test_layered import CLOSED, SMALL, UNIFORM, values

MakeSea = Callable[..., Any]  # see conftest.py
Array = NDArray[np.float64]

SHAPE = (20, 6)
SPACING = 1000.0  # m
# nothing but what mixes along the layers
STILL = (
    *CLOSED,
    *UNIFORM,
    "grid.cells_x=20",
    "grid.cells_y=6",
    f"grid.spacing_x={SPACING}",
    f"grid.spacing_y={SPACING}",
    "layers.turbulence=constant",
    "layers.viscosity=0",
    "layers.diffusivity=0",
    "layers.bottom_roughness=0",
    "tracers.equation=linear",
    "tracers.thermal_expansion=0",
    "tracers.haline_contraction=0",
    "forcing.wind_x=0",
    "physics.coriolis=0",
    "physics.drag=0",
    "time.step=20s",
)
STEPS = 50


def cosine(n: int) -> Array:
    """Return half a wave between two walls: the slowest that decays."""
    return np.asarray(np.cos(np.pi * (np.arange(n) + 0.5) / n))


def kept(coefficient: float, n: int, dt: float) -> float:
    """Return what the steps leave of `cosine`: 1 - dt K (2 sin(pi/2n)/dx)^2 of it in each."""
    return float((1.0 - dt * coefficient * (2 * np.sin(np.pi / (2 * n)) / SPACING) ** 2) ** STEPS)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_cosine_of_temperature_decays(make_sea: MakeSea, axis: int) -> None:
    """At the rate of the difference equation, to rounding, and near the one of the differential."""
    sea = make_sea(SMALL, *STILL, "mixing.diffusivity=500", "time.micro_steps=10")
    n = SHAPE[axis]
    start = np.broadcast_to(np.expand_dims(cosine(n), 1 - axis), SHAPE)
    temperature = sea.run.state["temperature"]
    temperature[sea.domain.box] = np.repeat((10.0 + start)[:, :, None], 12, axis=2)
    sea.run.advance(STEPS)
    left = kept(500.0, n, sea.run.dt)
    wave = values(sea, "temperature") - 10.0
    off = np.abs(wave - left * start[:, :, None]).max()
    print(f"cosine along axis {axis}: {left:.6f} left, off by {off:.1e}")
    assert left < 0.95
    assert off < 1e-12
    exact = np.exp(-500.0 * (np.pi / (n * SPACING)) ** 2 * STEPS * sea.run.dt)
    assert left == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_cosine_of_velocity_decays(make_sea: MakeSea, axis: int) -> None:
    """A flow along a channel with walls that do not hold it."""
    along, n = 1 - axis, SHAPE[axis]
    sea = make_sea(
        SMALL,
        *STILL,
        "mixing.viscosity=500",
        "time.micro_steps=1",
        f"grid.periodic_{'xy'[along]}=true",
    )
    start = np.broadcast_to(np.expand_dims(0.1 * cosine(n), along), SHAPE)  # m/s
    transport, layers = 60.0 * start, np.repeat((5.0 * start)[:, :, None], 12, axis=2)  # m2/s
    sea.run.state[f"transport_{'xy'[along]}"][sea.domain.box] = transport
    sea.run.state[f"flow_{'xy'[along]}"][sea.domain.box] = layers
    sea.run.advance(STEPS)
    left = kept(500.0, n, sea.run.dt)
    off = np.abs(values(sea, f"flow_{'xy'[along]}") - left * layers).max()
    print(f"flow across axis {axis}: {left:.6f} left, off by {off:.1e} m2/s")
    assert left < 0.999
    assert off < 1e-11
    assert np.abs(values(sea, "sea_level")).max() < 1e-12


def test_content_is_conserved_and_no_extreme_is_made(make_sea: MakeSea) -> None:
    """Around an island: to 1e-13, with the largest diffusivity."""
    limit = 1000.0**2 / (4 * 200.0)
    wet = np.ones(SHAPE, dtype=bool)
    wet[8:11, 2:4] = False
    sea = make_sea(SMALL, *STILL, f"mixing.diffusivity={limit}", "time.micro_steps=10", wet=wet)
    random = np.random.default_rng(3)
    start = random.uniform(5.0, 15.0, (*SHAPE, 12))
    sea.run.state["temperature"][sea.domain.box] = start
    sea.run.advance(200)
    after = values(sea, "temperature")
    change = abs(after[wet].sum() / start[wet].sum() - 1.0)
    print(f"content changes by {change:.1e}")
    assert change < 1e-13
    assert np.array_equal(after[~wet], start[~wet])
    assert start[wet].min() <= after[wet].min()
    assert after[wet].max() <= start[wet].max()
    assert np.ptp(after[wet]) < 0.5 * np.ptp(start)


def test_uniform_water_keeps_its_bits_on_a_sphere(make_sea: MakeSea) -> None:
    """In the bay, whose tide, river and coasts move the water about."""
    sea = make_sea(
        "bay",
        "mixing.diffusivity=100",
        "mixing.smagorinsky=0.2",
        "rivers.mouths=[]",
        "rivers.discharge=[]",
        "rivers.temperature=[]",
    )
    sea.run.advance(12)
    sea.run.check_state()
    assert np.abs(values(sea, "flow_x")).max() > 1e-3
    assert np.ptp(values(sea, "salinity")) == 0.0


def test_smagorinsky_calms_a_wild_flow(make_sea: MakeSea) -> None:
    """The energy of noise falls faster, and the depth mean stays as the transports are."""
    random = np.random.default_rng(5)
    noise = np.zeros(SHAPE)
    noise[:-1] = random.uniform(-1, 1, (SHAPE[0] - 1, SHAPE[1]))
    left = []
    for coefficient in (0.0, 0.3):
        sea = make_sea(SMALL, *STILL, f"mixing.smagorinsky={coefficient}")
        shape = np.linspace(-1, 1, 12)  # no depth mean: the surface stays nearly at rest
        sea.run.state["flow_x"][sea.domain.box] = noise[:, :, None] * shape
        sea.run.advance(20)
        sea.run.check_state()
        left.append(float((values(sea, "flow_x") ** 2).sum()))
    assert 0 < left[1] < 0.95 * left[0]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("mixing.viscosity=-1", "mixing.viscosity"),
        ("mixing.diffusivity=nan", "mixing.diffusivity"),
        ("mixing.smagorinsky=-0.1", "mixing.smagorinsky"),
        ("layers.levels=0", "layers.levels of 1 or more"),
    ],
)
def test_bad_settings_are_refused(change: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        load_case(SMALL, {"coast": model}, ("mixing.viscosity=1", change))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("mixing.viscosity=1e6", r"horizontal viscosity.* 0 to \d+"),
        ("mixing.diffusivity=1e6", r"horizontal diffusivity.* 0 to \d+"),
        ("mixing.smagorinsky=2", "Smagorinsky"),
    ],
)
def test_unstable_mixing_is_refused(make_sea: MakeSea, change: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        make_sea(SMALL, change)


def test_same_bits_on_any_ranks(same_bits: Callable[..., None]) -> None:
    """With all that mixes, over a sphere, with a river."""
    same_bits(
        "bay",
        "mixing.viscosity=50",
        "mixing.smagorinsky=0.2",
        "mixing.diffusivity=100",
    )


def test_restart_has_the_same_bits(continued: Callable[..., Any]) -> None:
    continued(SMALL, "mixing.viscosity=50", "mixing.smagorinsky=0.2", "mixing.diffusivity=100")
