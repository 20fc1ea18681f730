"""Rivers and rain that add volume: budgets to rounding, and which files are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing_coast.place.metrics import make_metrics
from numpy.typing import NDArray
from test_layered import CLOSED, SMALL, values

Array = NDArray[np.float64]
MakeSea = Callable[..., Any]  # see conftest.py

RIVERS = (
    'rivers.mouths=["Elbe: 5000, 105000", "Weser: 205000, 5000"]',
    "rivers.discharge=[3000.0, 500.0]",
    "rivers.salinity=[0.5, 0.0]",
)
SPHERE = (
    'rivers.mouths=["Elbe: 0.1, 52.3", "Weser: 2.0, 50.1"]',
    "rivers.discharge=[3000.0, 500.0]",
    "rivers.salinity=[0.5, 0.0]",
    "grid.coordinates=spherical",
    "grid.latitude=50",
    "grid.step_longitude=0.2",
    "grid.step_latitude=0.15",
)
RAIN = ("forcing.freshwater=1e-6", "forcing.freshwater_adds=volume", "forcing.heat=0")


def budget(sea: Any) -> tuple[float, float, float]:
    """Volume above the undisturbed level (m3), salt (g/kg m3) and heat (K m3)."""
    spacing = make_metrics(sea.settings, sea.geometry).spacing
    area = spacing[0] * spacing[1]
    water = area * (60.0 + sea.level)
    salt, heat = (
        float((values(sea, name).mean(axis=2) * water).sum()) if name in sea.run.state else 0.0
        for name in ("salinity", "temperature")
    )
    return float((area * sea.level).sum()), salt, heat


@pytest.mark.parametrize("rivers", [RIVERS, SPHERE], ids=["plane", "sphere"])
def test_volume_and_salt_of_rivers_and_rain(make_sea: MakeSea, rivers: tuple[str, ...]) -> None:
    """What came in is what there is more of, to 1e-12 of all that there is, on both metrics."""
    sea = make_sea(SMALL, *CLOSED, *rivers, *RAIN, "rivers.temperature=[20.0, 5.0]")
    before = budget(sea)
    sea.run.advance(36)  # 6 h
    sea.run.check_state()
    after, seconds = budget(sea), 36 * sea.run.dt
    spacing = make_metrics(sea.settings, sea.geometry).spacing
    rain = 1e-6 * float((spacing[0] * spacing[1]).sum())  # m3/s
    came = 3500.0 + rain
    volume = (after[0] - before[0]) / (came * seconds) - 1
    salt = (after[1] - before[1] - 0.5 * 3000.0 * seconds) / before[1]
    print(f"volume off by {volume:.1e} of what came, salt by {salt:.1e} of all")
    assert abs(volume) < 1e-11
    assert abs(after[0] - before[0] - came * seconds) < 1e-12 * 60.0 * float(
        (spacing[0] * spacing[1]).sum()
    )
    assert abs(salt) < 1e-12
    # rain has the temperature of the surface: warmer than the mean of both layers, here 15 degC
    warmed = after[2] - before[2] - (20.0 * 3000.0 + 5.0 * 500.0 + 15.0 * rain) * seconds
    assert abs(warmed) < 0.02 * 15.0 * rain * seconds


def test_a_river_raises_the_level_of_the_depth_integrated_mode(make_sea: MakeSea) -> None:
    sea = make_sea("kelvin-small", *CLOSED, *RIVERS)
    area = sea.settings.grid.spacing_x * sea.settings.grid.spacing_y
    sea.run.advance(1)
    assert np.argwhere(sea.level).tolist() == [[0, 10], [20, 0]]
    assert sea.level[0, 10] * area == pytest.approx(3000.0 * sea.run.dt)
    sea.run.advance(199)
    assert float(sea.level.sum() * area) == pytest.approx(3500.0 * 200 * sea.run.dt, rel=1e-12)


def test_a_river_like_the_sea_leaves_salt_as_it_is(make_sea: MakeSea) -> None:
    """Not one bit changes where the river has the salt of even water."""
    even = ("initial.shape=uniform", "forcing.heat=0")
    river = ('rivers.mouths=["Elbe: 5000, 105000"]', "rivers.discharge=[3000]")
    sea = make_sea(SMALL, *CLOSED, *even, *river, "rivers.salinity=[33.0]")
    sea.run.advance(12)
    assert (values(sea, "salinity") == 33.0).all()
    assert sea.level.max() > 1e-3


def test_rain_as_a_flux_of_salt_adds_no_volume(make_sea: MakeSea) -> None:
    sea = make_sea(SMALL, *CLOSED, "forcing.freshwater=1e-6", "forcing.heat=0", "forcing.wind_x=0")
    sea.run.advance(6)
    assert not sea.level.any()


def write_rivers(path: Path, times: Any, **discharges: Any) -> str:
    """Write a file of rivers: hours since 2000-01-01, and a discharge each."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", len(times))
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2000-01-01 00:00:00"
        time[:] = times
        for name, numbers in discharges.items():
            one = file.createVariable(name, "f8", ("time",))
            one.units = "m3 s-1"
            one[:] = numbers
    return f"rivers.file={path}"


