"""Mask files: what is read as what, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.mask_file import MaskFile, read_mask, write_mask
from lapwing.model import Axis

Write = Callable[..., Path]

MAP = np.array([[1, 1, 0], [0, 1, 0]])  # [y, x]: 2 rows, 3 columns


def test_a_map_comes_with_x_first_and_its_axes(write: Write) -> None:
    path = write(
        wet=(("lat", "lon"), MAP, {}),
        lat=(("lat",), [50.0, 51.0], {"units": "degrees_north", "standard_name": "latitude"}),
        lon=(("lon",), [1.0, 2.0, 3.0], {"units": "degrees_east", "long_name": "to the east"}),
    )
    mask = read_mask(path)
    assert mask.wet.shape == (3, 2)
    assert mask.wet.dtype == np.bool_
    assert np.array_equal(mask.wet, MAP.T == 1)
    assert (mask.x.units, mask.x.long_name, mask.x.standard_name) == (
        "degrees_east",
        "to the east",
        "longitude",
    )
    assert (mask.y.units, mask.y.long_name) == ("degrees_north", "latitude")
    assert mask.y.values.tolist() == [50.0, 51.0]


def test_without_axes_cells_are_numbered(write: Write) -> None:
    mask = read_mask(write(wet=(("j", "i"), MAP, {})))
    assert mask.x.values.tolist() == [0, 1, 2]
    assert (mask.y.units, mask.y.long_name) == ("1", "cell number along y")


@pytest.mark.parametrize(
    ("name", "attributes", "dry"),
    [
        ("mask", {}, 0),
        ("tmask", {}, 0),
        ("whatever", {}, 0),
        ("land", {"standard_name": "land_binary_mask"}, 1),
        ("mask", {"standard_name": "land_binary_mask"}, 1),
        ("sea", {"standard_name": "sea_binary_mask"}, 0),
    ],
)
def test_other_names_and_meanings(
    write: Write, name: str, attributes: dict[str, str], dry: int
) -> None:
    values = {name: (("y", "x"), MAP, attributes)}
    expected = dry != MAP.T
    assert np.array_equal(read_mask(write(**values)).wet, expected)


def test_the_one_that_means_a_mask_is_taken(write: Write) -> None:
    path = write(
        depth=(("y", "x"), MAP * 30.0, {}),
        sea=(("y", "x"), MAP, {"standard_name": "sea_binary_mask"}),
    )
    assert np.array_equal(read_mask(path).wet, MAP.T == 1)


def test_one_time_and_one_level_are_no_dimensions(write: Write) -> None:
    path = write(tmask=(("t", "z", "y", "x"), MAP[None, None].astype("f4"), {}))
    assert np.array_equal(read_mask(path).wet, MAP.T == 1)


def test_npy_holds_y_first(tmp_path: Path) -> None:
    for kind in (bool, np.int8, np.float64):
        np.save(tmp_path / "mask.npy", MAP.astype(kind))
        mask = read_mask(tmp_path / "mask.npy")
        assert np.array_equal(mask.wet, MAP.T == 1)
        assert mask.x.values.size == 3


def test_what_is_written_is_read(tmp_path: Path) -> None:
    wet = np.asfortranarray(np.random.default_rng(5).random((7, 4)) < 0.5)
    x = Axis(np.linspace(0.25, 6.25, 7), "degrees_east", "longitude", "longitude")
    y = Axis(np.linspace(-30.0, -27.0, 4), "degrees_north", "latitude", "latitude")
    write_mask(tmp_path / "sea.nc", MaskFile(wet, x, y, "A sea"), {"source": "a die"})
    mask = read_mask(tmp_path / "sea.nc")
    assert np.array_equal(mask.wet, wet)
    assert np.array_equal(mask.x.values, x.values)
    assert np.array_equal(mask.y.values, y.values)
    assert (mask.title, mask.x.units, mask.y.standard_name) == ("A sea", x.units, "latitude")
    with netCDF4.Dataset(tmp_path / "sea.nc") as file:
        assert (file.source, file.Conventions) == ("a die", "CF-1.8")


NAN = np.array([[1.0, 0.0, np.nan], [0.0, 1.0, np.nan]])


@pytest.mark.parametrize(
    ("dimensions", "values", "attributes", "message"),
    [
        (("y", "x"), MAP * 2, {}, r"got values other than 0 \(dry\) and 1 .* \[0, 0\] is 2"),
        (("y", "x"), MAP * 0.5, {}, r"got the share 0.5 in \[y, x\] = \[0, 0\].*wet > 0.5"),
        (("y", "x"), NAN * np.nan, {}, r"got no wet cell"),
        (("y", "x"), MAP * 0, {}, r"got no wet cell; expected at least one cell where .* is 1"),
        (("y",), MAP[:, 0], {}, r"got wet of shape \(2,\) .*expected 2 dimensions"),
        (("z", "y", "x"), [MAP, MAP], {}, r"got wet of shape \(2, 2, 3\) .*wet\[0\] > 0"),
    ],
)
def test_bad_values_and_dimensions(
    write: Write, dimensions: tuple[str, ...], values: Any, attributes: Any, message: str
) -> None:
    path = write(wet=(dimensions, values, attributes))
    with pytest.raises(UserError, match=r"case.mask .*mask.nc(, wet)?: " + message):
        read_mask(path, "case.mask")


def test_land_everywhere_where_land_is_one(write: Write) -> None:
    path = write(land=(("y", "x"), MAP * 0 + 1, {"standard_name": "land_binary_mask"}))
    with pytest.raises(UserError, match=r"got no wet cell; expected .* where the mask is 0"):
        read_mask(path)


def test_two_maps_and_none_is_wet(write: Write) -> None:
    path = write(a=(("y", "x"), MAP, {}), b=(("y", "x"), MAP, {}))
    with pytest.raises(UserError, match=r"got 2 variables that may be .* \(a, b\).*variable=\"a\""):
        read_mask(path)


def test_no_map_at_all(write: Write) -> None:
    with pytest.raises(UserError, match=r"got 0 variables that may be the map of the sea \(none\)"):
        read_mask(write(time=(("time",), [0.0], {})))


def test_axes_of_another_size(write: Write) -> None:
    path = write(
        wet=(("j", "i"), MAP, {}), lat=(("lat",), [1.0] * 3, {}), lon=(("lon",), [1.0] * 2, {})
    )
    with pytest.raises(UserError, match=r"got 3 x 2 cells .*expected 2 x 3, the sizes of lon"):
        read_mask(path)


def test_longitude_first_is_read_as_it_is_meant_though_it_is_square(write: Write) -> None:
    path = write(
        wet=(("lon", "lat"), MAP[:, :2], {}),
        lon=(("lon",), [1.0, 2.0], {"units": "degrees_east"}),
        lat=(("lat",), [50.0, 51.0], {"units": "degrees_north"}),
    )
    mask = read_mask(path)
    assert np.array_equal(mask.wet, MAP[:, :2] == 1)
    assert (mask.x.values[0], mask.y.values[0]) == (1.0, 50.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones(4), r"got an array of shape \(4,\); expected 2 dimensions, \[y, x\]"),
        (np.ones((2, 2, 2)), r"got an array of shape \(2, 2, 2\)"),
        (MAP - 1, r"got values other than 0 .* and 1 .*: \[y, x\] = \[0, 2\] is -1"),
        (MAP * 0, r"got no wet cell"),
        (np.array([["1", "0"]]), r"got values of the type <U1; expected numbers"),
        (np.array([[None, 1]]), r"allow_pickle"),
    ],
)
def test_bad_npy(tmp_path: Path, values: Any, message: str) -> None:
    np.save(tmp_path / "mask.npy", values)
    with pytest.raises(UserError, match=message):
        read_mask(tmp_path / "mask.npy")


@pytest.mark.parametrize("name", ["nowhere.nc", "nowhere.npy"])
def test_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=rf"mask .*{name}: got .*No such file"):
        read_mask(tmp_path / name)


@pytest.mark.parametrize("name", ["text.nc", "text.npy", "empty.nc", "empty.npy"])
def test_files_of_other_kinds(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("land and sea\n" if "text" in name else "")
    with pytest.raises(UserError, match=rf"{name}: got .*; expected a NetCDF file"):
        read_mask(tmp_path / name)


def test_sizes_that_the_file_cannot_hold(tmp_path: Path) -> None:
    """Four damaged bytes say a map of gigabytes, whose values NetCDF would make up for minutes."""
    path = tmp_path / "mask.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("y", 2)
        file.createDimension("x", 3)
        file.createVariable("wet", "i1", ("y", "x"))[:] = MAP
    whole = path.read_bytes()
    rows = whole.index(b"y\0\0\0") + 4
    path.write_bytes(whole[:rows] + (2**30).to_bytes(4, "big") + whole[rows + 4 :])
    with pytest.raises(UserError, match=r"mask.nc, wet: got \d+ .*expected at (most|least)"):
        read_mask(path)


def test_npy_with_a_broken_head(tmp_path: Path) -> None:
    path = tmp_path / "mask.npy"
    np.save(path, MAP)
    path.write_bytes(path.read_bytes().replace(b"'shape': (", b"'shape': [(", 1))
    with pytest.raises(UserError, match=r"mask\.npy: got "):
        read_mask(path)
