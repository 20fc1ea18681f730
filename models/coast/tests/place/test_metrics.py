"""Cells that differ: spheres, files of lengths, and a Coriolis parameter that grows northwards."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing_coast.place.metrics import EARTH_RADIUS, EARTH_ROTATION, make_metrics
from lapwing_coast.settings import CoastSettings, TideSettings
from numpy.typing import NDArray
from test_layered import CLOSED, SMALL, values

Array = NDArray[np.float64]
MakeSea = Callable[..., Any]  # see conftest.py

GRAVITY = 9.81  # m/s2
# metrics that are given cell by cell, but alike
ALIKE = ("physics.rotation=beta", "physics.coriolis_gradient=0")


def closed(settings: CoastSettings) -> CoastSettings:
    """The settings with walls all around."""
    return dataclasses.replace(settings, tide=TideSettings())


def standing_wave(make_sea: MakeSea, cells_y: int) -> float:
    """The frequency of a mode of a spherical basin over the exact one, less 1.

    z = cos(m lambda) cos(phi)^m ((2m + 3) sin(phi)^2 - 1) has no slope at the equator, at the
    latitude `north` and at multiples of pi/m, and is an eigenfunction of the sphere's Laplacian:
    frequency^2 = g H l (l + 1) / R^2 with l = m + 2.
    """
    m, depth = 2, 4000.0
    a = 2 * m + 3
    north = math.degrees(math.asin(math.sqrt((m + 2 * a) / (a * (m + 2)))))
    sea = make_sea(
        "kelvin-small",
        "grid.coordinates=spherical",
        f"grid.cells_x={2 * cells_y}",
        f"grid.cells_y={cells_y}",
        f"grid.step_longitude={45.0 / cells_y}",
        f"grid.step_latitude={north / cells_y}",
        f"depth.depth={depth}",
        "physics.coriolis=0",
        "physics.drag=0",
        f"time.step={100.0 * 24 / cells_y}",
        change=closed,
    )
    east, along = (np.radians(axis) for axis in axes_of(sea, 45.0 / cells_y, north / cells_y))
    shape = np.cos(m * east)[:, None] * (np.cos(along) ** m * (a * np.sin(along) ** 2 - 1))
    sea.put(0.01 * shape, 0.0 * shape, 0.0 * shape)
    exact = math.sqrt((m + 2) * (m + 3) * GRAVITY * depth) / EARTH_RADIUS  # 1/s
    weight = shape * np.cos(along)
    heights, dt = [], sea.run.dt
    for _ in range(round(math.pi / exact / dt)):
        sea.run.advance(1)
        heights.append(float((sea.level * weight).sum() / (0.01 * shape * weight).sum()))
    sea.run.check_state()
    sign = np.flatnonzero(np.diff(np.sign(heights)))[0]
    share = heights[sign] / (heights[sign] - heights[sign + 1])
    # transports lie half a step before the levels: they are 0 half a step before the start
    quarter = (sign + 1 + share + 0.5) * dt  # s
    return float(0.5 * math.pi / quarter / exact - 1)


def axes_of(sea: Any, step_x: float, step_y: float) -> tuple[Array, Array]:
    """Longitudes and latitudes of the centres of cells, degrees."""
    nx, ny = sea.level.shape
    return (np.arange(nx) + 0.5) * step_x, (np.arange(ny) + 0.5) * step_y


def test_standing_wave_on_a_sphere(make_sea: MakeSea) -> None:
    """Its frequency is exact to 0.1 %, four times better on twice as many cells."""
    coarse, fine = (standing_wave(make_sea, cells) for cells in (24, 48))
    print(f"frequency of the standing wave: off by {100 * coarse:+.4f} % and {100 * fine:+.4f} %")
    assert 0 < abs(coarse) < 1e-3
    assert abs(fine) < abs(coarse) / 3


def test_inertial_oscillation_on_the_beta_plane(make_sea: MakeSea) -> None:
    """Almost without gravity each row turns by its own f, far from the walls."""
    gradient, f = 2e-11, 1e-4
    sea = make_sea(
        "kelvin-small",
        "grid.cells_x=4",
        "grid.cells_y=101",
        "grid.periodic_x=true",
        "physics.rotation=beta",
        f"physics.coriolis={f}",
        f"physics.coriolis_gradient={gradient}",
        "physics.gravity=1e-9",
        "physics.drag=0",
        change=closed,
    )
    y = (np.arange(101) - 50) * sea.settings.grid.spacing_y  # m from the middle
    flow = np.ones_like(sea.level)  # m2/s
    sea.put(0.0 * flow, flow, 0.0 * flow)
    steps = round(4 * 2 * math.pi / f / sea.run.dt)
    sea.run.advance(steps)
    middle = slice(30, 71)
    turned = -np.arctan2(0.5 * (sea.y[0] + np.roll(sea.y[0], 1)), sea.x[0])  # to the right
    expected = (f + gradient * y) * steps * sea.run.dt
    off = np.angle(np.exp(1j * (turned - expected)))[middle]
    print(f"inertial oscillation: {np.abs(off).max():.2g} of {expected[50]:.3g} radians off")
    assert np.ptp(expected[middle]) > 0.1
    assert np.abs(off).max() < 4e-3
    assert np.abs(np.hypot(sea.x[0], sea.y[0])[middle] - 1).max() < 0.02


@pytest.mark.parametrize("case", ["kelvin-small", SMALL])
def test_cells_that_are_given_alike_change_nothing(make_sea: MakeSea, case: str) -> None:
    """Both instances of every kernel compute the same, to rounding; the layers have all terms."""
    same, given = make_sea(case), make_sea(case, *ALIKE)
    for sea in (same, given):
        sea.run.advance(30)
        sea.run.check_state()
    area = 1e8  # m2: flow_z is m3/s where metrics vary
    for name in same.run.state:
        one, other = values(same, name), values(given, name) / (area if name == "flow_z" else 1.0)
        largest = np.abs(one).max()
        assert largest > 0, name
        assert np.abs(other - one).max() <= 1e-9 * largest, name
    assert not np.array_equal(values(same, "sea_level"), values(given, "sea_level"))


def test_layers_on_a_sphere_keep_volume_and_salt(make_sea: MakeSea) -> None:
    """Even salt keeps its bits, heat its content, in a wind over 30 to 57 degrees north."""
    sphere = ("grid.coordinates=spherical", "grid.latitude=30", "grid.longitude=-10")
    steps = ("grid.step_longitude=1", "grid.step_latitude=1", "physics.rotation=latitude")
    sea = make_sea(
        SMALL, *CLOSED, *sphere, *steps, "initial.salinity=35", "initial.other_salinity=35",
        "forcing.heat=0",
    )  # fmt: skip
    area = np.multiply(*make_metrics(sea.settings, sea.geometry).spacing)
    volume = float((sea.level * area).sum())
    heat = float((content_of_cells(sea, "temperature") * area).sum())
    sea.run.advance(40)
    sea.run.check_state()
    assert np.abs(sea.level).max() > 1e-3
    assert (values(sea, "salinity") == 35.0).all()
    whole = float(60.0 * area.sum())
    assert abs(float((sea.level * area).sum()) - volume) < 1e-14 * whole
    assert abs(float((content_of_cells(sea, "temperature") * area).sum()) / heat - 1) < 1e-13


def content_of_cells(sea: Any, name: str) -> Array:
    """Tracer times thickness, summed over the layers of each column [nx, ny]."""
    tracer = values(sea, name)
    return np.asarray(tracer.mean(axis=2) * (60.0 + sea.level))


def test_metrics_of_a_sphere(make_sea: MakeSea) -> None:
    sphere = ("grid.coordinates=spherical", "grid.latitude=40", "grid.step_longitude=0.1")
    sea = make_sea("kelvin-small", *sphere, "grid.step_latitude=0.05", "physics.rotation=latitude")
    metrics = make_metrics(sea.settings, sea.geometry)
    north = math.radians(40 + 0.5 * 0.05)
    one = math.radians(1.0) * EARTH_RADIUS
    assert metrics.spacing[0][3, 0] == pytest.approx(0.1 * one * math.cos(north), rel=1e-9)
    assert metrics.spacing[1][3, 7] == pytest.approx(0.05 * one, rel=1e-9)
    assert metrics.coriolis[3, 0] == pytest.approx(2 * EARTH_ROTATION * math.sin(north))


def write_lengths(path: Path, **lengths: Any) -> str:
    """Write a metrics file: dx and dy with values and a unit."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", 41)
        file.createDimension("x", 47)
        for name, (numbers, unit) in lengths.items():
            numbers = np.asarray(numbers)
            one = file.createVariable(name, "f8", ("y", "x")[: numbers.ndim])
            one.units = unit
            one[:] = numbers
    return f"grid.metrics={path}"


