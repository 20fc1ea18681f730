"""Binary maps: what their openers find in files of a known sea, and what they refuse."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import ocean_binary_files as files
import pytest
import xarray as xr
from lapwing.base.error import UserError
from lapwing.io.maps.binary import is_binary, open_binary
from lapwing.io.maps.request import MapRequest
from ocean_files import mitgcm_fractions, nemo_bottom, true_sea, write_gebco

SEA = true_sea()
NX, NY = SEA.lon.size, SEA.lat.size


def opened(path: Path, size: tuple[int, int] | None = None) -> xr.Dataset:
    """The file as `lapwing partition` opens it."""
    text = ",".join(map(str, size or ()))
    return open_binary(path, "MASK", MapRequest("MASK", size=text))


@pytest.mark.parametrize("bits", [32, 64])
def test_mitgcm_fractions_come_with_their_degrees(tmp_path: Path, bits: int) -> None:
    data = files.write_mitgcm_hfac(tmp_path, SEA, bits)
    for path in (data, data.with_suffix(".meta")):
        found = opened(path)
        assert found.hFacC.dims == ("Z", "Y", "X")
        assert np.allclose(found.hFacC, mitgcm_fractions(SEA))
        assert np.allclose(found.XC, SEA.degrees[0])
        assert np.allclose(found.YC, SEA.degrees[1])
        assert found.YC.units == "degrees_north"
        assert found.source == f"MITgcm hFacC.data: float{bits}, big-endian"
        assert found.hFacC.dtype.isnative
        assert np.array_equal(found.column, SEA.wet)


def test_mitgcm_without_degrees_or_with_those_of_another_grid(tmp_path: Path) -> None:
    data = files.write_mitgcm_hfac(tmp_path, SEA)
    (tmp_path / "YC.meta").unlink()
    assert set(opened(data).variables) == {"hFacC", "column"}
    (tmp_path / "other").mkdir()
    files.write_mitgcm_hfac(tmp_path / "other", true_sea(4, 3))
    for name in ("XC.data", "XC.meta", "YC.data", "YC.meta"):
        (tmp_path / "other" / name).rename(tmp_path / name)
    assert set(opened(data).variables) == {"hFacC", "column"}


def test_hycom_depths_come_with_their_degrees(tmp_path: Path) -> None:
    depth = files.write_hycom_depth(tmp_path, SEA)
    for path in (depth, depth.with_suffix(".b")):
        found = opened(path)
        assert np.array_equal(found.depth, np.where(SEA.wet, SEA.depth, np.nan), equal_nan=True)
        assert np.allclose(found.plon, SEA.degrees[0])
        assert np.allclose(found.plat, SEA.degrees[1])
    assert opened(depth, (NX, NY)).depth.shape == (NY, NX)


def test_hycom_without_its_grid_needs_the_size(tmp_path: Path) -> None:
    depth = files.write_hycom_depth(tmp_path, SEA)
    for grid in tmp_path.glob("regional.grid.*"):
        grid.unlink()
    found = opened(depth, (NX, NY))
    assert set(found.variables) == {"depth"}
    with pytest.raises(UserError, match=r"MASK: got no regional.grid.b .* --size .NX,NY."):
        opened(depth)
    with pytest.raises(UserError, match=r"got depths behind 12 x 9 cells; .* --size .NX,NY."):
        opened(depth, (NX - 1, NY))
    with pytest.raises(UserError, match=r"16,384 bytes; expected 49,152, for 120 x 90 cells"):
        opened(depth, (120, 90))


def test_records_of_cice_and_of_mitgcm(tmp_path: Path) -> None:
    kmt = files.write_cice_kmt_binary(tmp_path / "global.kmt", SEA)
    found = opened(kmt, (NX, NY))
    assert np.array_equal(found.kmt, nemo_bottom(SEA))
    assert found.source == " (int32, big-endian)"
    heights = files.write_mitgcm_bathymetry(tmp_path / "bathy.bin", SEA)
    found = opened(heights, (NX, NY))
    assert np.array_equal(found.bathymetry, np.where(SEA.wet, -SEA.depth, 0.0))
    assert found.source == "float32, big-endian"


@pytest.mark.parametrize(
    ("kind", "source"),
    [("<f4", "float32, little-endian"), (">f8", "float64, big-endian"), ("<i4", "int32, little-")],
)
def test_types_and_byte_orders_show_in_the_values(tmp_path: Path, kind: str, source: str) -> None:
    values = nemo_bottom(SEA) if kind == "<i4" else SEA.depth
    path = tmp_path / "map.bin"
    path.write_bytes(values.astype(kind).tobytes())
    found = opened(path, (NX, NY))
    assert np.array_equal(next(iter(found.values())), values)
    assert source in found.source


def test_what_is_binary(tmp_path: Path) -> None:
    for name in ("hFacC.data", "hFacC.meta", "regional.depth.a", "depth.b"):
        assert is_binary(tmp_path / name)  # there or not: its opener says what is missing
    assert is_binary(files.write_cice_kmt_binary(tmp_path / "kmt", SEA))
    assert is_binary(files.write_mitgcm_bathymetry(tmp_path / "topo.bin", SEA))
    assert not is_binary(write_gebco(tmp_path / "gebco.bin", SEA))
    assert not is_binary(tmp_path / "missing.bin")
    (tmp_path / "words.nc").write_text("no NetCDF")
    assert not is_binary(tmp_path / "words.nc")


Break = Callable[[Path], object]


def shorten(name: str) -> Break:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-4])


def remove(name: str) -> Break:
    return lambda folder: (folder / name).unlink()


def change(name: str, old: str, new: str) -> Break:
    def write(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return write


@pytest.mark.parametrize(
    ("breaks", "message"),
    [
        (shorten("hFacC.data"), r"1,400 bytes; expected 1,404, for 13 x 9 x 3 numbers of 4 bytes"),
        (remove("hFacC.meta"), r"got no hFacC.meta .* which has the sizes \(or --size .NX,NY.\)"),
        (remove("hFacC.data"), r"got no hFacC.data; .* copy hFacC.data too"),
        (change("hFacC.meta", "float32", "float16"), r"hFacC.meta: got .* dataprec float16"),
        (change("hFacC.meta", "dimList", "list"), r"hFacC.meta: got dimList of 0 numbers"),
        (change("hFacC.meta", "         1 ]", "        12 ]"), r"got 12 records; expected one"),
        (shorten("XC.data"), r"MASK, XC: got 464 bytes; expected 468"),
    ],
)
def test_broken_files_of_mitgcm(tmp_path: Path, breaks: Break, message: str) -> None:
    data = files.write_mitgcm_hfac(tmp_path, SEA)
    breaks(tmp_path)
    with pytest.raises(UserError, match=message):
        opened(data)


@pytest.mark.parametrize(
    ("breaks", "message"),
    [
        (shorten("regional.depth.a"), r"got 16,380 bytes; expected 16,384, for 13 x 9 cells"),
        (remove("regional.depth.b"), r"got no regional.depth.b .* copy regional.depth.b to"),
        (remove("regional.depth.a"), r"got no regional.depth.a; .* copy regional.depth.a too"),
        (change("regional.depth.b", "188.0", "288.0"), r"got depths of 5 to 188 m .* 5 to 288 m"),
        (change("regional.depth.b", "min,max", "range"), r"regional.depth.b: got no depths"),
        (change("regional.grid.b", "'jdm", "'kdm"), r"regional.grid.b: got no idm and jdm"),
        (lambda f: (f / "regional.grid.a").write_bytes(b"1" * 16384), r"at least the 32,768"),
    ],
)
def test_broken_files_of_hycom(tmp_path: Path, breaks: Break, message: str) -> None:
    depth = files.write_hycom_depth(tmp_path, SEA)
    breaks(tmp_path)
    with pytest.raises(UserError, match=message):
        opened(depth)


def test_a_tile_and_sizes_that_contradict_a_companion(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"one tile of several; .*; join the tiles"):
        opened(files.write_mitgcm_tile(tmp_path, SEA))
    for path in (files.write_hycom_depth(tmp_path, SEA), files.write_mitgcm_hfac(tmp_path, SEA)):
        with pytest.raises(UserError, match=r"a size of 9 x 13 cells; expected 13 x 9, as .* says"):
            opened(path, (NY, NX))


def test_records_whose_sizes_or_values_do_not_fit(tmp_path: Path) -> None:
    path = files.write_mitgcm_bathymetry(tmp_path / "bathy.bin", SEA)
    with pytest.raises(UserError, match=r"a file without a header.*--size .NX,NY."):
        opened(path)
    with pytest.raises(UserError, match=r"468 bytes; expected 432, .*: its bytes fit 13,9$"):
        opened(path, (12, 9))
    path.write_bytes(b"")
    with pytest.raises(UserError, match=r"got 0 bytes; expected 468, .* correct the size$"):
        opened(path, (NX, NY))
    for content in (np.zeros(NX * NY), np.full(NX * NY, 1e30), np.full(NX * NY, np.nan)):
        path.write_bytes(content.astype(">f4").tobytes())
        with pytest.raises(UserError, match=r"neither levels nor metres; .* write it as NetCDF"):
            opened(path, (NX, NY))


@pytest.mark.parametrize("size", ["13", "13,9,3", "0,9", "-1,9", "a,b", "1e3,9", "13 9"])
def test_sizes_that_are_none(tmp_path: Path, size: str) -> None:
    path = files.write_mitgcm_bathymetry(tmp_path / "bathy.bin", SEA)
    with pytest.raises(UserError, match=r'--size "NX,NY": got .*; expected .* like 360,180'):
        open_binary(path, "MASK", MapRequest("MASK", size=size))
