"""The files that other models read and write: which variable says water, and where axes are.

A row of the table is enough for a NetCDF file. A file of another kind needs an opener too, which
makes an `xarray.Dataset` of it; from there on both are the same.

Sources of the rules: ROMS `Data/ROMS/CDL/grd_spherical.cdl`; roms-tools `setup/grid.py`,
`setup/mask.py`. NEMO `domain.F90` (`cfg_write`), `domwri.F90`, `iom_nf90.F90`. MOM6: a file that
mom6-forge 0.3.1 wrote; `make_topog`, `make_solo_mosaic`; `MOM_diagnostics.F90`. MITgcm
`pkg/mdsio/mdsio_write_meta.F`, `pkg/mnc`. HYCOM `topo/src/mod_za.F`, `topo_clip.f`,
`grid_lonlat.f`. CICE `ice_grid.F90` (`popgrid`, `popgrid_nc`). GETM `src/ncdf/ncdf_topo.F90`,
`domain.F90`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.io.maps.binary import is_binary, open_binary
from lapwing.io.maps.request import MapRequest

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class MapFormat:
    """A known kind of file, by the names in it. Either `variable` or `wet` says what is water."""

    name: str  # "ROMS grid file"
    evidence: tuple[str, ...]  # variables and dimensions that such a file has, all of them
    variable: str = ""  # the map, whose values the rules of `water` judge
    wet: str = ""  # or an expression that is true in wet cells, as --wet takes it
    x: str = ""  # the dimension along x, or nothing where `axes` finds it
    y: str = ""
    lon: str = ""  # coordinates of the cells, of one or two dimensions, or nothing
    lat: str = ""
    says: str = ""  # a run's line about it; "" is `name: wet where ...`
    holds: Callable[[xarray.Dataset], bool] | None = None  # features that names cannot tell

    @property
    def note(self) -> str:
        """The line that a run prints about a file of this kind. Local."""
        return self.says or f"{self.name}: wet where {self.wet or f'{self.variable} is 1'}"


_HEIGHTS = ("height", "surface_altitude", "height_above_mean_sea_level")  # standard names


def _is_up(data: xarray.Dataset) -> bool:
    """True if z is a height above the sea, by what is said of it or by the title."""
    said, title = data["z"].attrs, str(data.attrs.get("title", ""))
    named = said.get("standard_name") in _HEIGHTS and said.get("positive", "up") == "up"
    up = named or said.get("positive") == "up" or title.startswith("ETOPO")
    return up and _is_alone(data, "z")


def _is_alone(data: xarray.Dataset, name: str) -> bool:
    """True if a map is the only one of its file: a mask next to heights would go before them."""
    return all(other == name or one.ndim < 2 for other, one in data.variables.items())


def _is_ocean(data: xarray.Dataset) -> bool:
    """False for land_mask.nc, which FRE-NCtools writes next to ocean_mask.nc."""
    return "land" not in str(data["mask"].attrs.get("standard_name", "")).lower()


def _has_levels(data: xarray.Dataset) -> bool:
    """True if tmask has times and levels; one over a map is read as any other mask."""
    return data["tmask"].ndim == 4


# Shared entries of rows of one model
_NEMO = MapFormat("NEMO", (), x="x", y="y", lon="glamt", lat="gphit")
_FMS = MapFormat("FMS", (), x="nx", y="ny")
_MITGCM = MapFormat("MITgcm", (), x="X", y="Y", lon="XC", lat="YC")

FORMATS: tuple[MapFormat, ...] = (  # the first that fits is taken
    MapFormat(
        name="ROMS grid file",
        evidence=("mask_rho", "xi_rho", "eta_rho"),
        variable="mask_rho",
        x="xi_rho",
        y="eta_rho",
        lon="lon_rho",
        lat="lat_rho",
        says="ROMS grid file: wet where mask_rho is 1, with the ring of points around the domain",
    ),
    replace(
        _NEMO,
        name="NEMO domain_cfg",
        evidence=("bottom_level", "glamt"),
        wet="bottom_level > 0",
    ),
    replace(
        _NEMO,
        name="NEMO mesh_mask",
        evidence=("tmask", "misf"),
        holds=_has_levels,
        wet="tmask[0, 0] == 1 or misf > 1",  # the uppermost wet level lies below an ice shelf
        says="NEMO mesh_mask: wet where tmask is 1 at the surface, or misf > 1 (ice shelf)",
    ),
    replace(
        _NEMO,
        name="NEMO mesh_mask",
        evidence=("tmask", "glamt"),
        holds=_has_levels,
        wet="tmask[0, 0] == 1",
        says="NEMO mesh_mask: wet where tmask is 1 at the surface",
    ),
    replace(
        _NEMO,
        name="NEMO bathy_meter",
        evidence=("Bathymetry", "nav_lon"),
        wet="Bathymetry > 0",
        lon="nav_lon",
        lat="nav_lat",
    ),
    replace(
        _FMS,
        name="MOM6 topography of mom6-forge",
        evidence=("mask", "depth_raw", "nx", "ny"),
        variable="mask",
        lon="x",
        lat="y",
        says="MOM6 topography of mom6-forge: wet where mask is 1 (deeper than {least})",
    ),
    replace(
        _FMS,
        name="MOM6 ocean_mask",
        evidence=("mask", "nx", "ny"),
        variable="mask",
        holds=_is_ocean,
    ),
    replace(
        _FMS,
        name="MOM6 topography",
        evidence=("depth", "nx", "ny"),
        wet="depth > 0",
        says="MOM6 topography: wet where depth > 0; MOM6 masks all that is not deeper than its "
        'MINIMUM_DEPTH: say "depth > ..." where that is not 0',
    ),
    MapFormat(
        name="MOM6 ocean_static",
        evidence=("wet", "geolon", "xh", "yh"),
        variable="wet",
        x="xh",
        y="yh",
        lon="geolon",
        lat="geolat",
    ),
    replace(
        _MITGCM,
        name="MITgcm grid (mnc)",
        evidence=("hFacC", "Depth"),
        wet="hFacC[0] > 0 or Depth > 0",
        says="MITgcm grid (mnc): wet where hFacC > 0 at the surface, or Depth > 0 (ice shelf)",
    ),
    replace(
        _MITGCM,
        name="MITgcm hFacC",
        evidence=("hFacC", "column"),
        wet="column == 1",
        says="{source}: wet where hFacC > 0 in any level",
    ),
    replace(
        _MITGCM,
        name="MITgcm Depth",
        evidence=("Depth", "X", "Y"),
        wet="Depth > 0",
    ),
    MapFormat(
        name="MITgcm bathymetry",
        evidence=("bathymetry", "X", "Y"),
        wet="bathymetry < 0",
        x="X",
        y="Y",
        says="MITgcm bathymetry ({source}): wet where it is below 0",
    ),
    MapFormat(
        name="HYCOM regional.depth",
        evidence=("depth", "idm", "jdm"),
        wet="depth > 0",
        x="idm",
        y="jdm",
        lon="plon",
        lat="plat",
        says="{source}: wet where depth > 0; 2^100 is land",
    ),
    MapFormat(
        name="CICE kmt",
        evidence=("kmt", "ni", "nj"),
        wet="kmt >= 0.5",
        x="ni",
        y="nj",
        lon="tlon",
        lat="tlat",
        says="CICE kmt{source}: wet where kmt >= 0.5",
    ),
    MapFormat(
        name="GETM topo",
        evidence=("bathymetry", "grid_type"),
        wet="bathymetry > -10",
        says="GETM topo: wet where bathymetry > -10; flats above the mean level are wet",
    ),
    MapFormat(
        name="heights like GEBCO's",
        evidence=("elevation",),
        wet="elevation < 0",
        holds=lambda data: _is_alone(data, "elevation"),
        says="heights like GEBCO's: wet where elevation < 0, land below the sea's level too",
    ),
    MapFormat(
        name="heights like ETOPO's",
        evidence=("z",),
        wet="z < 0",
        holds=_is_up,
        says="heights like ETOPO's: wet where z < 0, land below the sea's level too",
    ),
)


@dataclass(frozen=True)
class Opener:
    """A way to open a file that is not NetCDF as an `xarray.Dataset`.

    `open` raises UserError for a file that it cannot read, or OSError and ValueError.
    """

    fits: Callable[[Path], bool]  # by the name of the file, or its first bytes
    open: Callable[[Path, str, MapRequest], xarray.Dataset]  # gets the name of the file in messages


# The first that fits; where none does it is NumPy or NetCDF
OPENERS: tuple[Opener, ...] = (Opener(is_binary, open_binary),)


def _told(data: xarray.Dataset) -> dict[str, str]:
    """The data that lines of formats take from a file."""
    least = data.attrs.get("min_depth")
    return {
        "source": str(data.attrs.get("source", "")),
        "least": "its least depth" if least is None else f"{least} m",
    }


def known_format(data: xarray.Dataset) -> MapFormat | None:
    """The format whose evidence the file has, or None; its line says what the file says. Local."""
    names = {*data.variables, *data.dims}
    for one in FORMATS:
        if names.issuperset(one.evidence) and (one.holds is None or one.holds(data)):
            return replace(one, says=one.note.format(**_told(data)))
    return None
