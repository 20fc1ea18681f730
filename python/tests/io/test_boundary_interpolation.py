"""Values between the points of a file: exact for planes, and refused where they are not known."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.boundary.boundary_file import open_boundary_file
from lapwing.io.boundary.interpolation import Points, between, points_in
from numpy.typing import NDArray

Array = NDArray[np.float64]


METRES = ("m", "m")
DEGREES = ("degrees_east", "degrees_north")


def points(x: object, y: object, units: tuple[str, str] = METRES) -> Points:
    return Points(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), units)


CASE = points([10.0, 12.0, 14.0, 16.0], [50.0, 51.0, 52.0])


def plane(at: Points) -> Array:
    """A value for two levels, each a plane over y and x."""
    flat = 2.0 * at.x[None, :] - 3.0 * at.y[:, None]
    return np.asarray([flat, 5.0 + flat])


@pytest.mark.parametrize(
    "file",
    [
        points([9.0, 13.0, 17.0], [49.0, 53.0]),
        points([17.0, 13.0, 9.0], [53.0, 50.5, 49.0]),  # from north to south, and west to east
        points([9.5, 9.9, 10.3, 20.0], [50.0, 52.0]),  # unequal spacings
    ],
)
def test_planes_are_exact(file: Points) -> None:
    way = between("wind", file, CASE)
    assert way is not None
    assert np.allclose(way.values(plane(file)), plane(CASE), rtol=0, atol=1e-12)


def test_longitudes_may_be_counted_from_elsewhere() -> None:
    case = points([-3.0, -1.0, 1.0, 3.0], [50.0, 51.0], DEGREES)
    file = points(np.arange(0.0, 360.0, 4.0), [52.0, 49.0], DEGREES)
    way = between("wind", file, case)
    assert way is not None
    signed = np.where(file.x > 180.0, file.x - 360.0, file.x)
    given = np.array([signed, signed])
    assert np.allclose(way.values(given)[0], case.x, rtol=0, atol=1e-12)


def test_the_same_points_need_no_way_and_half_a_cell_beyond_keeps_the_value() -> None:
    assert between("wind", points(CASE.x * (1 + 1e-7), CASE.y), CASE) is None
    inside = points([11.0, 15.0], [50.5, 51.5])
    way = between("wind", inside, CASE)
    assert way is not None
    along_x = way.values(np.array([[1.0, 5.0], [1.0, 5.0]]))
    assert np.allclose(along_x, [1.0, 2.0, 4.0, 5.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (points([11.1, 13.1], [49.0, 53.0]), r"wind, x: got cells of the file from 10.1 to 14.1"),
        (points([9.0, 17.0], [51.0, 52.0]), r"wind, y: got .* 50.5 .*larger area"),
        (points([9.0, 17.0, 17.0], [49.0, 53.0]), "wind, x: got points twice"),
        (points([9.0, 17.0], [50.0]), "wind, y: got 1 points"),
    ],
)
def test_files_that_do_not_hold_the_case_are_refused(file: Points, message: str) -> None:
    with pytest.raises(UserError, match=message):
        between("wind", file, CASE)


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (("degree_E", "degrees_N"), DEGREES),
        (("km", "m"), METRES),
        (("degrees_north", "degrees_east"), ("degrees_north", "degrees_east")),  # x and y swapped
        (("degrees", "degrees"), ("degrees", "degrees")),  # of a rotated pole
    ],
)
def test_coordinates_are_told_with_their_units(
    tmp_path: Path, units: tuple[str, str], expected: tuple[str, str]
) -> None:
    with netCDF4.Dataset(tmp_path / "f.nc", "w") as file:
        for name, count, unit in zip("yx", (2, 3), reversed(units), strict=True):
            file.createDimension(name, count)
            file.createVariable(name, "f8", (name,))[:] = np.arange(count)
            file[name].units = unit
        wind = file.createVariable("wind", "f8", ("y", "x"))
        found = points_in(file, wind)
        assert found is not None
        assert found.units == expected
        assert found.x.tolist() == [
            step * (1000.0 if units[0] == "km" else 1.0) for step in range(3)
        ]
        file["x"].delncattr("units")
        bare = points_in(file, wind)
        assert bare is not None
        assert bare.units == ("", expected[1])


def test_longitudes_along_y_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "turned.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, count, unit in (
            *(("time", 2, "hours since 2000-01-01"), ("lon", 3, "degrees_east")),
            ("lat", 3, "degrees_north"),
        ):
            file.createDimension(name, count)
            file.createVariable(name, "f8", (name,))[:] = np.arange(count)
            file[name].units = unit
        file.createVariable("wind", "f8", ("time", "lon", "lat"))[:] = 1.0
    case = {"wind": points(range(3), range(3), DEGREES)}
    with pytest.raises(UserError, match=r"wind: got y and x in degrees_east, .*\(time, y, x\)"):
        open_boundary_file(path, datetime(2000, 1, 1), 3600.0, {"wind": (3, 3)}, places=case)
