"""Layers that are not equally thick: their shares, and what stays true in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.model.case import load_case
from lapwing_coast import model
from lapwing_coast.layers.layer_settings import VerticalSettings
from lapwing_coast.layers.stretching import centres_below, interfaces, shares
from numpy.typing import NDArray
from test_layered import CLOSED, SMALL, UNIFORM, values

MakeSea = Callable[..., Any]  # see conftest.py
Array = NDArray[np.float64]

GETM = ("vertical.stretching=getm", "vertical.ddl=1", "vertical.ddu=1.5")
ROMS = ("vertical.stretching=song_haidvogel", "vertical.theta_s=4", "vertical.theta_b=0.6")
SHCHEPETKIN = ("vertical.stretching=shchepetkin", "vertical.theta_s=2", "vertical.theta_b=1")
STRETCHED = [GETM, ROMS, SHCHEPETKIN]
VERTICALS = [
    VerticalSettings(),
    VerticalSettings("getm", ddl=1.0, ddu=1.5),
    VerticalSettings("getm", ddl=2.0),
    VerticalSettings("song_haidvogel", theta_s=4.0, theta_b=0.6),
    VerticalSettings("shchepetkin", theta_s=2.0, theta_b=1.0),
    VerticalSettings("shchepetkin"),
]


@pytest.mark.parametrize("vertical", VERTICALS)
def test_shares_of_the_depth(vertical: VerticalSettings) -> None:
    """They are above 0 and fill the column, to rounding."""
    for levels in (1, 2, 7, 30):
        sigma, of_depth = interfaces(vertical, levels), shares(vertical, levels)
        assert (sigma[0], sigma[-1]) == (-1.0, 0.0)
        assert of_depth.min() > 0.0
        assert abs(of_depth.sum() - 1.0) < 1e-15 * levels
        assert centres_below(vertical, levels) == pytest.approx(-0.5 * (sigma[1:] + sigma[:-1]))


def test_formulas_have_the_values_of_their_models() -> None:
    """In the middle of the column, by hand; and where zooming is the same on both sides."""
    getm = interfaces(VerticalSettings("getm", ddl=2.0, ddu=2.0), 4)
    assert getm[2] == pytest.approx(-0.5)
    assert getm[1] == pytest.approx((math.tanh(-1) + math.tanh(2)) / (2 * math.tanh(2)) - 1)
    song = interfaces(VerticalSettings("song_haidvogel", theta_s=4.0, theta_b=0.6), 2)[1]
    assert song == pytest.approx(0.4 * math.sinh(-2) / math.sinh(4) - 0.6 * 0.5)
    four = interfaces(VerticalSettings("shchepetkin", theta_s=2.0, theta_b=1.0), 2)[1]
    surface = (1 - math.cosh(1)) / (math.cosh(2) - 1)
    assert four == pytest.approx((math.exp(surface) - 1) / (1 - math.exp(-1)))
    assert shares(VerticalSettings("getm"), 5) == pytest.approx(0.2)


def below_surface(sea: Any) -> Array:
    """Return how far layers' centres are below the surface, in shares of the depth."""
    return centres_below(sea.settings.vertical, sea.settings.layers.levels)


def content(sea: Any, name: str) -> float:
    """Return tracer times thickness, summed over the grid."""
    water = values(sea, "sea_level") + sea.settings.depth.depth  # m
    of_depth = shares(sea.settings.vertical, sea.settings.layers.levels)
    return float((values(sea, name) * water[:, :, None] * of_depth).sum())


@pytest.mark.parametrize("vertical", STRETCHED)
def test_water_keeps_what_it_is_and_has(make_sea: MakeSea, vertical: tuple[str, ...]) -> None:
    """A constant keeps its bits, and content is conserved to 1e-12, in a basin that wind stirs."""
    sea = make_sea(SMALL, *CLOSED, *vertical, "forcing.heat=0", "initial.salinity=35")
    sea.run.state["salinity"][sea.domain.box] = 35.0
    before = content(sea, "temperature")
    sea.run.advance(200)
    sea.run.check_state()
    change = abs(content(sea, "temperature") / before - 1.0)
    print(f"{vertical[0]}: content changes by {change:.1e}")
    assert change < 1e-12
    assert np.ptp(values(sea, "salinity")) == 0.0
    assert values(sea, "temperature").std() > 0.1
    assert np.abs(values(sea, "flow_y")).max() > 0.01


