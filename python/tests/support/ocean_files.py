"""NetCDF files with the layouts that ocean models and their tools write, made of a known sea.

The sea differs from its mirror images and from its transpose, so a reader that mixes up axes or
directions finds another one.

Each function writes one variant of one format, with the names, types, sizes and attributes of the
real file, and says where its layout is described. Binary files are in `ocean_binary_files`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import netCDF4
import numpy as np
from numpy.typing import NDArray

Variables = Mapping[str, tuple[tuple[str, ...], Any, dict[str, Any]]]
DataModel = Literal["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]

_CLASSIC: DataModel = "NETCDF3_CLASSIC"


@dataclass(frozen=True)
class TrueSea:
    """A sea [ny, nx]: depths in metres, below zero on land, and the degrees of its cell centres."""

    depth: NDArray[np.float64]
    lon: NDArray[np.float64]
    lat: NDArray[np.float64]

    @property
    def wet(self) -> NDArray[np.bool_]:
        """True where there is water."""
        return self.depth > 0

    @property
    def degrees(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The longitude and latitude of every cell, as curvilinear grids keep them."""
        lon, lat = np.meshgrid(self.lon, self.lat)
        return lon, lat


def true_sea(nx: int = 13, ny: int = 9) -> TrueSea:
    """Make a sea with water of 5 m to 195 m, and land that is at least 5 m high."""
    i, j = np.meshgrid(np.arange(nx), np.arange(ny))
    waves = np.sin(0.9 * i + 0.4 * j) + 0.7 * np.cos(0.5 * j - 0.2 * i) + 0.25
    depth = np.round(100 * waves)
    depth = np.where(depth > 0, np.maximum(depth, 5.0), np.minimum(depth, -5.0))
    lon, lat = np.linspace(-5.0, 0.25 * nx - 5.25, nx), np.linspace(50.0, 49.875 + 0.125 * ny, ny)
    return TrueSea(depth, lon, lat)


def write_variables(
    path: Path,
    variables: Variables,
    attributes: Mapping[str, Any] | None = None,
    data_model: DataModel = "NETCDF4",
    unlimited: str = "",
) -> Path:
    """Write variables by name as (dimensions, values, attributes), byte by byte as given."""
    with netCDF4.Dataset(path, "w", format=data_model) as file:
        file.setncatts(dict(attributes or {}))
        for name, (dimensions, values, words) in variables.items():
            array = np.asarray(values)
            for dimension, n in zip(dimensions, array.shape, strict=True):
                if dimension not in file.dimensions:
                    file.createDimension(dimension, None if dimension == unlimited else n)
            fill = words.get("_FillValue")
            made = file.createVariable(name, array.dtype, dimensions, fill_value=fill)
            made.set_auto_maskandscale(False)
            made.setncatts({k: v for k, v in words.items() if k != "_FillValue"})
            made[...] = array
    return path


# ---- ROMS


def with_ring(sea: TrueSea) -> TrueSea:
    """The sea with a ring of points around it that repeat their neighbours, as ROMS keeps it."""
    lon = np.pad(sea.lon, 1, mode="reflect", reflect_type="odd")
    lat = np.pad(sea.lat, 1, mode="reflect", reflect_type="odd")
    return TrueSea(np.pad(sea.depth, 1, mode="edge"), lon, lat)


def write_roms(path: Path, sea: TrueSea) -> Path:
    """Write a grid file of ROMS: float64 masks at rho, psi, u and v points.

    Layout: Data/ROMS/CDL/grd_spherical.cdl of myroms.org's ROMS 4.
    """
    return write_variables(path, _roms(sea, np.float64, "degree"), {"type": "GRID file"}, _CLASSIC)


def write_roms_tools(path: Path, sea: TrueSea) -> Path:
    """Write a grid file of UCLA's roms-tools: int32 masks, none at psi points.

    Layout: `roms_tools/setup/grid.py` and `mask.py` of roms-tools 3.7.0.
    """
    variables = _roms(sea, np.int32, "degrees ")
    del variables["mask_psi"]
    title = {"title": "ROMS grid created by ROMS-Tools", "roms_tools_version": "3.7.0"}
    return write_variables(path, variables, title)


