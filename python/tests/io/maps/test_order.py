"""The order of a map: x or y first, rows that fall, longitudes with a jump."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.mask_file import read_mask

Write = Callable[..., Path]

WET = np.zeros((3, 4), dtype=np.int8)  # [x, y], with a corner of its own
WET[0, :] = 1
WET[:, 0] = 1
WET[1, 1] = 1
SQUARE = WET[:, :3]
NORTH, EAST = {"units": "degrees_north"}, {"units": "degrees_east"}
LAT, LON = [50.0, 51.0, 52.0, 53.0], [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "dimensions",
    [("x", "y"), ("xi_rho", "eta_rho"), ("ni", "nj"), ("lon", "lat"), ("xh", "yh"), ("LON", "LAT")],
)
def test_names_of_dimensions(write: Write, dimensions: tuple[str, str]) -> None:
    for values, order in ((SQUARE, dimensions), (SQUARE.T, dimensions[::-1])):
        mask = read_mask(write(wet=(order, values, {})))
        assert np.array_equal(mask.wet, SQUARE == 1)
        assert mask.wet.flags.f_contiguous


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ({"axis": "x"}, {"axis": "Y"}),
        ({"standard_name": "longitude"}, {"standard_name": "Latitude"}),
        ({"standard_name": "projection_x_coordinate", "units": "m"}, {}),
        ({}, {"units": "degree_N"}),
        ({"units": "degrees_E"}, {"units": "degreesN"}),
        ({"units": "degreeE"}, {"units": "Degrees_North"}),
    ],
)
def test_attributes_of_coordinates(write: Write, x: dict[str, str], y: dict[str, str]) -> None:
    coordinates = {"a": (("a",), LON, x), "b": (("b",), LAT[:3], y)}
    for values, order in ((SQUARE, ("a", "b")), (SQUARE.T, ("b", "a"))):
        mask = read_mask(write(wet=(order, values, {}), **coordinates))
        assert np.array_equal(mask.wet, SQUARE == 1)
        assert (mask.x.values[0], mask.y.values[0]) == (1.0, 50.0)


def test_no_order_is_refused_and_can_be_given(write: Write) -> None:
    path = write(wet=(("dim_0", "dim_1"), SQUARE, {}))
    with pytest.raises(UserError, match=r'\(dim_0, dim_1\), and nothing that says .*axes="y,x"'):
        read_mask(path)
    assert np.array_equal(read_mask(path, axes="x,y").wet, SQUARE == 1)
    assert np.array_equal(read_mask(path, axes="y, x").wet, SQUARE.T == 1)
    with pytest.raises(UserError, match=r"axes=.*got 'lon,lat'; expected x,y or y,x; name the"):
        read_mask(path, axes="lon,lat")


@pytest.mark.parametrize(
    "coordinates",
    [
        {"x": (("x",), LON, NORTH)},
        {"x": (("x",), LON, EAST), "a": (("x",), LON, NORTH)},
        {"x": (("x",), LON, EAST), "y": (("y",), LON, EAST)},
    ],
)
def test_contradictory_axes(write: Write, coordinates: dict[str, Any]) -> None:
    path = write(wet=(("y", "x"), SQUARE.T, {}), **coordinates)
    with pytest.raises(UserError, match=r"\(y, x\) with .* in degrees_.*contradict"):
        read_mask(path)


def test_falling_coordinates_are_turned(write: Write) -> None:
    path = write(
        wet=(("lat", "lon"), WET.T[::-1, ::-1], {}),
        lat=(("lat",), LAT[::-1], NORTH),
        lon=(("lon",), LON[::-1], EAST),
    )
    mask = read_mask(path)
    assert np.array_equal(mask.wet, WET == 1)
    assert (mask.x.values.tolist(), mask.y.values.tolist()) == (LON, LAT)
    assert mask.notes == tuple(
        f"{name} falls in the file: turned to rising" for name in ("longitude", "latitude")
    )


@pytest.mark.parametrize(
    ("given", "expected", "said"),
    [
        ([356.0, 0.0, 4.0], [356.0, 360.0, 364.0], "lon jumps from 356 to 0 degrees: continued"),
        ([178.0, -179.0, -176.0], [178.0, 181.0, 184.0], "continued to 184"),
        ([356.0, 362.5, 369.0], [356.0, 362.5, 369.0], ""),
        ([0.0, 180.0, 360.0], [0.0, 180.0, 360.0], "its last column is where the first one is"),
    ],
)
def test_longitudes_are_angles(
    write: Write, given: list[float], expected: list[float], said: str
) -> None:
    path = write(wet=(("lat", "lon"), WET.T, {}), lon=(("lon",), given, EAST))
    mask = read_mask(path)
    assert mask.x.values.tolist() == expected
    assert np.array_equal(mask.wet, WET == 1)
    assert said in "".join(mask.notes)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([50.0, 51.0, 51.0, 52.0], r"lat\[1\] = 51 and lat\[2\] = 51; expected .* to the north"),
        ([50.0, 52.0, 51.0, 53.0], r"lat\[1\] = 52 and lat\[2\] = 51"),
        ([50.0, np.nan, 51.0, 53.0], r"lat\[1\] = nan"),
    ],
)
def test_coordinates_that_do_not_rise(write: Write, values: list[float], message: str) -> None:
    path = write(wet=(("lat", "lon"), WET.T, {}), lat=(("lat",), values, NORTH))
    with pytest.raises(UserError, match=message):
        read_mask(path)


# ---- coordinates of two dimensions


def plane(degrees: float) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Longitudes and latitudes [x, y] of a grid that is turned to the left."""
    x, y = np.meshgrid(np.arange(3.0), np.arange(4.0), indexing="ij")
    angle = np.radians(degrees)
    return x * np.cos(angle) - y * np.sin(angle), 50 + x * np.sin(angle) + y * np.cos(angle)


@pytest.mark.parametrize("degrees", [0.0, 20.0, -20.0])
def test_coordinates_of_two_dimensions_tell_the_order(write: Write, degrees: float) -> None:
    lon, lat = plane(degrees)
    for order, turn in ((("a", "b"), np.asarray), (("a", "b"), np.transpose)):
        path = write(
            wet=(order, turn(WET), {"coordinates": "nav_lon nav_lat"}),
            nav_lon=(order, turn(lon % 360), {}),
            nav_lat=(order, turn(lat), {}),
        )
        mask = read_mask(path)
        assert np.array_equal(mask.wet, WET == 1)
        path.unlink()
    units = "degrees_east" if degrees == 0 else "1"  # an axis, where longitude needs one index
    assert mask.x.units == units


def test_a_grid_that_lies_askew_is_refused(write: Write) -> None:
    lon, lat = plane(44.0)
    path = write(
        wet=(("a", "b"), WET, {}), lon=(("a", "b"), lon, EAST), lat=(("a", "b"), lat, NORTH)
    )
    with pytest.raises(UserError, match=r"nothing that says which is x.*axes="):
        read_mask(path)


@pytest.mark.parametrize("degrees", [0.0, 15.0])
def test_rows_of_two_dimensions_that_fall(write: Write, degrees: float) -> None:
    lon, lat = plane(degrees)
    path = write(
        wet=(("y", "x"), WET.T[::-1], {}),
        lon=(("y", "x"), lon.T[::-1], EAST),
        lat=(("y", "x"), lat.T[::-1], NORTH),
    )
    mask = read_mask(path)
    assert np.array_equal(mask.wet, WET == 1)
    assert "falls in the file: turned to rising" in "".join(mask.notes)
