"""Depths and heights: which way a variable counts, and its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lapwing.base.error import shown, user_error
from lapwing.io.maps.meaning.words import tokens
from lapwing.io.maps.request import MapSource

if TYPE_CHECKING:
    import xarray

# Which way a variable counts; "unclear": its values must tell; "contradiction": the file says both
Direction = Literal["down", "up", "unclear", "contradiction"]

_NAMES: dict[str, Direction] = {
    **dict.fromkeys(("depth", "h", "deptho", "ocean_depth", "water_depth", "bottom_depth"), "down"),
    **dict.fromkeys(("model_depth", "depth_t", "sea_floor_depth", "bathy_meter"), "down"),
    **dict.fromkeys(("elevation", "elev", "altitude", "height", "z", "topo", "topography"), "up"),
    **dict.fromkeys(("bathymetry", "bathy", "bathymetrie"), "unclear"),
}
_STANDARD_NAMES: tuple[tuple[str, Direction], ...] = (  # beginnings of CF's names
    ("sea_floor_depth", "down"),
    ("height_above", "up"),
    ("surface_altitude", "up"),
    ("bedrock_altitude", "up"),
    ("altitude", "up"),
)
_WORDS: dict[str, Direction] = {
    **dict.fromkeys(("depth", "depths"), "down"),
    **dict.fromkeys(("elevation", "height", "altitude", "topography"), "up"),
}
_METRES = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), 1000.0),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 0.01),
}


def direction(name: str, variable: xarray.Variable) -> Direction | None:
    """Find which way a depth or height counts; None for a variable that is neither. Local.

    The attribute positive and the standard name decide, then the name, then the long name.
    """
    given = variable.attrs
    standard = str(given.get("standard_name", ""))
    told: set[Direction] = {way for start, way in _STANDARD_NAMES if standard.startswith(start)}
    by_name = _NAMES.get(name.lower())
    if by_name is None and not told:
        return None
    if str(given.get("positive", "")).lower() in ("up", "down"):
        told.add("up" if str(given["positive"]).lower() == "up" else "down")
    if by_name == "unclear" and not told:
        told = {_WORDS[one] for one in tokens(str(given.get("long_name", ""))) if one in _WORDS}
    if len(told) > 1:
        return "contradiction"
    return next(iter(told), by_name)


def metres(source: MapSource, name: str, units: str = "") -> float:
    """Find how many metres a unit of the variable is. Local.

    `units`: what the caller says it is in, or nothing. UserError without a unit, and for others
    than m, km and cm.
    """
    given = units or str(source.data[name].attrs.get("units", ""))
    factor = _METRES.get(given.strip().lower())
    if factor is None:
        got = f"the unit {shown(given)}" if given else "no unit"
        raise user_error(
            source.about(name),
            got,
            "units of m, km or cm",
            f"say it: {source.request.option('units', 'm')}, or store the attribute units",
        )
    return factor