def _roms(
    sea: TrueSea, kind: type[np.generic], degree: str
) -> dict[str, tuple[tuple[str, ...], Any, dict[str, Any]]]:
    ringed = with_ring(sea)
    lon, lat = ringed.degrees
    wet = ringed.wet.astype(kind)
    east, north = (
        ("degree_east", "degree_north") if degree == "degree" else ("degrees East", "degrees North")
    )
    rho, u, v, psi = (
        (f"eta_{a}", f"xi_{b}")
        for a, b in (("rho", "rho"), ("rho", "u"), ("v", "rho"), ("psi",) * 2)
    )
    flags = {"flag_values": np.array([0, 1], dtype=kind), "flag_meanings": "land water"}
    if kind is np.int32:
        flags = {"units": "land/water (0/1)"}
    return {
        "spherical": ((), np.array(b"T", dtype="S1"), {"long_name": "grid type logical switch"}),
        "lon_rho": (rho, lon, {"long_name": "longitude of RHO-points", "units": east}),
        "lat_rho": (rho, lat, {"long_name": "latitude of RHO-points", "units": north}),
        "h": (rho, np.maximum(ringed.depth, 5.0), {"units": "meter"}),
        "mask_rho": (rho, wet, {"long_name": "mask on RHO-points", **flags}),
        "mask_u": (u, wet[:, 1:] * wet[:, :-1], {"long_name": "mask on U-points", **flags}),
        "mask_v": (v, wet[1:] * wet[:-1], {"long_name": "mask on V-points", **flags}),
        "mask_psi": (psi, _corners(wet), {"long_name": "mask on PSI-points", **flags}),
    }


def _corners(wet: NDArray[Any]) -> NDArray[Any]:
    corners: NDArray[Any] = wet[1:, 1:] * wet[1:, :-1] * wet[:-1, 1:] * wet[:-1, :-1]
    return corners


# ---- NEMO

_NEMO_LEVELS = 5


def nemo_bottom(sea: TrueSea) -> NDArray[np.int32]:
    """The number of wet levels of each column, 0 on land, of at most `_NEMO_LEVELS - 1`."""
    levels = 1 + np.digitize(sea.depth, [20.0, 60.0, 120.0])
    return np.where(sea.wet, levels, 0).astype(np.int32)


def write_nemo_domain_cfg(path: Path, sea: TrueSea, time: str = "time_counter") -> Path:
    """Write domain_cfg.nc of NEMO 4.0 to 5: int32 bottom_level, top_level, a time axis of one.

    Layout: `cfg_write` of OCE/DOM/domain.F90 and OCE/IOM/iom_nf90.F90 of NEMO 4.0 to 4.2; the tool
    DOMAINcfg names the time axis t.
    """
    bottom = nemo_bottom(sea)
    plane = (time, "y", "x")
    variables: Variables = {
        **_nemo_axes(sea, time),
        "jpiglo": ((), np.int32(sea.lon.size), {}),
        "jpjglo": ((), np.int32(sea.lat.size), {}),
        "jperio": ((), np.int32(0), {}),
        "ln_isfcav": ((), np.int32(0), {}),
        **_nemo_degrees(sea, plane),
        "e3t_0": ((time, "nav_lev", "y", "x"), np.ones((1, _NEMO_LEVELS, *bottom.shape)), {}),
        "top_level": (plane, np.minimum(bottom, 1)[None], {}),
        "bottom_level": (plane, bottom[None], {}),
    }
    config = {"nn_cfg": np.int32(4), "cn_cfg": "SEA", "DOMAIN_number_total": np.int32(1)}
    return write_variables(path, variables, config, "NETCDF3_64BIT_OFFSET", time)