@pytest.mark.parametrize("vertical", [(), *STRETCHED])
def test_a_lake_at_rest_over_a_steep_bottom(make_sea: MakeSea, vertical: tuple[str, ...]) -> None:
    """Without stratification not one bit moves; with it, less than 1 mm/s in a day.

    The depth of the bay as in its file, from 3 to 34 m, is not smoothed; it warms by 10 K from the
    bottom of the deepest water to the surface. The model leaves out the slope of density in the
    uppermost half layer, which is what moves.
    """
    still = (
        "tide.west.open=false",
        "tide.north.open=false",
        "tide.west.amplitude=[]",
        "tide.west.phase=[]",
        "tide.north.amplitude=[]",
        "tide.north.phase=[]",
        "tide.period=[]",
        "forcing.wind_x=0",
        "rivers.mouths=[]",
        "rivers.discharge=[]",
        "rivers.temperature=[]",
        "depth.steepest=0",
        "tracers.equation=linear",
        "layers.turbulence=constant",
        "layers.viscosity=0",
        "layers.diffusivity=0",
    )
    sea = make_sea("bay", *still, *vertical)
    sea.run.advance(20)
    for name in ("sea_level", "transport_x", "transport_y", "flow_x", "flow_y"):
        assert not values(sea, name).any()
    depth = sea.run.variables["depth"].field[sea.domain.box]
    height = -depth[:, :, None] * below_surface(sea)  # m
    sea.run.state["temperature"][sea.domain.box] = 15.0 + height / 3.4
    sea.run.advance(round(86400.0 / sea.run.dt))
    sea.run.check_state()
    fastest = max(np.abs(values(sea, f"velocity_{axis}")).max() for axis in "xy")  # m/s
    print(f"{vertical[:1]}: {1000 * fastest:.2f} mm/s")
    assert 0 < fastest < 1e-3


def test_thin_layers_hold_the_ekman_spiral(make_sea: MakeSea) -> None:
    """Within 3 % of the wind's speed at the surface, in the mean over inertial periods."""
    f, viscosity, stress, density, depth, levels = 1.2e-4, 0.01, 0.1, 1025.0, 60.0, 40
    sea = make_sea(
        SMALL,
        *CLOSED,
        *UNIFORM,
        "vertical.stretching=getm",
        "vertical.ddu=1",
        "grid.cells_x=6",
        "grid.cells_y=5",
        "grid.periodic_x=true",
        "grid.periodic_y=true",
        f"layers.levels={levels}",
        "layers.turbulence=constant",
        f"layers.viscosity={viscosity}",
        "layers.bottom_roughness=0",
        "physics.drag=0",
        f"forcing.wind_x={stress}",
    )
    sea.run.advance(round(4 * math.pi / f / sea.run.dt))
    steps = round(8 * math.pi / f / sea.run.dt)
    mean = np.zeros(levels, dtype=np.complex128)
    thickness = depth * shares(sea.settings.vertical, levels)  # m
    for _ in range(steps):
        sea.run.advance(1)
        flow = values(sea, "flow_x")[2, 2] + 1j * values(sea, "flow_y")[2, 2]
        mean += flow / thickness / steps
    z, length = -depth * below_surface(sea), math.sqrt(2 * viscosity / f)
    speed = stress / (density * math.sqrt(viscosity * f))  # m/s
    exact = speed * np.exp(z / length + 1j * (z / length - math.pi / 4))
    off = np.abs(mean - exact).max() / speed
    print(f"Ekman spiral in stretched layers: off by {100 * off:.2f} % of {speed:.3f} m/s")
    assert 0 < off < 0.03


def test_logarithmic_layer_of_the_channel(make_sea: MakeSea) -> None:
    """Within 6 % of u*/kappa ln((z + z0)/z0), under k-epsilon, with thin layers at the bottom."""
    sea = make_sea("channel", "vertical.stretching=getm", "vertical.ddl=1")
    sea.run.advance(1440)
    profile = values(sea, "velocity_x")[0, 0]
    depth, roughness = sea.settings.depth.depth, sea.settings.layers.bottom_roughness
    friction = np.sqrt(sea.settings.physics.gravity * depth * sea.settings.forcing.slope_x)
    height = depth * (1.0 - below_surface(sea))
    ratio = profile / (friction / 0.4 * np.log((height + roughness) / roughness))
    print(f"velocity over the logarithmic law: {ratio.min():.3f} to {ratio.max():.3f}")
    assert ratio == pytest.approx(1.0, abs=0.06)


def test_output_has_the_layers(make_sea: MakeSea) -> None:
    axis = make_sea(SMALL, *GETM).geometry.vertical
    sigma = interfaces(VerticalSettings("getm", ddl=1.0, ddu=1.5), 12)
    assert axis.tops == pytest.approx(sigma[1:])
    assert axis.values == pytest.approx(0.5 * (sigma[1:] + sigma[:-1]))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("vertical.stretching=sigma", "song_haidvogel"),
        ("vertical.ddl=1", r"vertical\.ddl.*stretching = 'equal'"),
        ("vertical.theta_b=2", r"vertical\.theta_b.*0 to 1"),
        ("vertical.theta_s=nan", r"vertical\.theta_s"),
        ("layers.levels=0", "layers.levels of 1 or more"),
    ],
)
def test_bad_settings_are_refused(change: str, named: str) -> None:
    stretching = "equal" if "ddl" in change else "song_haidvogel"
    with pytest.raises(UserError, match=named):
        load_case(SMALL, {"coast": model}, (f"vertical.stretching={stretching}", change))


def test_layers_without_water_are_refused() -> None:
    sets = ("vertical.stretching=shchepetkin", "vertical.theta_s=10", "layers.levels=60")
    with pytest.raises(UserError, match=r"a layer of .* of the depth"):
        load_case(SMALL, {"coast": model}, sets)


def test_same_bits_on_any_ranks(same_bits: Callable[..., None]) -> None:
    """In the bay, with its river, over a bottom that stretched layers follow."""
    same_bits("bay", *GETM)


def test_restart_has_the_same_bits(continued: Callable[..., Any]) -> None:
    continued(SMALL, *ROMS)
