"""The roles of variables and dimensions of a file: x or y, longitude or latitude.

cf-xarray decides by units, axis and standard_name; well-known names decide if a file says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray

_NORTH, _EAST = "degrees_north", "degrees_east"
_UNITS = {
    f"degree{plural}{joint}{end}": unit
    for unit, ends in ((_NORTH, ("north", "n")), (_EAST, ("east", "e")))
    for end in ends
    for joint in ("_", "", " ")
    for plural in ("s", "")
}
# Names of dimensions in files of ROMS, NEMO, MOM, MITgcm, POP and CICE, WRF, HYCOM and others
_X_DIMENSIONS = """
x lon longitude nx i ni ii xi xi_rho xh xq nlon nlons nlongitude rlon xc x_c xt xt_ocean
grid_xt west_east nav_lon xindex idm im imt lons long
"""
_Y_DIMENSIONS = """
y lat latitude ny j nj jj eta eta_rho yh yq nlat nlats nlatitude rlat yc y_c yt yt_ocean
grid_yt south_north nav_lat yindex jdm jm jmt lats
"""
# Coordinates of cell centres by their names, the first that a file has
LATITUDES = ("lat", "latitude", "nav_lat", "lat_rho", "geolat", "gphit", "tlat", "xlat", "xlat_m")
LONGITUDES = ("lon", "longitude", "nav_lon", "lon_rho", "geolon", "glamt", "tlon", "tlong", "xlong")


@dataclass(frozen=True)
class Roles:
    """The names of the variables that attributes give a role: x, y, lon, lat."""

    x: frozenset[str]
    y: frozenset[str]
    lon: frozenset[str]
    lat: frozenset[str]

    def direction(self, name: str) -> str:
        """The letter of the axis that a variable is a coordinate along, or nothing. Local."""
        along = [letter for letter, names in self._letters if name in names]
        return along[0] if len(along) == 1 else ""

    @property
    def _letters(self) -> tuple[tuple[str, frozenset[str]], ...]:
        return ("x", self.x | self.lon), ("y", self.y | self.lat)


def roles_of(data: xarray.Dataset) -> Roles:
    """Find what the attributes of all variables say. Local; reads no values."""
    import cf_xarray  # noqa: F401  # the accessor `cf`; takes some 0.1 s to load
    import xarray

    told = xarray.Dataset(
        coords={str(name): ((), 0, _told(one.attrs)) for name, one in data.variables.items()}
    )
    axes, coordinates = told.cf.axes, told.cf.coordinates
    return Roles(
        *(frozenset(axes.get(letter, ())) for letter in "XY"),
        *(frozenset(coordinates.get(word, ())) for word in ("longitude", "latitude")),
    )


def _told(attributes: dict[str, Any]) -> dict[str, str]:
    """The attributes that roles follow from, spelled as cf-xarray knows them."""
    words = ("axis", "standard_name", "units", "cartesian_axis", "_CoordinateAxisType")
    found = {word: str(attributes[word]).strip() for word in words if word in attributes}
    for word in ("axis", "cartesian_axis"):
        if word in found:
            found[word] = found[word].upper()
    if "standard_name" in found:
        found["standard_name"] = found["standard_name"].lower()
    if "units" in found:
        found["units"] = _UNITS.get(found["units"].lower(), found["units"])
    return found


def direction_of_name(dimension: str) -> str:
    """The letter that the name of a dimension stands for, or nothing. Local."""
    name = dimension.lower()
    return "x" if name in _X_DIMENSIONS.split() else "y" if name in _Y_DIMENSIONS.split() else ""


def direction_of_coordinate(name: str) -> str:
    """The letter that the well-known name of a coordinate stands for, or nothing. Local."""
    return "x" if name.lower() in LONGITUDES else "y" if name.lower() in LATITUDES else ""


def most_fitting(
    candidates: Sequence[str], given: Sequence[str], well_known: Sequence[str]
) -> tuple[str, ...]:
    """The coordinate to take of some, or several if nothing decides between them. Local.

    `given`: coordinates that the map names; `well_known`: names, best first.
    """
    named = [name for name in candidates if name in given] or list(candidates)
    best = [name for word in well_known for name in named if name.lower() == word.lower()]
    return tuple(best[:1] or named)


def given_coordinates(variable: xarray.DataArray) -> list[str]:
    """The names in the attribute `coordinates` of a map. Local."""
    places = (variable.attrs, variable.encoding)  # xarray moves it when it decodes it
    return str(next((one["coordinates"] for one in places if "coordinates" in one), "")).split()


def several_note(names: Sequence[str], map_name: str) -> str:
    """A run's note if nothing tells which coordinates belong to the cells. Local."""
    return (
        f"{', '.join(names)}: nothing says which are of the cells, which are numbered; "
        f"name them in the attribute coordinates of {map_name}"
    )


def spherical_unit(letter: str) -> str:
    """The unit of longitudes (x) or latitudes (y). Local."""
    return _EAST if letter == "x" else _NORTH


def canonical_unit(units: str) -> str:
    """A unit, with one spelling for degrees to the north and to the east. Local."""
    return _UNITS.get(units.strip().lower(), units)