def write_nemo_mesh_mask(path: Path, sea: TrueSea, cavity: NDArray[np.bool_] | None = None) -> Path:
    """Write mesh_mask.nc of NEMO 4: int8 tmask [t, z, y, x], mbathy, misf; `cavity`: ice on top.

    Layout: `dom_wri` of OCE/DOM/domwri.F90 of NEMO 4.0. Where there is an ice-shelf cavity, the
    uppermost levels are dry although the column is wet.
    """
    bottom = nemo_bottom(sea)
    covered = np.zeros(bottom.shape, bool) if cavity is None else cavity & (bottom > 1)
    top = np.where(bottom > 0, 1 + covered, 0).astype(np.int32)
    level = np.arange(1, _NEMO_LEVELS + 1)[:, None, None]
    masks = ((level >= np.maximum(top, 1)) & (level <= bottom)).astype(np.int8)
    t, plane = "time_counter", ("time_counter", "y", "x")
    variables: Variables = {
        **_nemo_axes(sea, t),
        "ln_isfcav": ((), np.int32(cavity is not None), {}),
        "tmask": ((t, "nav_lev", "y", "x"), masks[None], {}),
        "umask": ((t, "nav_lev", "y", "x"), masks[None] * 0, {}),
        "tmaskutil": (plane, (bottom > 0).astype(np.int8)[None], {}),
        **_nemo_degrees(sea, plane),
        "mbathy": (plane, bottom[None], {}),
        "misf": (plane, top[None], {}),
    }
    return write_variables(path, variables, {}, "NETCDF3_64BIT_OFFSET", t)


def write_nemo36_mesh_mask(path: Path, sea: TrueSea) -> Path:
    """Write mesh_mask.nc of NEMO 3.6: dimensions t, z, y, x; degrees as float32; int16 mbathy.

    Layout: `dom_wri` of OPA_SRC/DOM/domwri.F90 of NEMO 3.6.
    """
    bottom = nemo_bottom(sea)
    masks = (np.arange(1, _NEMO_LEVELS + 1)[:, None, None] <= bottom).astype(np.int8)
    variables: Variables = {
        "nav_lon": (("y", "x"), sea.degrees[0].astype(np.float32), {}),
        "nav_lat": (("y", "x"), sea.degrees[1].astype(np.float32), {}),
        "nav_lev": (("z",), np.arange(_NEMO_LEVELS, dtype=np.float32), {}),
        "time_counter": (("t",), np.zeros(1), {}),
        "tmask": (("t", "z", "y", "x"), masks[None], {}),
        "glamt": (("t", "y", "x"), sea.degrees[0].astype(np.float32)[None], {}),
        "gphit": (("t", "y", "x"), sea.degrees[1].astype(np.float32)[None], {}),
        "mbathy": (("t", "y", "x"), bottom.astype(np.int16)[None], {}),
    }
    return write_variables(path, variables, {}, _CLASSIC, "t")


def write_nemo36_bathy_meter(path: Path, sea: TrueSea) -> Path:
    """Write bathy_meter.nc of NEMO 3.6: float32 Bathymetry in metres, 0 on land.

    Layout: `zgr_bat` of OPA_SRC/DOM/domzgr.F90 of NEMO 3.6 reads it; NESTING and SIREN write it.
    """
    depth = np.maximum(sea.depth, 0.0).astype(np.float32)
    words = {"units": "meters", "long_name": "Median depth by area"}
    variables: Variables = {
        "nav_lon": (("y", "x"), sea.degrees[0].astype(np.float32), {"units": "degrees_east"}),
        "nav_lat": (("y", "x"), sea.degrees[1].astype(np.float32), {"units": "degrees_north"}),
        "Bathymetry": (("y", "x"), depth, words),
    }
    return write_variables(path, variables, {}, _CLASSIC)


def _nemo_axes(sea: TrueSea, time: str) -> Variables:
    lon, lat = (values.astype(np.float32) for values in sea.degrees)
    return {
        "nav_lon": (("y", "x"), lon, {}),
        "nav_lat": (("y", "x"), lat, {}),
        "nav_lev": (("nav_lev",), np.arange(_NEMO_LEVELS, dtype=np.float32), {}),
        "time_counter": ((time,), np.zeros(1), {}),
    }


def _nemo_degrees(sea: TrueSea, plane: tuple[str, ...]) -> Variables:
    lon, lat = sea.degrees
    return {"glamt": (plane, lon[None], {}), "gphit": (plane, lat[None], {})}


# ---- MOM6


