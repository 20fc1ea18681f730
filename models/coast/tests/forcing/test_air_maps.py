"""Wind and pressure that differ in space and time: what they do, and which files are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from numpy.typing import NDArray
from test_layered import CLOSED, SMALL, values

Array = NDArray[np.float64]
MakeSea = Callable[..., Any]  # see conftest.py
Lapwing = Callable[..., Any]  # see conftest.py of the whole repository

UNITS = {"wind_x": "N m-2", "wind_y": "N m-2", "pressure": "Pa"}
SHAPES = {"kelvin-small": (47, 41), SMALL: (31, 27)}
NO_WIND = ("forcing.wind_x=0", "forcing.heat=0")
DENSITY = 1025.0


def write(path: Path, hours: Any, units: Any = None, **maps: Any) -> str:
    """Write maps [time, nx, ny] of the air."""
    with netCDF4.Dataset(path, "w") as file:
        shape = np.shape(next(iter(maps.values())))
        for name, n in zip(("time", "x", "y"), shape, strict=True):
            file.createDimension(name, n)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2000-01-01 00:00:00"
        time[:] = hours
        for name, numbers in maps.items():
            one = file.createVariable(name, "f8", ("time", "y", "x"))
            one.units = (units or UNITS)[name]
            one[:] = np.asarray(numbers, dtype=np.float64).transpose(0, 2, 1)
    return f"forcing.maps={path}"


def even(case: str, *numbers: float) -> Array:
    """Maps that are the same everywhere, with a number for each time."""
    return np.broadcast_to(np.array(numbers)[:, None, None], (len(numbers), *SHAPES[case]))


def test_the_first_step_follows_the_formula(make_sea: MakeSea, tmp_path: Path) -> None:
    """dU = dt (tau/rho - D/rho dp/dx), at the middle of the step, on faces between two cells."""
    case, random = "kelvin-small", np.random.default_rng(4)
    maps = {name: random.uniform(-1, 1, (2, *SHAPES[case])) for name in UNITS}
    maps["pressure"] *= 1000.0
    file = write(tmp_path / "air.nc", [0, 1], **maps)
    sea = make_sea(case, *CLOSED, file, "physics.coriolis=0", "physics.drag=0", "run.duration=1h")
    sea.run.advance(1)
    dt, spacing = sea.run.dt, sea.settings.grid.spacing_x
    share = 0.5 * dt / 3600.0
    wind, pressure = (
        (one[0] + share * (one[1] - one[0])) / DENSITY for one in (maps["wind_x"], maps["pressure"])
    )
    stress = 0.5 * (wind[:-1] + wind[1:])
    expected = dt * (stress - 60.0 * (pressure[1:] - pressure[:-1]) / spacing)
    np.testing.assert_allclose(sea.x[:-1], expected, rtol=1e-12, atol=1e-14)
    assert not sea.x[-1].any()


def test_even_wind_is_the_wind_of_the_case(make_sea: MakeSea, tmp_path: Path) -> None:
    """In three dimensions, with turbulence; even pressure does nothing."""
    maps = {"wind_x": 0.08, "wind_y": -0.03, "pressure": 1e5}
    file = write(
        tmp_path / "air.nc", [0, 9], **{name: even(SMALL, one, one) for name, one in maps.items()}
    )
    short = "run.duration=2h"
    given = make_sea(SMALL, *CLOSED, "forcing.wind_x=0.08", "forcing.wind_y=-0.03", short)
    mapped = make_sea(SMALL, *CLOSED, "forcing.wind_x=0", file, short)
    for sea in (given, mapped):
        sea.run.advance(12)
        sea.run.check_state()
    for name in ("flow_x", "flow_y", "temperature", "tke"):
        one, other = values(given, name), values(mapped, name)
        assert np.abs(one).max() > 0
        assert np.abs(one - other).max() < 1e-9 * np.abs(one).max(), name


@pytest.mark.parametrize("case", ["kelvin-small", SMALL])
def test_the_sea_stands_higher_under_low_pressure(
    make_sea: MakeSea, tmp_path: Path, case: str
) -> None:
    """At rest under -p/(rho g): a sea that begins so stays so."""
    nx, ny = SHAPES[case]
    shape = np.cos(np.pi * (np.arange(nx) + 0.5) / nx)[:, None] * np.ones(ny)
    file = write(tmp_path / "air.nc", [0, 9], pressure=np.array([shape, shape]) * 500.0)
    quiet = () if case == "kelvin-small" else (*NO_WIND, "initial.shape=uniform")
    sea = make_sea(case, *CLOSED, *quiet, file, "run.duration=2h")
    level = -500.0 * shape / (DENSITY * 9.81)
    nothing = 0.0 * level
    sea.put(level, nothing, nothing)
    sea.run.advance(10)
    assert np.abs(sea.level - level).max() < 1e-9
    assert np.abs(level).max() > 0.04


def test_maps_on_a_grid_of_their_own_are_interpolated(make_sea: MakeSea, tmp_path: Path) -> None:
    """Winds that are planes, on few points of which the outer ones are half a cell inside."""
    case = "kelvin-small"
    sea = make_sea(case, *CLOSED)
    x, y = (np.asarray(axis.values) for axis in (sea.geometry.x, sea.geometry.y))
    coarse = [np.linspace(axis[0], axis[-1], n) for axis, n in ((x, 6), (y, 5))]
    maps = []
    for (here_x, here_y), name in (((x, y), "own.nc"), (coarse, "coarse.nc")):
        wind = 0.1 + 1e-6 * here_x[:, None] - 2e-6 * here_y[None, :]
        maps.append(write(tmp_path / name, [0, 9], wind_x=np.array([wind, 3 * wind])))
        with netCDF4.Dataset(tmp_path / name, "a") as file:
            for axis, places in (("x", here_x), ("y", here_y)):
                file.createVariable(axis, "f8", (axis,))[:] = places
                file[axis].units = "m"
    levels = []
    for one in maps:
        sea = make_sea(case, *CLOSED, one, "run.duration=2h")
        sea.run.advance(10)
        levels.append(sea.level)
    assert np.abs(levels[0]).max() > 1e-4
    assert np.abs(levels[0] - levels[1]).max() < 1e-15


def test_restart_has_the_same_bits(continued: MakeSea, tmp_path: Path) -> None:
    """In the middle of a wind that turns, between two of several records."""
    random = np.random.default_rng(5)
    maps = {name: random.uniform(-0.1, 0.1, (5, *SHAPES[SMALL])) for name in UNITS}
    file = write(tmp_path / "air.nc", [0, 0.4, 0.8, 1.3, 2], **maps)
    case = (SMALL, *NO_WIND, file, "run.duration=100min")
    continued(*case)


@pytest.mark.parametrize(
    ("changes", "sets", "parts"),
    [
        ({"hours": [0, 1]}, (), ("forcing.maps air.nc, time", "0 s to 3600 s", "run.duration")),
        ({"units": {"wind_x": "m s-1"}}, (), ("air.nc: wind_x", "'m s-1'", "convert")),
        ({}, ("grid.cells_y=40",), ("forcing.maps air.nc, wind_x", "shape", "interpolate")),
        ({}, ("forcing.wind_x=0.1",), ("forcing.wind_x", "maps in", "one of them")),
    ],
)
def test_bad_maps(
    make_sea: MakeSea,
    tmp_path: Path,
    changes: dict[str, Any],
    sets: tuple[str, ...],
    parts: tuple[str, ...],
) -> None:
    hours = changes.get("hours", [0, 9])
    file = write(
        tmp_path / "air.nc", hours, changes.get("units"), wind_x=even("kelvin-small", 0.1, 0.1)
    )
    with pytest.raises(UserError) as error:
        make_sea("kelvin-small", file, "run.duration=2h", *sets)
    for part in parts:
        assert part in str(error.value)


@pytest.mark.ranks
@pytest.mark.parametrize("case", ["kelvin-small", SMALL])
def test_ranks_give_the_same_bits(lapwing: Lapwing, tmp_path: Path, case: str) -> None:
    random = np.random.default_rng(6)
    maps = {name: random.uniform(-0.1, 0.1, (3, *SHAPES[case])) for name in UNITS}
    file = write(tmp_path / "air.nc", [0, 1, 3], **maps)
    sets = [f"--set={one}" for one in (*NO_WIND, file, "duration=2h", "output.every=1h")]
    sets.append("--set=output.precision=double")
    files = []
    for ranks, strategy in ((1, "blocking"), (3, "deep(2)"), (4, "dataflow")):
        out = tmp_path / str(ranks)
        how = (f"--ranks={ranks}", f"--strategy={strategy}", f"--out={out}")
        answer = lapwing("run", case, *sets, *how)
        assert answer.code == 0, answer.out + answer.err
        files.append(out / "output.nc")
    for cut in files[1:]:
        answer = lapwing("compare", files[0], cut)
        assert answer.code == 0, answer.out
