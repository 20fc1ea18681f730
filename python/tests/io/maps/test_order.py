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


def test_an_order_that_overrules_the_file_is_told(write: Write) -> None:
    path = write(wet=(("lat", "lon"), SQUARE, {}))
    mask = read_mask(path, axes="x,y")
    assert np.array_equal(mask.wet, SQUARE == 1)
    assert "wet is taken as x,y, though the file says otherwise" in mask.notes
    assert read_mask(path, axes="y,x").notes == read_mask(path).notes


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


def test_names_do_not_win_over_coordinates_that_say_the_opposite(write: Write) -> None:
    lon, lat = plane(20.0)
    for order in (("i", "j"), ("x", "y")):  # row and column, so the second is along x
        path = write(wet=(order, WET.T, {}), lon=(order, lon.T, EAST), lat=(order, lat.T, NORTH))
        with pytest.raises(UserError, match=r"whose names contradict lon and lat.*axes="):
            read_mask(path)
        assert np.array_equal(read_mask(path, axes="y,x").wet, WET == 1)
        path.unlink()
    lon, lat = plane(80.0)  # attributes say what x is, however the grid lies
    told = {"i": (("i",), LON, {"axis": "X"})}
    path = write(
        wet=(("i", "j"), WET, {}), lon=(("i", "j"), lon, EAST), lat=(("i", "j"), lat, NORTH), **told
    )
    assert np.array_equal(read_mask(path).wet, WET == 1)


def test_names_do_not_win_over_coordinates_of_one_dimension(write: Write) -> None:
    path = write(wet=(("i", "j"), WET.T, {}), lat=(("i",), LAT, {}), lon=(("j",), LON, {}))
    with pytest.raises(UserError, match=r"\(i, j\), which contradict each other"):
        read_mask(path)


# ---- several coordinates

SHIFTED = [value + 0.5 for value in LON]


@pytest.mark.parametrize(
    ("said", "others", "first"),
    [
        ({}, {"lon": EAST}, 1.0),
        ({}, {"lon": {}}, 1.0),
        ({"coordinates": "lon_t"}, {"lon_t": EAST, "lon": EAST}, 1.0),
        ({}, {"i": EAST}, 1.0),
        ({}, {"lon_t": EAST}, 0.0),
        ({"coordinates": "lon_t lon_u"}, {"lon_t": EAST}, 0.0),
    ],
)
def test_which_of_several_coordinates(
    write: Write, said: dict[str, str], others: dict[str, Any], first: float
) -> None:
    """The first in the file is half a cell off, and is never taken for that."""
    coordinates = {name: (("i",), LON, attributes) for name, attributes in others.items()}
    mask = read_mask(
        write(wet=(("j", "i"), WET.T, said), lon_u=(("i",), SHIFTED, EAST), **coordinates)
    )
    assert mask.x.values[0] == first
    assert ("lon_u, lon_t: nothing says which" in "".join(mask.notes)) == (first == 0.0)


@pytest.mark.parametrize("order", [("j", "i"), ("b", "a")])
@pytest.mark.parametrize(
    ("said", "names", "first"),
    [
        ({}, ("x_T", "y_T"), 0.0),
        ({}, ("TLON", "TLAT"), 1.0),
        ({"coordinates": "x_T y_T"}, ("x_T", "y_T"), 1.0),
    ],
)
def test_which_of_several_coordinates_of_two_dimensions(
    write: Write, order: tuple[str, str], said: dict[str, str], names: tuple[str, str], first: float
) -> None:
    """Corners come before centres in the alphabet; all tell the order, and which way rows run."""
    lon, lat = np.meshgrid(LON, LAT)
    mask = read_mask(
        write(
            wet=(order, WET.T[::-1], said),
            x_C=(order, lon + 0.5, EAST),
            y_C=(order, lat[::-1] + 0.5, NORTH),
            **{
                name: (order, values, units)
                for name, values, units in zip(names, (lon, lat[::-1]), (EAST, NORTH), strict=True)
            },
        )
    )
    assert np.array_equal(mask.wet, WET == 1)
    assert mask.x.values[0] == first
    assert ("x_C, x_T, y_C, y_T: nothing says" in "".join(mask.notes)) == (first == 0.0)


def test_a_value_that_the_sample_misses_is_no_error(write: Write) -> None:
    """A straight grid of 600 rows, of which every second one is looked at."""
    lon, lat = np.meshgrid([1.0, 2.0, 3.0], np.linspace(40, 60, 600))
    lat[3, 0] = np.nan
    path = write(
        wet=(("y", "x"), np.ones(lat.shape, np.int8), {}),
        lon=(("y", "x"), lon, EAST),
        lat=(("y", "x"), lat, NORTH),
    )
    mask = read_mask(path)
    assert (mask.y.units, mask.y.values[1]) == ("1", 1.0)