def write_mom6_ocean_mask(path: Path, sea: TrueSea) -> Path:
    """Write ocean_mask.nc of FRE-NCtools: float64 mask [ny, nx], 1 in the sea, without degrees.

    Layout: `make_quick_mosaic` and `make_solo_mosaic` of FRE-NCtools.
    """
    words = {"standard_name": "ocean fraction at T-cell centers", "units": "none"}
    variables: Variables = {"mask": (("ny", "nx"), sea.wet.astype(np.float64), words)}
    return write_variables(path, variables, {"grid_version": "0.2"}, _CLASSIC)


def write_mom6_land_mask(path: Path, sea: TrueSea) -> Path:
    """Write land_mask.nc of FRE-NCtools: as ocean_mask.nc, but 1 is land.

    Layout: `make_quick_mosaic` and `make_solo_mosaic` of FRE-NCtools.
    """
    words = {"standard_name": "land fraction at T-cell centers", "units": "none"}
    variables: Variables = {"mask": (("ny", "nx"), (~sea.wet).astype(np.float64), words)}
    return write_variables(path, variables, {"grid_version": "0.2"}, _CLASSIC)


def write_mom6_topog(path: Path, sea: TrueSea, least: float = 20.0) -> Path:
    """Write topog.nc of mom6-forge: mask is 1 where the raw depth is more than `least`.

    Layout: `Topo.gen_topo_ds` and `write_topo` of mom6-forge 0.3.1, which regional-mom6 1.0.4 uses.
    """
    lon, lat = sea.degrees
    raw = np.where(sea.depth < -60.0, np.nan, sea.depth)  # heights, and nothing far from the coast
    wet = sea.depth > least
    nan, plane = np.float64(np.nan), ("ny", "nx")
    north, east = ({"units": f"degrees_{side}", "_FillValue": nan} for side in ("north", "east"))
    variables: Variables = {
        "y": (plane, lat, {"long_name": "array of t-grid latitudes", **north}),
        "x": (plane, lon, {"long_name": "array of t-grid longitutes", **east}),
        "mask": (
            plane,
            wet.astype(np.int32),
            {"long_name": "landsea mask at t points: 1 ocean, 0 land", "units": "nondim"},
        ),
        "depth_raw": (plane, raw, {"units": "m", "_FillValue": nan}),
        "depth": (plane, np.where(wet, sea.depth, 0.0), {"units": "m", "_FillValue": nan}),
    }
    attributes = {"title": "MOM6 topography file", "min_depth": least, "max_depth": 200.0}
    return write_variables(path, variables, attributes, "NETCDF3_64BIT_OFFSET")


def write_mom6_depth_only(path: Path, sea: TrueSea) -> Path:
    """Write topog.nc of FRE-NCtools: only float64 depth [ny, nx], 0 on land.

    Layout: `make_topog` of FRE-NCtools.
    """
    words = {"standard_name": "topographic depth at T-cell centers", "units": "meters"}
    variables: Variables = {"depth": (("ny", "nx"), np.maximum(sea.depth, 0.0), words)}
    return write_variables(path, variables, {"grid_version": "0.2"}, _CLASSIC)


def write_mom6_ocean_static(path: Path, sea: TrueSea) -> Path:
    """Write ocean_static.nc of MOM6: wet, deptho, geolon and geolat on axes yh, xh.

    Layout: `write_static_fields` of MOM6's src/diagnostics/MOM_diagnostics.F90, through FMS's
    diag_manager: float32 with the fill number 1e20; depths are filled on land.
    """
    fill = np.float32(1e20)
    plane = ("yh", "xh")
    filled = {"missing_value": fill, "_FillValue": fill, "cell_methods": "time: point"}
    lon, lat = (values.astype(np.float32) for values in sea.degrees)
    depth = np.where(sea.wet, sea.depth, fill).astype(np.float32)
    wet = sea.wet.astype(np.float32)
    variables: Variables = {
        "xh": (("xh",), sea.lon, {"units": "degrees_east", "axis": "X"}),
        "yh": (("yh",), sea.lat, {"units": "degrees_north", "axis": "Y"}),
        "xq": (("xq",), np.append(sea.lon, sea.lon[-1] + 0.25), {"units": "degrees_east"}),
        "geolon": (plane, lon, {"units": "degrees_east", **filled}),
        "geolat": (plane, lat, {"units": "degrees_north", **filled}),
        "deptho": (plane, depth, {"units": "m", **filled}),
        "wet": (plane, wet, {"long_name": "0 if land, 1 if ocean at tracer points", **filled}),
        "wet_c": (plane, wet * 0, {"long_name": "0 if land, 1 if ocean at corner (Bu) points"}),
        "wet_u": (plane, wet * 0, {"long_name": "0 if land, 1 if ocean at zonal velocity points"}),
    }
    return write_variables(path, variables, {"filename": "ocean_static.nc"}, "NETCDF3_64BIT_OFFSET")


