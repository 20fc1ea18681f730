"""The coast in three dimensions: what it keeps, what it makes, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import StateError, UserError
from lapwing.core.domain import Domain
from lapwing.model.case import load_case
from lapwing.run.creation import create_run
from lapwing_coast import model
from numpy.typing import NDArray

MakeSea = Callable[..., Any]  # see conftest.py
Array = NDArray[np.float64]

SMALL = "kelvin3d-small"
UNIFORM = ("initial.shape=uniform", "forcing.heat=0")
CLOSED = (
    "tide.north.open=false",
    "tide.north.amplitude=[]",
    "tide.north.phase=[]",
    "tide.period=[]",
)


def values(sea: Any, name: str) -> Array:
    """The owned cells of a field of the state, [nx, ny] or [nx, ny, levels]."""
    return np.asarray(sea.run.state[name][sea.domain.box])


def content(sea: Any, name: str) -> float:
    """Tracer times thickness, summed over the grid."""
    tracer = values(sea, name)
    water = values(sea, "sea_level") + sea.settings.depth.depth  # m
    return float((tracer * (water / tracer.shape[2])[:, :, None]).sum())


@pytest.mark.parametrize("split", ["half_steps", "whole_steps", "horizontal_together"])
def test_uniform_water_stays_uniform(make_sea: MakeSea, split: str) -> None:
    """The tide, wind and turbulence move it about, and every cell stays what it was."""
    sea = make_sea(SMALL, *UNIFORM, f"tracers.split={split}")
    sea.run.advance(40)
    sea.run.check_state()
    assert np.abs(values(sea, "flow_x")).max() > 0.1
    assert np.ptp(values(sea, "temperature")) == 0.0
    assert np.ptp(values(sea, "salinity")) == 0.0


def test_content_is_conserved(make_sea: MakeSea) -> None:
    """Conserved in a closed basin that the wind stirs, to 1e-12 over 1000 steps."""
    sea = make_sea(SMALL, *CLOSED, "forcing.heat=0", "grid.cells_x=12", "grid.cells_y=11")
    before = content(sea, "temperature"), content(sea, "salinity")
    sea.run.advance(1000)
    sea.run.check_state()
    after = content(sea, "temperature"), content(sea, "salinity")
    changes = [abs(a / b - 1.0) for a, b in zip(after, before, strict=True)]
    print(f"content of temperature and salinity changes by {changes[0]:.1e} and {changes[1]:.1e}")
    assert max(changes) < 1e-12
    assert values(sea, "temperature").std() > 0.1
    assert np.abs(values(sea, "flow_y")).max() > 0.01


@pytest.mark.parametrize("scheme", ["upstream", "superbee", "muscl", "p2_pdm", "p2"])
def test_new_extremes_are_those_of_p2(make_sea: MakeSea, scheme: str) -> None:
    """Limited schemes keep temperature between the ones on both sides of the lock; p2 does not."""
    sea = make_sea("lock-exchange", f"tracers.scheme={scheme}")
    sea.run.advance(200)
    temperature = values(sea, "temperature")
    beyond = max(temperature.max() - 30.0, 5.0 - temperature.min())
    if scheme == "p2":
        assert beyond > 0.1
    else:
        assert beyond <= 1e-12


def test_fronts_of_the_lock_exchange(make_sea: MakeSea) -> None:
    """Both travel at half of sqrt(g' H) within 5 %."""
    sea = make_sea("lock-exchange")
    g, depth = sea.settings.physics.gravity, sea.settings.depth.depth
    reduced = g * sea.settings.tracers.thermal_expansion * 25.0  # m/s2
    places = []
    for _ in range(2):
        sea.run.advance(540)
        temperature = values(sea, "temperature")[:, 1, :]
        places.append((front(temperature[:, 0]), front(temperature[::-1, -1])))
    spacing, seconds = sea.settings.grid.spacing_x, 540 * sea.run.dt
    speeds = [(b - a) * spacing / seconds for a, b in zip(*places, strict=True)]
    expected = 0.5 * np.sqrt(reduced * depth)
    print(f"fronts at {speeds[0] / expected:.3f} and {speeds[1] / expected:.3f} of the theory")
    assert speeds == pytest.approx([expected, expected], rel=0.05)


def front(row: Array) -> float:
    """Cells from the beginning of a row to where it crosses 17.5 degC for the last time."""
    crossing = int(np.nonzero((row[:-1] - 17.5) * (row[1:] - 17.5) <= 0)[0][-1])
    return float(crossing + (17.5 - row[crossing]) / (row[crossing + 1] - row[crossing]))


def test_logarithmic_layer_of_the_channel(make_sea: MakeSea) -> None:
    """Within 5 % of u*/kappa ln((z + z0)/z0) from the bottom to the surface."""
    sea = make_sea("channel")
    sea.run.advance(1440)
    velocity = values(sea, "velocity_x")
    assert np.ptp(velocity, axis=(0, 1)).max() == 0.0  # all columns are alike
    profile = velocity[0, 0]
    depth, roughness = sea.settings.depth.depth, sea.settings.layers.bottom_roughness
    friction = np.sqrt(sea.settings.physics.gravity * depth * sea.settings.forcing.slope_x)
    height = (np.arange(profile.size) + 0.5) * depth / profile.size
    law = friction / 0.4 * np.log((height + roughness) / roughness)
    ratio = profile / law
    print(f"velocity over the logarithmic law: {ratio.min():.3f} to {ratio.max():.3f}")
    assert ratio == pytest.approx(1.0, abs=0.05)


def test_layers_carry_what_the_tide_carries(make_sea: MakeSea) -> None:
    """The sea level rises by what the layers bring, to rounding."""
    sea = make_sea(SMALL)
    sea.run.advance(20)
    before = values(sea, "sea_level").copy()
    sea.run.advance(1)
    x, y = values(sea, "flow_x").sum(axis=2), values(sea, "flow_y").sum(axis=2)
    brought = np.diff(np.pad(x, ((1, 0), (0, 0))), axis=0) / sea.settings.grid.spacing_x
    brought += np.diff(np.pad(y, ((0, 0), (1, 0))), axis=1) / sea.settings.grid.spacing_y
    rise = values(sea, "sea_level") - before
    inside = np.s_[:, :-1]  # the northern row is the open boundary
    assert np.abs(rise).max() > 0.01
    assert rise[inside] == pytest.approx(-sea.run.dt * brought[inside], abs=1e-13)


def test_still_water_stays_still(make_sea: MakeSea) -> None:
    """Layers over a flat bottom, without wind and tide: not one bit moves."""
    sea = make_sea(SMALL, *CLOSED, "forcing.wind_x=0", "forcing.heat=0")
    sea.run.advance(30)
    for name in ("sea_level", "transport_x", "transport_y", "flow_x", "flow_y"):
        assert not values(sea, name).any()


def test_heat_and_rain(make_sea: MakeSea) -> None:
    """The sea warms by what it is given, and freshens as if the rain had been added."""
    sea = make_sea(SMALL, *CLOSED, *UNIFORM[:1], "forcing.freshwater=1e-7")
    cells, seconds = 31 * 27, 10 * sea.run.dt
    heat, salt = content(sea, "temperature"), content(sea, "salinity")
    sea.run.advance(10)
    warmed = (content(sea, "temperature") - heat) / cells  # K m
    freshened = (content(sea, "salinity") - salt) / cells  # g/kg m
    assert warmed == pytest.approx(seconds * 100.0 / (1025.0 * 3990.0), rel=1e-9)
    assert freshened == pytest.approx(-seconds * 35.0 * 1e-7, rel=1e-9)


def test_literal_exchanges_have_the_same_bits(make_sea: MakeSea) -> None:
    """More halos travel, nothing else changes."""
    seas = [make_sea(SMALL, f"exchanges.policy={policy}") for policy in ("needed", "literal")]
    for sea in seas:
        sea.run.advance(12)
    for name in seas[0].run.state:
        assert np.array_equal(values(seas[0], name), values(seas[1], name)), name
    rounds = [sea.run.step.report.volume.exchanges for sea in seas]
    assert rounds[1] == 10 * 3 + 19
    assert rounds[0] - 10 * 3 <= 8


def test_odd_numbers_of_micro_steps_alternate(make_sea: MakeSea) -> None:
    """The axis that goes first in the micro steps goes on from where the last step left it."""
    three = make_sea(SMALL, "time.micro_steps=3", "layers.turbulence=constant")
    three.run.advance(4)
    assert three.run.step.position == 0
    three.run.advance(1)
    assert three.run.step.position == 1


def test_restart_has_the_same_bits(make_sea: MakeSea) -> None:
    """State out, state in, and on."""
    whole, begun, resumed = (make_sea(SMALL, "time.micro_steps=5") for _ in range(3))
    whole.run.advance(9)
    begun.run.advance(3)  # an odd number: the other axis goes first
    for name, field in begun.run.state.items():
        resumed.run.state[name][resumed.domain.box] = field[begun.domain.box]
    resumed.run.resume(3)
    resumed.run.advance(6)
    for name in whole.run.state:
        assert np.array_equal(values(whole, name), values(resumed, name)), name


def test_too_fast_a_flow_is_named(make_sea: MakeSea) -> None:
    """More water leaves a cell than is in it: which one, what the limit is, and when."""
    sea = make_sea("lock-exchange", "time.micro_steps=60", "initial.other_temperature=200")

    def run() -> None:
        for _ in range(20):
            sea.run.advance(1)
            sea.run.check_state()

    with pytest.raises(StateError, match=r"step \d+.*\(\d+, \d+, \d+\)"):
        run()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("tracers.scheme=superb", "superbee"),
        ("tracers.split=thirds", "half_steps"),
        ("tracers.equation=teos", "unesco"),
        ("layers.levels=-1", "layers.levels"),
        ("layers.bottom_roughness=0", "layers.bottom_roughness"),
        ("time.micro_steps=0", "time.micro_steps"),
        ("forcing.heat=nan", "forcing.heat"),
        ("initial.salinity=-1", "initial.salinity"),
        ('exchanges.literal=["momentum_x"]', "a stage and a field"),
        ("exchanges.literal=[]", "but nothing in exchanges.literal"),
    ],
)
def test_bad_settings_are_refused(change: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        load_case(SMALL, {"coast": model}, ("exchanges.policy=literal", change))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ('exchanges.literal=["swimming: temperature"]', "no stage of this name"),
        ('exchanges.literal=["buoyancy: temperature"]', "does not write"),
        ("time.step=1000", "time step"),
    ],
)
def test_bad_models_are_refused(make_sea: MakeSea, change: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        make_sea(SMALL, "exchanges.policy=literal", change)


@pytest.mark.parametrize("strategy", ["auto", "deep:4"])
def test_only_what_rims_need_has_wide_halos(strategy: str) -> None:
    """The micro steps are run several times per exchange; fields with layers stay as narrow."""
    case = load_case(SMALL, {"coast": model}, ())
    geometry = model.geometry(case.settings, case.folder)
    domain = Domain(geometry.grid)
    run = create_run(model, domain, case.settings, geometry, strategy=strategy, transport="p2p")

    def halo(name: str) -> int:
        core = run.state[name].core
        return int(core.owned(0).lo[0] - core.allocated(0).lo[0])

    assert halo("temperature") == halo("flow_x") == 2
    assert halo("sea_level") > 2
    wide = halo("sea_level")
    domain.close()
    domain = Domain(geometry.grid)
    run = create_run(model, domain, case.settings, geometry, strategy="deep:12", transport="p2p")
    assert halo("sea_level") > wide
    assert halo("temperature") == 2
    domain.close()
