"""Depths and heights: which way a variable counts, and its unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from lapwing.base.error import shown, user_error
from lapwing.io.maps.meaning.words import tokens
from lapwing.io.maps.request import MapSource

if TYPE_CHECKING:
    import xarray

# The positive direction of a variable; "named": only its name says depth, so values of both signs
# leave it open; "unclear": its values must tell; "contradiction": the file says both
Direction = Literal["down", "up", "named", "unclear", "contradiction"]

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
_POSITIVE = re.compile(r"\bpositive[\s:=]+(?:is\s+)?(down|up)", re.IGNORECASE)
_TEXTS = ("long_name", "description", "comment")
METRES = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), 1000.0),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 0.01),
}


def direction(name: str, variable: xarray.Variable) -> Direction | None:
    """Find which way a depth or height counts; None for a variable that is neither. Local.

    The attribute positive, the standard name and texts like "positive down" decide, then the name,
    which the long name must not contradict.
    """
    given = variable.attrs
    standard = str(given.get("standard_name", ""))
    told: set[Direction] = {way for start, way in _STANDARD_NAMES if standard.startswith(start)}
    by_name = _NAMES.get(name.lower())
    if by_name is None and not told:
        return None
    if str(given.get("positive", "")).lower() in ("up", "down"):
        told.add("up" if str(given["positive"]).lower() == "up" else "down")
    told |= _told_by_texts(given)
    if not told:
        said = {_WORDS[one] for one in tokens(str(given.get("long_name", ""))) if one in _WORDS}
        other = by_name in ("down", "up") and said == {"up" if by_name == "down" else "down"}
        told = said if by_name == "unclear" else {"up", "down"} if other else set()
    if len(told) > 1:
        return "contradiction"
    return next(iter(told), "named" if by_name == "down" else by_name)


def _told_by_texts(given: Mapping[str, object]) -> set[Direction]:
    """The directions that texts say themselves: "depth, positive downwards"."""
    found = (_POSITIVE.findall(str(given.get(word, ""))) for word in _TEXTS)
    ways = {one.lower() for each in found for one in each}
    told: set[Direction] = set()
    told |= {"up"} if "up" in ways else set()
    return told | {"down"} if "down" in ways else told


def size_of(variable: xarray.Variable, units: str = "") -> float:
    """The metres of the unit of a variable; 1 for a unit that is unknown. Local."""
    given = units or str(variable.attrs.get("units", ""))
    return METRES.get(given.strip().lower(), 1.0)


def metres(source: MapSource, name: str, units: str = "") -> float:
    """Find how many metres a unit of the variable is. Local.

    `units`: its unit as the caller says, or nothing. UserError without a unit, and for units other
    than m, km and cm.
    """
    given = units or str(source.data[name].attrs.get("units", ""))
    factor = METRES.get(given.strip().lower())
    if factor is None:
        got = f"the unit {shown(given)}" if given else "no unit"
        raise user_error(
            source.about(name),
            got,
            "units of m, km or cm",
            f"say it: {source.request.option('units', 'm')}, or store the attribute units",
        )
    return factor
