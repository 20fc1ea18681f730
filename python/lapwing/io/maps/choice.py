"""Chooses the variable of a file that is the map of the sea."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lapwing.base.error import user_error
from lapwing.io.maps.meaning.heights import direction
from lapwing.io.maps.meaning.water import MASK_NAMES, mentions_water
from lapwing.io.maps.order.roles import LATITUDES, LONGITUDES, roles_of
from lapwing.io.maps.request import MapSource

if TYPE_CHECKING:
    import xarray

_MOST_LISTED = 12


def choose(source: MapSource) -> str:
    """Find the variable with the map: as the caller names it, or else the only one.

    Local; reads no values. The candidates are, if there are any, variables with the usual name of
    a mask; then those that say water or land; then depths and heights; then all of two dimensions.
    UserError for no candidate and for several.
    """
    data, named = source.data, source.request.variable
    if named:
        require_variable(source, named, source.request.option("variable", named))
        return named
    for candidates in (masks_of(data), heights_of(data), maps_of(data)):
        if candidates:
            return _only(source, candidates)
    return _only(source, [])


def choose_height(source: MapSource) -> str:
    """Find the variable with depths or heights: as the caller names it, or the only one.

    Local; reads no values. UserError for no candidate and for several.
    """
    named = source.request.variable
    if named:
        require_variable(source, named, source.request.option("variable", named))
        return named
    return _only(source, heights_of(source.data), "the depth")


def masks_of(data: xarray.Dataset) -> list[str]:
    """The variables with the usual name of a mask, or else those that say water or land. Local."""
    usual = [name for name in MASK_NAMES if name in data.variables]
    if "wet" in usual and "wet_c" in usual:  # corners, next to cells
        usual.remove("wet_c")
    return usual or [name for name in maps_of(data) if mentions_water(name, data[name].variable)]


def heights_of(data: xarray.Dataset) -> list[str]:
    """The maps of depths and heights. Local."""
    return [name for name in maps_of(data) if direction(name, data[name].variable) is not None]


def maps_of(data: xarray.Dataset) -> list[str]:
    """The variables of two dimensions longer than 1 that are no coordinates. Local."""
    roles = roles_of(data)
    coordinates = {*roles.lon, *roles.lat, *_named_by(data, ("coordinates", "bounds"))}
    return [
        str(name)
        for name, one in data.variables.items()
        if sum(n > 1 for n in one.shape) <= 2 <= one.ndim
        and name not in coordinates
        and str(name).lower() not in LONGITUDES + LATITUDES
        and one.dtype.kind in "biuf"
    ]


def _named_by(data: xarray.Dataset, attributes: Iterable[str]) -> set[str]:
    """The variables that attributes of others name."""
    return {
        name
        for variable in data.variables.values()
        for attribute in attributes
        for name in str(variable.attrs.get(attribute, "")).split()
    }


def require_variable(source: MapSource, name: str, what: str) -> None:
    """Refuse a name that the file lacks; `what`: how messages call where it is from. Local."""
    if name not in source.data.variables:
        raise user_error(
            f"{what} for {source.subject}",
            f"the name {name}, which the file lacks",
            f"a variable of the file: {listed([str(one) for one in source.data.variables])}",
            "correct the name",
        )


def listed(names: Sequence[str]) -> str:
    """Names for a message, only the first where there are many. Local."""
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return (", ".join(names[:_MOST_LISTED]) or "none") + more


def _only(source: MapSource, candidates: Sequence[str], what: str = "the map of the sea") -> str:
    if len(candidates) == 1:
        return candidates[0]
    option = source.request.option
    remedy = f"say what is water: {option('wet', 'depth > 0')}"
    if candidates:
        remedy = f"name it: {option('variable', candidates[0])}"
    raise user_error(
        source.subject,
        f"{len(candidates)} variables that may be {what} ({listed(candidates)})",
        "one variable of two dimensions",
        remedy,
    )