def test_lengths_from_a_file(make_sea: MakeSea, tmp_path: Path) -> None:
    """Rows of 10 km are the case itself; [y, x] is turned."""
    rows, map_ = np.full(41, 1e4), np.full((41, 47), 1e4)
    map_[4, 7] = 2e4
    file = write_lengths(tmp_path / "cells.nc", dx=(map_, "m"), dy=(rows, "m"))
    sea = make_sea("kelvin-small", file)
    spacing = make_metrics(sea.settings, sea.geometry).spacing
    assert spacing[0][7, 4] == 2e4
    assert spacing[1].shape == (47, 41)
    sea.run.advance(30)
    sea.run.check_state()


@pytest.mark.parametrize(
    ("lengths", "parts"),
    [
        ({"dx": (np.full(41, 1e4), "m")}, ("cells.nc: dy", "no such variable", "dx and dy")),
        ({"dx": (np.full(41, 10.0), "km")}, ("cells.nc: dx", "'km'", "'m'", "convert")),
        ({"dx": (np.full(41, 0.0), "m")}, ("cells.nc: dx", "0 m in cell (0, 0)", "above 0")),
    ],
)
def test_bad_lengths(
    make_sea: MakeSea, tmp_path: Path, lengths: dict[str, Any], parts: tuple[str, ...]
) -> None:
    file = write_lengths(tmp_path / "cells.nc", **lengths)
    with pytest.raises(UserError) as error:
        make_sea("kelvin-small", file)
    for part in parts:
        assert part in str(error.value)