# ---- MITgcm, CICE, GETM


def mitgcm_fractions(sea: TrueSea, levels: int = 3) -> NDArray[np.float64]:
    """The wet fraction of each cell [z, y, x]: its last one is a partial cell."""
    top = np.array([0.0, 40.0, 100.0])[:levels, None, None]
    return np.where(sea.wet, np.clip((sea.depth - top) / 40.0, 0.0, 1.0), 0.0)


def write_mitgcm_grid(
    path: Path, sea: TrueSea, tile: bool = False, cavity: NDArray[np.bool_] | None = None
) -> Path:
    """Write grid.t001.nc of MITgcm's package mnc: float64 hFacC [Z, Y, X] with XC and YC.

    Layout: `ncdump -h` of such a file on the list mitgcm-support, January 2008, and pkg/mnc.
    `tile`: one of two tiles of a grid that is twice as wide; `cavity`: where the uppermost level is
    closed by an ice shelf.
    """
    lon, lat = sea.degrees
    fractions = mitgcm_fractions(sea)
    if cavity is not None:
        fractions[0, cavity] = 0.0
    nx, ny = sea.lon.size, sea.lat.size
    variables: Variables = {
        "Z": (("Z",), -np.array([20.0, 70.0, 120.0]), {}),
        "X": (("X",), sea.lon, {}),
        "Y": (("Y",), sea.lat, {}),
        "Xp1": (("Xp1",), np.append(sea.lon, sea.lon[-1] + 0.25), {}),
        "XC": (("Y", "X"), lon, {"units": "degree_east"}),
        "YC": (("Y", "X"), lat, {"units": "degree_north"}),
        "Depth": (("Y", "X"), np.maximum(sea.depth, 0.0), {"units": "m"}),
        "hFacC": (("Z", "Y", "X"), fractions, {"description": "vertical fraction of open cell"}),
        "hFacW": (("Z", "Y", "Xp1"), np.zeros((3, ny, nx + 1)), {}),
    }
    sizes = {"Nx": 2 * nx if tile else nx, "Ny": ny, "sNx": nx, "sNy": ny, "tile_number": 1}
    numbers = {name: np.int32(n) for name, n in sizes.items()}
    return write_variables(path, variables, {"MITgcm_mnc_ver": 0.9, **numbers}, _CLASSIC)


def write_cice_kmt(path: Path, sea: TrueSea) -> Path:
    """Write kmt.nc of CICE: float32 kmt [nj, ni], above 0 in the sea, without degrees.

    Layout: `popgrid_nc` of cicecore's ice_grid.F90 of CICE 6, which reads kmt from it.
    """
    kmt = nemo_bottom(sea).astype(np.float32)
    words = {"long_name": "mask of T-Cell", "units": "unitless"}
    return write_variables(path, {"kmt": (("nj", "ni"), kmt, words)}, {}, _CLASSIC)


