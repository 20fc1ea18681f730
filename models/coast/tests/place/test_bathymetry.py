"""Depths from files: on their own cells and on others, kept deep and smoothed, and refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing_coast.place.bathymetry import smoothed
from numpy.typing import NDArray
from test_layered import CLOSED, SMALL, values

Array = NDArray[np.float64]
MakeSea = Callable[..., Any]  # see conftest.py
Write = Callable[..., tuple[str, ...]]

SPHERE = ("grid.coordinates=spherical", "time.step=20s")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write heights like a public bathymetry: write(values [lat, lon]); the case's settings."""

    def written(
        heights: Any, south: float = 50.0, west: float = 0.0, step: float = 0.05, **attributes: Any
    ) -> tuple[str, ...]:
        heights = np.asarray(heights, dtype=np.float64)
        path = tmp_path / "heights.nc"
        with netCDF4.Dataset(path, "w") as file:
            for name, first, n, way in zip(
                ("lat", "lon"), (south, west), heights.shape, ("north", "east"), strict=True
            ):
                file.createDimension(name, n)
                axis = file.createVariable(name, "f8", (name,))
                axis.units = f"degrees_{way}"
                axis[:] = first + step * (np.arange(n) + 0.5)
            one = file.createVariable("elevation", "f8", ("lat", "lon"))
            one.setncatts({"units": "m", "positive": "up"} | attributes)
            one[:] = heights
        return ("depth.shape=file", f"depth.file={path}")

    return written


def rough(shape: tuple[int, int], seed: int = 1) -> Array:
    """Heights of a steep sea with land on its western rim, m, [lat, lon]."""
    deep = np.random.default_rng(seed).uniform(5.0, 80.0, shape)
    deep[:, :3] = -4.0
    return -deep


def depth_of(sea: Any) -> Array:
    """The depth [nx, ny] of a sea, m."""
    return np.asarray(sea.run.variables["depth"].field[sea.domain.box])


def test_cells_of_the_file(make_sea: MakeSea, write: Write) -> None:
    """Heights become depths, the grid is the file's, and its land is land."""
    heights = rough((20, 30))
    sea = make_sea("kelvin-small", *CLOSED, *SPHERE, *write(heights))
    assert np.array_equal(depth_of(sea), np.where(heights < 0, -heights, 0.0).T)
    assert sea.geometry.y.values[0] == pytest.approx(50.025)
    assert not sea.geometry.wet[:3].any()


def test_cells_of_another_grid_take_means(make_sea: MakeSea, write: Write) -> None:
    """Two by two points a cell; a cell with one wet point of four is land."""
    heights = rough((20, 30))
    heights[0, 4], heights[0:2, 5], heights[6, 8] = 1.0, 2.0, 3.0
    cells = ("grid.cells_x=14", "grid.cells_y=9", "grid.latitude=50", "grid.longitude=0.1")
    steps = ("grid.step_longitude=0.1", "grid.step_latitude=0.1")
    sea = make_sea("kelvin-small", *CLOSED, *SPHERE, *cells, *steps, *write(heights))
    found = depth_of(sea)
    assert found.shape == (14, 9)
    assert found[5, 4] == pytest.approx(-heights[8:10, 12:14].mean())
    assert found[1, 0] == 0.0  # three of four points are land
    assert found[3, 3] == pytest.approx(-np.delete(heights[6:8, 8:10].ravel(), 0).mean())


def test_least_depth_and_slope(make_sea: MakeSea, write: Write) -> None:
    """Smoothing keeps the volume, and no pair stays steeper than stated."""
    options = ("depth.least=10", "depth.steepest=0.2")
    heights = rough((20, 30))
    found = depth_of(make_sea("kelvin-small", *CLOSED, *SPHERE, *options, *write(heights)))
    raised = np.where(heights < 0, np.maximum(-heights, 10.0), 0.0).T
    assert found[found > 0].min() >= 10.0
    assert found.sum() == pytest.approx(raised.sum(), rel=1e-12)
    for axis in (0, 1):
        one = np.moveaxis(found, axis, 0)
        low, high = one[:-1], one[1:]
        both = (low > 0) & (high > 0)
        slope = (np.abs(high - low)[both] / (high + low)[both]).max()
        assert slope <= 0.2 * (1 + 1e-8)


