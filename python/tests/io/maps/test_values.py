"""Values that a file hides, packs or spreads over levels; which variable is the map."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.maps import dataset
from lapwing.io.mask_file import read_mask

Write = Callable[..., Path]

MAP = np.array([[1, 1, 0], [0, 1, 0]], dtype=np.int8)  # [y, x]
DEPTH = np.array([[30.0, 5.0, 0.0], [-3.0, 20.0, -9.0]])
YX = ("y", "x")


@pytest.mark.parametrize(
    ("values", "attributes"),
    [
        (np.where(MAP == 1, 1, np.nan), {}),
        (np.where(MAP == 1, 1, 9).astype("i1"), {"_FillValue": np.int8(9)}),
        (np.where(MAP == 1, 1, 9).astype("i2"), {"missing_value": np.int16(9)}),
        (np.where(MAP == 1, 1, 9).astype("i1"), {"valid_range": np.array([0, 1], "i1")}),
        (np.where(MAP == 1, 1, 9).astype("f4"), {"valid_max": np.float32(2)}),
        (np.where(MAP == 1, 1, -5).astype("i4"), {"valid_min": np.int32(0)}),
        (np.where(MAP == 1, 1, netCDF4.default_fillvals["i4"]).astype("i4"), {}),
        (np.where(MAP == 1, 1, netCDF4.default_fillvals["f4"]).astype("f4"), {}),
    ],
)
def test_cells_without_a_value_are_dry_and_it_is_said(
    write: Write, values: Any, attributes: dict[str, Any]
) -> None:
    mask = read_mask(write(wet=(YX, values, attributes)))
    assert np.array_equal(mask.wet, MAP.T == 1)
    assert mask.notes == ("3 of 6 cells have no value of wet: dry",)


def test_the_number_under_a_mask_is_never_compared(write: Write) -> None:
    """A fill value of 1e20 is deeper than any sea."""
    depth = np.where(DEPTH > 10, DEPTH, 1e20)
    path = write(depth=(YX, depth, {"_FillValue": 1e20, "units": "m"}))
    for wet in ("depth > 10", "not depth <= 10", ""):
        assert np.array_equal(read_mask(path, wet=wet).wet, DEPTH.T > 10)


def test_npy_with_nan(tmp_path: Path) -> None:
    np.save(tmp_path / "mask.npy", np.where(MAP == 1, 1, np.nan))
    mask = read_mask(tmp_path / "mask.npy")
    assert np.array_equal(mask.wet, MAP.T == 1)
    assert "3 of 6 cells have no value" in mask.notes[0]


def test_packing_and_byte_order(write: Write) -> None:
    packed = (MAP * 10 + 5).astype(">i2")
    attributes = {"scale_factor": 0.1, "add_offset": -0.5, "valid_max": np.int16(20)}
    assert np.array_equal(read_mask(write(wet=(YX, packed, attributes))).wet, MAP.T == 1)


def test_bools_as_bytes(tmp_path: Path) -> None:
    import xarray

    xarray.Dataset({"wet": (YX, MAP == 1)}).to_netcdf(tmp_path / "mask.nc")
    assert np.array_equal(read_mask(tmp_path / "mask.nc").wet, MAP.T == 1)


@pytest.mark.parametrize(
    ("begin", "remedy"),
    [
        (b"\x1f\x8b\x08", "unpack it first: gunzip"),
        (b"BZh9", "unpack it first: bunzip2"),
        (b"\x89HDF\r\n\x1a\n" + bytes(90), r"damaged or not whole \(98 bytes\)"),
        (b"nothing", "correct the name or the file"),
    ],
)
def test_the_first_bytes_tell_how_to_go_on(tmp_path: Path, begin: bytes, remedy: str) -> None:
    (tmp_path / "sea.nc").write_bytes(begin)
    with pytest.raises(UserError, match=remedy):
        read_mask(tmp_path / "sea.nc")


def test_lists_of_numbers_are_refused(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "mask.nc", "w") as file:
        file.createDimension("y", 2)
        file.createDimension("x", 3)
        mask = file.createVariable("mask", file.createVLType(np.int32, "list"), YX)
        mask[0, 0] = np.array([1, 2], "i4")
    with pytest.raises(UserError, match=r"got lists of numbers \(a VLEN type\)"):
        read_mask(tmp_path / "mask.nc")


def test_by_blocks_of_rows(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    wet = (np.random.default_rng(3).random((11, 7)) < 0.5).astype("i1")  # [y, x]
    monkeypatch.setattr(dataset, "BLOCK_BYTES", 8 * 7 * 3)
    assert [rows.stop - rows.start for rows in dataset.row_blocks((11, 7))] == [3, 3, 3, 2]
    assert [rows.stop - rows.start for rows in dataset.row_blocks((11, 7), 4)] == [4, 4, 3]
    lat = np.arange(11.0)[::-1]
    path = write(wet=(("lat", "x"), wet[::-1], {}), lat=(("lat",), lat, {}))
    assert np.array_equal(read_mask(path).wet, wet.T == 1)
    path.unlink()
    path = write(wet=(("x", "lat"), wet[::-1].T, {}), lat=(("lat",), lat, {}))
    assert np.array_equal(read_mask(path).wet, wet.T == 1)
    bad = wet.copy()
    bad[7, 2] = 5
    path.unlink()
    with pytest.raises(UserError, match=r"\[y, x\] = \[7, 2\] is 5"):
        read_mask(write(wet=(YX, bad, {})))


# ---- expressions on files


def test_levels_times_and_places(write: Write) -> None:
    open_ = np.stack([DEPTH > 0, DEPTH > 10]).astype("f4")  # [z, y, x]
    path = write(
        hFacC=(("Z", "Y", "X"), open_, {}),
        tmask=(("t", "z", "Y", "X"), open_[None], {}),
        lat=(("Y",), [50.0, 51.0], {"units": "degrees_north"}),
        turned=(("X", "Y"), DEPTH.T, {}),
    )
    for wet, expected in (
        ("hFacC[0] > 0", DEPTH > 0),
        ("hFacC[-1] == 1", DEPTH > 10),
        ("tmask[0, 1] == 1", DEPTH > 10),
        ("tmask[1] == 1 and lat < 50.5", (DEPTH > 10) & [[True], [False]]),
        ("hFacC[0] > 0 and turned > 10", DEPTH > 10),
        ("lat > 50.5 and turned > 10", (DEPTH > 10) & [[False], [True]]),
    ):
        mask = read_mask(path, wet=wet)
        assert np.array_equal(mask.wet.T, expected), wet
        assert mask.notes == (f"wet where {wet}",)


@pytest.mark.parametrize(
    ("wet", "message"),
    [
        ("bottom > 0", r"grid.wet = .* got the name bottom, which the file lacks; expected a vari"),
        ("depth > 99", "got no wet cell; expected at least one cell where depth > 99"),
        ("levels > 0", r"got levels of shape \(2, 2, 3\) over \(z, y, x\).*\"levels\[0\] > 0\""),
        ("levels[2] > 0", r"levels\[2\]: got the index 2; expected 0 to 1 along z"),
        ("depth[0] > 0", r"got depth\[0\] of shape"),
        ("depth > 0 and other > 0", r"other over \(b 2, a 3\) and depth over \(y 2, x 3\)"),
        ("name == 1", "got values of the type <U1; expected numbers"),
        ("y > 0", r"got y of shape \(2,\) over \(y\); expected 2 dimensions"),
    ],
)
def test_expressions_that_do_not_fit(write: Write, wet: str, message: str) -> None:
    path = write(
        depth=(YX, DEPTH, {}),
        levels=(("z", *YX), np.stack([DEPTH, DEPTH]), {}),
        other=(("b", "a"), DEPTH, {}),
        name=(("n",), np.array(["a", "b"]), {}),
        y=(("y",), [1.0, 2.0], {}),
    )
    with pytest.raises(UserError, match=message):
        read_mask(path, "grid.mask", wet=wet)


# ---- which variable


def test_two_candidates_are_refused_and_one_can_be_named(write: Write) -> None:
    depth = np.maximum(DEPTH, 0)
    path = write(mask=(YX, MAP, {}), wet=(YX, 1 - MAP, {}), depth=(YX, depth, {"units": "m"}))
    with pytest.raises(UserError, match=r"2 variables that .*\(wet, mask\).*--variable \"wet\""):
        read_mask(path, "MASK")
    assert np.array_equal(read_mask(path, variable="mask").wet, MAP.T == 1)
    assert np.array_equal(read_mask(path, variable="depth").wet, DEPTH.T > 0)
    with pytest.raises(UserError, match=r"the name sea, which .*: mask, wet, depth"):
        read_mask(path, variable="sea")


def test_masks_go_before_depths_and_depths_before_others(write: Write) -> None:
    path = write(
        lsm=(YX, MAP, {}), elevation=(YX, -DEPTH, {}), roughness=(YX, DEPTH, {}), lon=(YX, MAP, {})
    )
    assert np.array_equal(read_mask(path).wet, MAP.T == 0)
    path.unlink()
    path = write(elevation=(YX, -DEPTH, {}), roughness=(YX, DEPTH, {}))
    mask = read_mask(path)
    assert np.array_equal(mask.wet, DEPTH.T > 0)
    assert mask.notes == ("wet where elevation < 0",)


def test_roms_is_known_by_its_names(write: Write) -> None:
    lon, lat = np.meshgrid([3.0, 4.0, 5.0], [60.0, 61.0])
    dims = ("eta_rho", "xi_rho")
    path = write(
        h=(dims, DEPTH + 50, {"units": "meter"}),
        lon_rho=(dims, lon, {}),
        lat_rho=(dims, lat, {}),
        mask_rho=(dims, MAP.astype("f8"), {"long_name": "mask on RHO-points"}),
        mask_u=(("eta_u", "xi_u"), MAP[:, 1:].astype("f8"), {}),
    )
    mask = read_mask(path)
    assert np.array_equal(mask.wet, MAP.T == 1)
    assert (mask.x.values.tolist(), mask.x.units) == ([3.0, 4.0, 5.0], "degrees_east")
    assert mask.y.values.tolist() == [60.0, 61.0]
    assert "ROMS grid file" in mask.notes[0]
