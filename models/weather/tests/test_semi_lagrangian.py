"""Semi-Lagrangian steps: longer than the wind takes to cross a cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from atmosphere import DIGESTS, growth_per_day
from lapwing.base.error import UserError
from lapwing.model import StateError
from lapwing_weather.weather_run import longest_time_step
from model_runs import RunOnRanks, digests_on

MakeAir = Callable[..., Any]  # see atmosphere.py

IMPLICIT = ("time.scheme=semi-implicit", "dynamics.diffusion_scheme=implicit")
PATHS = "dynamics.advection=semi-lagrangian"
# a strong wind on small cells
STORM = (
    "grid.spacing_x=20e3",
    "grid.spacing_y=20e3",
    "initial.radius=120e3",
    "initial.amplitude=30",
    "initial.wind=60",
    "dynamics.beta=0",
    "dynamics.diffusion=1.6e13",
)


def after(make_air: MakeAir, seconds: float, *sets: str) -> Any:
    air = make_air("area-small", *STORM, *sets)
    air.run.advance(round(seconds / air.run.dt))
    air.run.check_state()
    return air


def test_a_step_may_be_longer_than_the_wind_takes_to_cross_a_cell(make_air: MakeAir) -> None:
    short = after(make_air, 4 * 3600, *IMPLICIT, "time.step=20").get("wind_x")
    long = after(make_air, 4 * 3600, *IMPLICIT, PATHS, "time.step=600").get("wind_x")
    difference = float(np.sqrt(((long - short) ** 2).mean()))
    courant = np.abs(short).max() * 600 / 20e3
    print(f"Courant number {courant:.2f}: {difference:.3f} m/s from steps of 20 s")
    assert courant > 1.5
    assert difference < 0.25
    with pytest.raises(StateError, match=r"Courant number|wind"):
        after(make_air, 4 * 3600, *IMPLICIT, "time.step=600")


def test_implicit_waves_of_an_area_do_not_feel_its_edges(make_air: MakeAir) -> None:
    """Steps of twenty times what explicit ones can be: the solver spreads nothing from the edge."""
    calm = ("initial.wind=30",)
    short = after(make_air, 4 * 3600, *calm, "time.step=15").get("wind_x")
    long = after(make_air, 4 * 3600, *calm, *IMPLICIT, "time.step=400").get("wind_x")
    difference = float(np.sqrt(((long - short) ** 2).mean()))
    print(f"{difference:.3f} m/s")
    assert difference < 0.2


def test_a_wave_grows_as_with_centred_advection(make_air: MakeAir) -> None:
    centred = growth_per_day(make_air("jet-small"), 2, 10)
    longest = longest_time_step(make_air("jet-small").settings)
    step = f"time.step={86400 / int(86400 / (4.0 * longest))}"
    paths = make_air("jet-small", *IMPLICIT, PATHS, step)
    before = paths.get("pressure").sum()
    growth = growth_per_day(paths, 2, 10)
    lost = abs(paths.get("pressure").sum() / before - 1)
    print(f"{step} s: growth {growth:.4f} per day, centred {centred:.4f}; mass {lost:.2g}")
    assert abs(growth / centred - 1) < 0.02
    assert lost < 1e-7  # not by fluxes: only as well as the air is interpolated


def test_implicit_diffusion_is_that_of_short_steps(make_air: MakeAir) -> None:
    still = ("initial.wind=0", "initial.amplitude=0", "boundary.relaxation=0", "initial.shape=rest")
    found = []
    for scheme in ("explicit", "implicit"):
        air = make_air(
            "area-small", *STORM, *still, f"dynamics.diffusion_scheme={scheme}", "time.step=10"
        )
        moisture = air.get("humidity")
        x = np.arange(moisture.shape[0])[:, None, None]
        wave = np.cos(20 * np.pi * (x + 0.5) / moisture.shape[0]) * np.ones_like(moisture)
        air.put("humidity", 1e-3 * (2 + wave))
        air.run.advance(100)
        found.append(np.abs(air.get("humidity") - 2e-3).max() / 1e-3)
    k = 2 / 20e3 * np.sin(20 * np.pi / (2 * 37))
    expected = np.exp(-1.6e13 * k**4 * 1000)
    print(
        f"left of a wave: explicit {found[0]:.5f}, implicit {found[1]:.5f}, exactly {expected:.5f}"
    )
    assert abs(found[1] - found[0]) < 0.01 * (1 - expected)
    assert abs(found[1] - expected) < 0.03 * (1 - expected)


def test_a_path_that_is_too_long_is_refused(make_air: MakeAir) -> None:
    air = make_air("area-small", *STORM, *IMPLICIT, PATHS, "time.step=1200")
    air.run.check_state()
    field = air.run.newest()["wind_x"]
    values = field[air.domain.box]
    values[30, 3, 2] = 70.0
    field[air.domain.box] = values
    with pytest.raises(StateError, match=r"Courant number = 1\.05 .* cell \(30, 3, 2\)"):
        air.run.check_state()


def test_a_grid_narrower_than_the_halo_is_refused(make_air: MakeAir) -> None:
    with pytest.raises(UserError, match=r"grid of semi-Lagrangian steps: .* at least 10 cells"):
        make_air("gravity-wave", PATHS)


@pytest.mark.slow
def test_ranks_and_strategies(run_on_ranks: RunOnRanks) -> None:
    digests: set[str] = set()
    for ranks in (1, 2, 3, 4, 6, 9):
        strategies = ["blocking", "dataflow"]
        if ranks in (1, 4):
            strategies += ["6s", "edge-first"]
        asked = ("area-small", *STORM, *IMPLICIT, PATHS, "time.step=600", *strategies)
        digests |= digests_on(run_on_ranks, ranks, DIGESTS, *asked)
    assert len(digests) == 1