def test_gentle_depths_are_left_alone() -> None:
    depth = np.linspace(10.0, 11.0, 12).reshape(4, 3)
    depth[1, 1] = np.nan
    assert np.array_equal(smoothed(depth, 0.1), depth, equal_nan=True)


@pytest.mark.parametrize("case", ["kelvin-small", SMALL])
def test_lake_at_rest_over_a_steep_bottom(make_sea: MakeSea, write: Write, case: str) -> None:
    """Even water over a bottom like a saw, with land and spherical cells: not one bit moves."""
    even = () if case == "kelvin-small" else ("initial.shape=uniform", "forcing.heat=0")
    calm = () if case == "kelvin-small" else ("forcing.wind_x=0",)
    bottom = write(rough((20, 30)))
    sea = make_sea(case, *CLOSED, *SPHERE, *even, *calm, "physics.rotation=latitude", *bottom)
    sea.run.advance(60)
    for name in ("sea_level", "transport_x", "transport_y"):
        assert not values(sea, name).any(), name


def test_stratified_lake_stays_nearly_at_rest(make_sea: MakeSea, write: Write) -> None:
    """The error of the pressure gradient over a slope falls with depth.steepest."""
    fast = []
    for steepest in (0.4, 0.1):
        bottom = (*write(rough((20, 30))), "depth.least=20", f"depth.steepest={steepest}")
        quiet = ("forcing.heat=0", "forcing.wind_x=0", "initial.interface=15")
        sea = make_sea(SMALL, *CLOSED, *SPHERE, *quiet, *bottom)
        sea.run.advance(60)
        sea.run.check_state()
        sea.run._coast.find_velocities()
        fast.append(np.abs(sea.run.variables["velocity_x"].field[sea.domain.box]).max())
    print(f"spurious velocities over slopes of 0.4 and 0.1: {fast[0]:.3f} and {fast[1]:.3f} m/s")
    assert fast[1] < 0.6 * fast[0]
    assert fast[1] < 0.1


@pytest.mark.parametrize(
    ("sets", "parts"),
    [
        (
            ("grid.latitude=49.5",),
            ("heights.nc, latitude", "50 to 51", "49.5 to 50.4", "grid.latitude"),
        ),
        (
            ("grid.longitude=1", "grid.latitude=50.1"),
            ("heights.nc, longitude", "0 to 1.5", "1 to 2.4", "cut a larger part"),
        ),
        (
            ("grid.step_longitude=0.03", "grid.latitude=50"),
            ("heights.nc, longitude", "no point between", "in cell", "coarser grid"),
        ),
    ],
)
def test_files_that_do_not_cover_the_grid(
    make_sea: MakeSea, write: Write, sets: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    cells = ("grid.cells_x=14", "grid.cells_y=9", "grid.step_longitude=0.1")
    with pytest.raises(UserError) as error:
        make_sea(
            "kelvin-small",
            *CLOSED,
            *SPHERE,
            *cells,
            "grid.step_latitude=0.1",
            *sets,
            *write(rough((20, 30))),
        )
    for part in parts:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("depth.shape=file",), "depth.file: got '.' with the shape 'file'"),
        (("depth.file=a.nc",), "depth.file: got 'a.nc' with the shape 'flat'"),
        (("depth.steepest=1",), "depth.steepest: got 1; expected a slope"),
        (("depth.least=-1",), "depth.least: got -1 m"),
        (("depth.shape=file", "depth.file=nothing.nc"), "depth.file"),
    ],
)
def test_bad_settings(make_sea: MakeSea, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_sea("kelvin-small", *sets)


def test_nothing_is_guessed(make_sea: MakeSea, write: Write) -> None:
    """A file that says two directions is refused, as one without a unit."""
    heights = rough((20, 30))
    with pytest.raises(UserError, match=r"heights.nc.*elevation"):
        make_sea("kelvin-small", *SPHERE, *write(heights, units="1"))
    with pytest.raises(UserError, match=r"heights.nc.*elevation"):
        make_sea("kelvin-small", *SPHERE, *write(heights, long_name="positive down"))
