"""Grid files of models: each is read as the sea that it was made of, broken ones are refused."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np
import ocean_binary_files as binary
import ocean_files as files
import pytest
from lapwing.base.error import UserError
from lapwing.io.mask_file import MaskFile, read_mask
from numpy.typing import NDArray
from ocean_files import TrueSea, true_sea

SEA = true_sea()
SIZE = f"{SEA.lon.size},{SEA.lat.size}"
CAVITY = SEA.depth > 100  # ice on top of the deepest water

Write = Callable[[Path], Path]


@dataclass(frozen=True)
class Format:
    """A way to write a file of the sea, and what reading it must give."""

    write: Write  # from a folder to the file
    note: str  # what the run says first
    sea: TrueSea = SEA
    wet: NDArray[np.bool_] = field(default_factory=lambda: SEA.wet)  # [y, x]
    units: str = "degrees"  # of both axes; "1" where cells are numbered
    size: str = ""


def at(name: str, write: Callable[[Path, TrueSea], Path], sea: TrueSea = SEA) -> Write:
    """Write a file of a name into a folder."""
    return lambda folder: write(folder / name, sea)


FORMATS = {
    "roms": Format(
        at("roms_grd.nc", files.write_roms),
        "ROMS grid file: wet where mask_rho is 1, with the ring of points around the domain",
        files.with_ring(SEA),
        files.with_ring(SEA).wet,
    ),
    "roms_tools": Format(
        at("grid.nc", files.write_roms_tools),
        "ROMS grid file: wet where mask_rho is 1, with the ring",
        files.with_ring(SEA),
        files.with_ring(SEA).wet,
    ),
    "nemo_domain_cfg": Format(
        at("domain_cfg.nc", files.write_nemo_domain_cfg),
        "NEMO domain_cfg: wet where bottom_level > 0",
    ),
    "nemo_domain_cfg_t": Format(
        lambda folder: files.write_nemo_domain_cfg(folder / "domain_cfg.nc", SEA, "t"),
        "NEMO domain_cfg: wet where bottom_level > 0",
    ),
    "nemo_mesh_mask": Format(
        at("mesh_mask.nc", files.write_nemo_mesh_mask),
        "NEMO mesh_mask: wet where tmask is 1 at the surface, or misf > 1 (ice shelf)",
    ),
    "nemo_mesh_mask_ice": Format(
        lambda folder: files.write_nemo_mesh_mask(folder / "mesh_mask.nc", SEA, CAVITY),
        "NEMO mesh_mask: wet where tmask is 1 at the surface, or misf > 1 (ice shelf)",
    ),
    "nemo36_mesh_mask": Format(
        at("mesh_mask.nc", files.write_nemo36_mesh_mask),
        "NEMO mesh_mask: wet where tmask is 1 at the surface",
    ),
    "nemo36_bathy_meter": Format(
        at("bathy_meter.nc", files.write_nemo36_bathy_meter),
        "NEMO bathy_meter: wet where Bathymetry > 0",
    ),
    "mom6_topog": Format(
        at("topog.nc", files.write_mom6_topog),
        "MOM6 topography of mom6-forge: wet where mask is 1 (deeper than 20.0 m)",
        wet=SEA.depth > 20,
    ),
    "mom6_depth_only": Format(
        at("topog.nc", files.write_mom6_depth_only),
        "MOM6 topography: wet where depth > 0; MOM6 masks all that is not deeper than its MINI",
        units="1",
    ),
    "mom6_ocean_mask": Format(
        at("ocean_mask.nc", files.write_mom6_ocean_mask),
        "MOM6 ocean_mask: wet where mask is 1",
        units="1",
    ),
    "mom6_land_mask": Format(
        at("land_mask.nc", files.write_mom6_land_mask),
        "land is 1 in mask (by standard_name 'land fraction at T-cell centers'): inverted",
        units="1",
    ),
    "mom6_ocean_static": Format(
        at("ocean_static.nc", files.write_mom6_ocean_static),
        "MOM6 ocean_static: wet where wet is 1",
    ),
    "mitgcm_grid": Format(
        at("grid.nc", files.write_mitgcm_grid),
        "MITgcm grid (mnc): wet where hFacC > 0 at the surface, or Depth > 0 (ice shelf)",
    ),
    "mitgcm_grid_ice": Format(
        lambda folder: files.write_mitgcm_grid(folder / "grid.nc", SEA, cavity=CAVITY),
        "MITgcm grid (mnc): wet where hFacC > 0 at the surface, or Depth > 0 (ice shelf)",
    ),
    "mitgcm_hfac": Format(
        lambda folder: binary.write_mitgcm_hfac(folder, SEA),
        "MITgcm hFacC.data: float32, big-endian: wet where hFacC > 0 in any level",
    ),
    "mitgcm_bathymetry": Format(
        at("bathy.bin", binary.write_mitgcm_bathymetry),
        "MITgcm bathymetry (float32, big-endian): wet where it is below 0",
        units="1",
        size=SIZE,
    ),
    "hycom": Format(
        lambda folder: binary.write_hycom_depth(folder, SEA),
        "HYCOM regional.depth.a: float32, big-endian: wet where depth > 0; 2^100 is land",
    ),
    "cice_kmt": Format(
        at("kmt.nc", files.write_cice_kmt), "CICE kmt: wet where kmt >= 0.5", units="1"
    ),
    "cice_grid": Format(at("grid.nc", files.write_cice_grid), "CICE kmt: wet where kmt >= 0.5"),
    "cice_kmt_binary": Format(
        at("global.kmt", binary.write_cice_kmt_binary),
        "CICE kmt (int32, big-endian): wet where kmt >= 0.5",
        units="1",
        size=SIZE,
    ),
    "getm": Format(
        at("topo.nc", files.write_getm_topo),
        "GETM topo: wet where bathymetry > -10; flats above the mean level are wet",
    ),
    "getm_plane": Format(
        lambda folder: files.write_getm_topo(folder / "topo.nc", SEA, plane=True),
        "GETM topo: wet where bathymetry > -10; flats above the mean level are wet",
        units="m",
    ),
    "gebco": Format(
        at("gebco_2024_n51_s50_w-5_e-2.nc", files.write_gebco),
        "heights like GEBCO's: wet where elevation < 0",
    ),
    "gebco_falling": Format(
        lambda folder: files.write_gebco(folder / "gebco.nc", SEA, falling=True),
        "heights like GEBCO's: wet where elevation < 0",
    ),
    "etopo": Format(
        at("ETOPO_2022.nc", files.write_etopo), "heights like ETOPO's: wet where z < 0"
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_file_is_the_sea_it_was_made_of(tmp_path: Path, name: str) -> None:
    form = FORMATS[name]
    mask = read_mask(form.write(tmp_path), "MASK", size=form.size)
    assert np.array_equal(mask.wet, form.wet.T)
    check_axes(mask, form)
    assert any(note.startswith(form.note) for note in mask.notes), mask.notes


def check_axes(mask: MaskFile, form: Format) -> None:
    """The axes are degrees of the sea, its metres, or the numbers of its cells."""
    for axis, degrees, unit in (
        (mask.x, form.sea.lon, "degrees_east"),
        (mask.y, form.sea.lat, "degrees_north"),
    ):
        if form.units == "degrees":
            assert axis.units == unit
            assert np.allclose(axis.values, degrees, atol=1e-5)
            continue
        step = 1000.0 if form.units == "m" else 1.0
        assert axis.units == form.units
        assert np.allclose(axis.values, step * np.arange(degrees.size))


def test_falling_latitudes_are_turned_and_it_is_said(tmp_path: Path) -> None:
    mask = read_mask(FORMATS["gebco_falling"].write(tmp_path))
    assert any("latitude falls in the file: turned" in note for note in mask.notes)


def test_an_expression_decides_where_it_is_given(tmp_path: Path) -> None:
    path = FORMATS["mom6_depth_only"].write(tmp_path)
    assert np.array_equal(read_mask(path, wet="depth > 20").wet, (SEA.depth > 20).T)
    path = FORMATS["hycom"].write(tmp_path)
    assert np.array_equal(read_mask(path, wet="depth > 20").wet, (SEA.depth > 20).T)
    path = FORMATS["nemo_domain_cfg"].write(tmp_path)
    assert np.array_equal(read_mask(path, wet="bottom_level > 1").wet, (SEA.depth >= 20).T)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_without_water_is_refused(tmp_path: Path, name: str) -> None:
    form = FORMATS[name]
    if name in ("mitgcm_bathymetry", "cice_kmt_binary", "hycom"):
        return  # their openers refuse it: test_binary.py
    path = form.write(tmp_path)
    dry(path)
    with pytest.raises(UserError, match=r"MASK .*: got no wet cell"):
        read_mask(path, "MASK", size=form.size)


def dry(path: Path) -> None:
    """Put land into every cell of a file."""
    land = {"elevation": 5, "z": 5, "bathymetry": -10}
    if path.suffix == ".data":
        path.write_bytes(bytes(path.stat().st_size))
        return
    inverted = path.name == "land_mask.nc"
    names = ("mask_rho", "bottom_level", "tmask", "misf", "Bathymetry", "mask", "depth", "wet")
    with netCDF4.Dataset(path, "a") as file:
        file.set_auto_mask(False)
        for name in (*names, "hFacC", "Depth", "kmt", *land):
            if name in file.variables:
                file[name][:] = land.get(name, int(inverted))


@pytest.mark.parametrize("name", [n for n, form in FORMATS.items() if not form.size])
def test_a_truncated_file_is_refused(tmp_path: Path, name: str) -> None:
    path = FORMATS[name].write(tmp_path)
    path.write_bytes(path.read_bytes()[: min(600, path.stat().st_size * 2 // 3)])
    with pytest.raises(UserError, match=r"MASK .*: got .*(again|correct|copy)"):
        read_mask(path, "MASK")


def test_pieces_of_grids_are_refused(tmp_path: Path) -> None:
    tile = files.write_mitgcm_grid(tmp_path / "grid.t001.nc", SEA, tile=True)
    with pytest.raises(UserError, match=r"a piece: 13 of 26 cells along X; .* by gluemncbig"):
        read_mask(tile, "MASK")
    with pytest.raises(UserError, match=r"one tile of several"):
        read_mask(binary.write_mitgcm_tile(tmp_path, SEA), "MASK")


def test_records_without_a_header_need_their_size(tmp_path: Path) -> None:
    path = FORMATS["cice_kmt_binary"].write(tmp_path)
    with pytest.raises(UserError, match=r"MASK .*global.kmt: got a file without .* --size"):
        read_mask(path, "MASK")
    with pytest.raises(UserError, match=r"grid.size = .NX,NY."):
        read_mask(path, "grid.mask")
    with pytest.raises(UserError, match=r"its bytes fit 13,9$"):
        read_mask(path, "MASK", size="13,8")


def test_values_between_land_and_water_are_refused(tmp_path: Path) -> None:
    path = FORMATS["mom6_ocean_mask"].write(tmp_path)
    with netCDF4.Dataset(path, "a") as file:
        file["mask"][2, 3] = 0.4
    with pytest.raises(UserError, match=r"MASK .*mask.*0\.4"):
        read_mask(path, "MASK")


def test_two_masks_of_one_grid_are_not_mixed_up(tmp_path: Path) -> None:
    """Masks at psi, u and v points, or at corners, are of other sizes and never taken."""
    for name in ("roms", "mom6_ocean_static", "nemo_mesh_mask"):
        form = FORMATS[name]
        assert np.array_equal(read_mask(form.write(tmp_path)).wet, form.wet.T)
    path = FORMATS["roms"].write(tmp_path)
    mask = read_mask(path, variable="mask_u")
    assert mask.wet.shape == (form_size(FORMATS["roms"])[0] - 1, form_size(FORMATS["roms"])[1])


def form_size(form: Format) -> tuple[int, int]:
    return form.sea.lon.size, form.sea.lat.size


def test_a_topography_that_does_not_say_its_least_depth(tmp_path: Path) -> None:
    path = FORMATS["mom6_topog"].write(tmp_path)
    with netCDF4.Dataset(path, "a") as file:
        file.delncattr("min_depth")
    assert "(deeper than its least depth)" in read_mask(path).notes[0]


def test_a_mask_next_to_heights_goes_before_them(tmp_path: Path) -> None:
    path = FORMATS["gebco"].write(tmp_path)
    with netCDF4.Dataset(path, "a") as file:
        file.createVariable("mask", "i1", ("lat", "lon"))[:] = SEA.depth > 50
    assert np.array_equal(read_mask(path).wet, (SEA.depth > 50).T)


@pytest.mark.parametrize("dims", [("t", "y", "x"), ("y", "x")])
def test_a_tmask_without_levels_is_read_as_any_mask(tmp_path: Path, dims: tuple[str, ...]) -> None:
    shape = (1, *SEA.wet.shape)[3 - len(dims) :]
    with netCDF4.Dataset(tmp_path / "mesh_mask.nc", "w") as file:
        for dim, n in zip(dims, shape, strict=True):
            file.createDimension(dim, n)
        for name, values in (("tmask", SEA.wet), ("misf", SEA.wet), ("glamt", SEA.wet)):
            file.createVariable(name, "i1", dims)[:] = values.reshape(shape)
    mask = read_mask(tmp_path / "mesh_mask.nc")
    assert np.array_equal(mask.wet, SEA.wet.T)
    assert not any("NEMO" in note for note in mask.notes)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ({"jperio": 4}, 'tripolar grid (jperio is 4): in a model set north_fold="T"'),
        ({"jperio": 6}, 'tripolar grid (jperio is 6): in a model set north_fold="F"'),
        ({"NFtype": "F", "NFold": 1}, 'tripolar grid (NFtype is F): in a model set north_fold="F"'),
        ({"NFtype": "F", "NFold": 0}, ""),
        (
            {"y_boundary_type": "fold_north_edge"},
            "tripolar grid (y_boundary_type is fold_north_edge)",
        ),
        ({"jperio": 1}, ""),
    ],
)
def test_a_folded_grid_says_what_to_set(
    tmp_path: Path, said: dict[str, int | str], note: str
) -> None:
    path = files.write_nemo_domain_cfg(tmp_path / "domain_cfg.nc", SEA)
    with netCDF4.Dataset(path, "a") as data:
        for name, value in said.items():
            if name == "jperio":
                data[name][...] = value
            else:
                data.setncattr(name, value)
    notes = [one for one in read_mask(path).notes if "tripolar" in one]
    assert [one[: len(note)] for one in notes] == ([note] if note else [])