def test_lengths_of_another_grid(make_sea: MakeSea, tmp_path: Path) -> None:
    file = write_lengths(tmp_path / "cells.nc", dx=(np.full(41, 1e4), "m"))
    with pytest.raises(
        UserError, match=r"cells.nc: dx: got the shape \(41,\); expected \(40, 47\)"
    ):
        make_sea("kelvin-small", file, "grid.cells_y=40")


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("grid.coordinates=spherical",), "grid.step_longitude: got 0 degrees"),
        (
            ("grid.coordinates=spherical", "grid.step_longitude=1", "grid.step_latitude=3"),
            "grid.latitude: got 0 to 123 degrees north; expected latitudes between -90 and 90",
        ),
        (("physics.rotation=latitude",), "physics.rotation: got 'latitude' on axes in m"),
        (("physics.coriolis_gradient=1e-11",), "expected rotation = 'beta'"),
    ],
)
def test_bad_settings(make_sea: MakeSea, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_sea("kelvin-small", *sets)


SPHERE = (
    "grid.coordinates=spherical",
    "grid.latitude=50",
    "grid.step_longitude=0.15",
    "grid.step_latitude=0.09",
    "physics.rotation=latitude",
)


@pytest.mark.ranks
@pytest.mark.parametrize("case", ["kelvin-small", SMALL])
def test_ranks_and_strategies_give_the_same_bits(same_bits: Callable[..., None], case: str) -> None:
    same_bits(case, *SPHERE)