def write_cice_grid(path: Path, sea: TrueSea) -> Path:
    """Write the CICE grid file of mom6-forge: kmt with ulat, ulon, tlat and tlon, all in radians.

    Layout: a file that `Topo.write_cice_grid` of mom6-forge 0.3.1 wrote; it calls the units of tlat
    and tlon degrees_north and degrees_east, which they are not.
    """
    lon, lat = (np.deg2rad(values) for values in sea.degrees)
    nan, plane = np.float64(np.nan), ("nj", "ni")
    half_lon, half_lat = np.deg2rad(0.125), np.deg2rad(0.0625)
    words = {"units": "unitless", "coordinates": "TLON TLAT", "_FillValue": np.float32(np.nan)}
    variables: Variables = {
        "ulat": (plane, lat + half_lat, {"units": "radians", "_FillValue": nan}),
        "ulon": (plane, lon + half_lon, {"units": "radians", "_FillValue": nan}),
        "tlat": (plane, lat, {"units": "degrees_north", "_FillValue": nan}),
        "tlon": (plane, lon, {"units": "degrees_east", "_FillValue": nan}),
        "kmt": (plane, sea.wet.astype(np.float32), words),
    }
    return write_variables(path, variables, {"title": "CICE grid file"}, "NETCDF3_64BIT_OFFSET")


def write_getm_topo(path: Path, sea: TrueSea, plane: bool = False) -> Path:
    """Write topo.nc of GETM: bathymetry, -10 on land, on lat and lon, or on y and x in metres.

    Layout: `ncdf_read_topo_file` of src/ncdf/ncdf_topo.F90 of GETM 2.5; flats above the mean level,
    here 1 m high, have depths between -10 and 0, and are wet.
    """
    depth = np.where(sea.wet, np.where(sea.depth < 10, -1.0, sea.depth), -10.0)
    y, x = ("y", "x") if plane else ("lat", "lon")
    north, east = ("m", "m") if plane else ("degrees_north", "degrees_east")
    across, along = (1000.0 * np.arange(n.size) for n in (sea.lat, sea.lon))
    variables: Variables = {
        "grid_type": ((), np.int32(1 if plane else 2), {"long_name": "Type of horizontal grid"}),
        y: ((y,), across if plane else sea.lat, {"units": north}),
        x: ((x,), along if plane else sea.lon, {"units": east}),
        "bathymetry": (
            (y, x),
            depth,
            {"units": "m", "long_name": "bottom depth", "missing_value": np.float64(-10.0)},
        ),
    }
    return write_variables(path, variables, {}, _CLASSIC)


# ---- elevations


def write_gebco(path: Path, sea: TrueSea, falling: bool = False) -> Path:
    """Write a cut-out of GEBCO: int16 elevation [lat, lon]; `falling`: north comes first.

    Layout: the NetCDF files that gebco.net's download page cuts out, GEBCO_2020 to GEBCO_2025.
    """
    step = slice(None, None, -1 if falling else 1)
    words = {
        "standard_name": "height_above_mean_sea_level",
        "long_name": "Elevation relative to sea level",
        "units": "m",
        "grid_mapping": "crs",
        "sdn_parameter_urn": "SDN:P01::BATHHGHT",
    }
    axes = {
        word[:3]: {"standard_name": word, "long_name": word, "units": unit, "axis": axis}
        for word, unit, axis in (
            ("latitude", "degrees_north", "Y"),
            ("longitude", "degrees_east", "X"),
        )
    }
    variables: Variables = {
        "lon": (("lon",), sea.lon, axes["lon"]),
        "lat": (("lat",), sea.lat[step], axes["lat"]),
        "crs": ((), np.array(b"\0", dtype="S1"), {"grid_mapping_name": "latitude_longitude"}),
        "elevation": (("lat", "lon"), (-sea.depth[step]).astype(np.int16), words),
    }
    return write_variables(path, variables, {"title": "The GEBCO_2024 Grid"})


def write_etopo(path: Path, sea: TrueSea) -> Path:
    """Write a cut-out of ETOPO 2022: float32 z [lat, lon], metres above the level of the sea.

    Layout: the NetCDF files of NOAA's ETOPO 2022, which GDAL's driver made.
    """
    words = {
        "standard_name": "height",
        "long_name": "z",
        "units": "meters",
        "positive": "up",
        "_FillValue": np.float32(-99999.0),
    }
    variables: Variables = {
        "lat": (("lat",), sea.lat, {"standard_name": "latitude", "units": "degrees_north"}),
        "lon": (("lon",), sea.lon, {"standard_name": "longitude", "units": "degrees_east"}),
        "z": (("lat", "lon"), (-sea.depth).astype(np.float32), words),
    }
    return write_variables(path, variables, {"Conventions": "CF-1.5"})