MOUTH = 'rivers.mouths=["Elbe: 5000, 105000"]'


def test_discharges_of_a_file(make_sea: MakeSea, tmp_path: Path) -> None:
    """A flood that rises over the run brings its integral."""
    file = write_rivers(tmp_path / "rivers.nc", [0, 2, 9], Elbe=[0, 4000, 4000])
    sea = make_sea(SMALL, *CLOSED, MOUTH, file, "run.duration=2h")
    sea.run.advance(12)
    assert budget(sea)[0] == pytest.approx(2000.0 * 7200.0, rel=1e-9)


@pytest.mark.parametrize(
    ("hours", "name", "parts"),
    [
        ([0, 1], "Elbe", ("rivers.file", "rivers.nc, time", "0 s to 3600 s", "run.duration")),
        ([0, 9], "Eider", ("rivers.nc: Elbe", "no such variable among time, Eider", "add it")),
    ],
)
def test_bad_file(
    make_sea: MakeSea, tmp_path: Path, hours: list[int], name: str, parts: tuple[str, ...]
) -> None:
    file = write_rivers(tmp_path / "rivers.nc", hours, **{name: [0.0] * len(hours)})
    with pytest.raises(UserError) as error:
        make_sea(SMALL, *CLOSED, MOUTH, file, "run.duration=2h")
    for part in parts:
        assert part in str(error.value)


def test_river_on_land(make_sea: MakeSea) -> None:
    """The message names the cell and water nearby."""
    wet = np.ones((47, 41), dtype=bool)
    wet[:6] = False
    with pytest.raises(UserError) as error:
        make_sea("kelvin-small", *RIVERS, wet=wet)
    for part in ("rivers.mouths, Elbe", "(0, 10) on land", "a wet cell", "65000, 105000"):
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("rivers.discharge=[1.0]",), "rivers.discharge: got 1 numbers for 0 rivers"),
        ((MOUTH,), "rivers.discharge: got 0 numbers for 1 rivers"),
        ((MOUTH, "rivers.discharge=[1.0]", "rivers.salinity=[-1]"), "rivers.salinity"),
        (('rivers.mouths=["Elbe"]', "rivers.discharge=[1.0]"), "a name and two coordinates"),
        (('rivers.mouths=["E: 1e9, 0"]', "rivers.discharge=[1.0]"), "E: got 1e.09 m along"),
        (('rivers.mouths=["E: 5, 405000"]', "rivers.discharge=[1.0]"), "an open side"),
    ],
)
def test_bad_settings(make_sea: MakeSea, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_sea("kelvin-small", *sets)


@pytest.mark.ranks
@pytest.mark.parametrize("rivers", [RIVERS, SPHERE], ids=["plane", "sphere"])
def test_ranks_and_strategies_give_the_same_bits(
    same_bits: Callable[..., None], rivers: tuple[str, ...]
) -> None:
    same_bits(SMALL, *rivers, *RAIN)
