"""Coordinates of the cells of a map, of one dimension: they rise, or are turned or refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.core.fields.labels import Axis
from lapwing.io.maps.dataset import values_of
from lapwing.io.maps.formats import MapFormat
from lapwing.io.maps.order.roles import (
    LATITUDES,
    LONGITUDES,
    Roles,
    canonical_unit,
    direction_of_name,
    given_coordinates,
    most_fitting,
    several_note,
    spherical_unit,
)
from lapwing.io.maps.request import MapSource

if TYPE_CHECKING:
    import xarray

Numbers = NDArray[np.float64]

_LONG_NAMES = {"x": "longitude", "y": "latitude"}
_WORDS = {"x": ("column", "east"), "y": ("row", "north")}


@dataclass(frozen=True)
class Along:
    """The coordinate along x or y, rising; `turned` if it falls in the file."""

    axis: Axis
    turned: bool = False
    notes: tuple[str, ...] = ()


def numbered(n: int, letter: str) -> Along:
    """The numbers of `n` cells, where a file has no coordinates. Local."""
    return Along(Axis(np.arange(n, dtype=np.float64), "1", f"cell number along {letter}"))


# ---- one dimension


def along(
    source: MapSource, name: str, dim: str, letter: str, roles: Roles, known: MapFormat | None
) -> Along | None:
    """The coordinate of one dimension along `dim`, or None where the file has none.

    Local. The cells are numbered, with a note, where nothing says which of several it is.
    UserError for values that neither rise nor fall.
    """
    found = _variables_along(source.data, name, dim, letter, roles, known)
    if not found:
        return None
    if len(found) > 1:
        cells = numbered(source.data.sizes[dim], letter)
        return replace(cells, notes=(several_note(found, name),))
    return rising(source, found[0], letter, numbers(source.data[found[0]].variable), roles)


def _variables_along(
    data: xarray.Dataset,
    map_name: str,
    dim: str,
    letter: str,
    roles: Roles,
    known: MapFormat | None,
) -> tuple[str, ...]:
    """The coordinate along `dim`, or several where nothing says which of them it is."""
    names = [
        str(name)
        for name, one in data.variables.items()
        if one.dims == (dim,) and one.dtype.kind in "iuf"
    ]
    of_format = "" if known is None else known.lon if letter == "x" else known.lat
    if of_format in names:
        return (of_format,)
    well_known = (LONGITUDES, LATITUDES)["xy".index(letter)]
    fitting = [name for name in names if roles.direction(name) == letter]
    spherical = [
        name
        for name in names
        if name.lower() in well_known or (name in fitting and name in roles.lon | roles.lat)
    ]
    candidates = spherical or fitting or [name for name in names if name == dim]
    return most_fitting(candidates, given_coordinates(data[map_name]), (*well_known, dim))


def numbers(variable: xarray.Variable) -> Numbers:
    """Read the values of a coordinate, NaN where they are missing. Local."""
    return np.asarray(values_of(variable), dtype=np.float64)


def rising(source: MapSource, name: str, letter: str, values: Numbers, roles: Roles) -> Along:
    """The coordinate `name` with rising values, turned or continued where that is needed. Local.

    UserError, with the place, for values that do neither.
    """
    notes: list[str] = []
    axis = _axis(source.data[name].variable, name, letter, values, roles)
    if not _rises(values) and not _rises(values[::-1]) and axis.units == spherical_unit("x"):
        continued = np.unwrap(values, period=360.0)
        if _rises(continued) or _rises(continued[::-1]):
            jump = int(np.argmax(np.abs(np.diff(values)))) + 1
            notes.append(
                f"{name} jumps from {values[jump - 1]:g} to {values[jump]:g} degrees: "
                f"continued to {continued[-1]:g}"
            )
            values = continued
    turned = len(values) > 1 and _rises(values[::-1])
    if turned:
        values = values[::-1]
        notes.append(f"{axis.long_name} falls in the file: turned to rising")
    _require_rising(source, name, letter, values)
    if axis.units == spherical_unit("x") and values[-1] - values[0] > 360 - 1e-6:
        notes.append(f"{name} goes around the earth: its last column is where the first one is")
    return Along(replace(axis, values=np.ascontiguousarray(values)), turned, tuple(notes))


def _rises(values: Numbers) -> bool:
    return bool(np.all(np.diff(values) > 0))


def _require_rising(source: MapSource, name: str, letter: str, values: Numbers) -> None:
    bad = np.flatnonzero(~(np.diff(values) > 0))
    if not np.isfinite(values).all():
        n = int(np.flatnonzero(~np.isfinite(values))[0])
        got = f"{name}[{n}] = {values[n]:g}"
    elif bad.size:
        n = int(bad[0])
        got = f"{name}[{n}] = {values[n]:.10g} and {name}[{n + 1}] = {values[n + 1]:.10g}"
    else:
        return
    word, towards = _WORDS[letter]
    raise user_error(
        source.about(name),
        got,
        f"finite values that rise (or all fall) from {word} to {word}, to the {towards}",
        "correct the coordinate, or take it out of the file: cells are numbered then",
    )


def _axis(variable: xarray.Variable, name: str, letter: str, values: Numbers, roles: Roles) -> Axis:
    """The file's description of an axis, or else the meaning of its name."""
    spherical = name in roles.lon | roles.lat or name.lower() in LONGITUDES + LATITUDES
    given = variable.attrs
    standard = given.get("standard_name") or (_LONG_NAMES[letter] if spherical else None)
    units = canonical_unit(given.get("units") or (spherical_unit(letter) if spherical else "1"))
    long_name = given.get("long_name") or given.get("standard_name")
    if long_name is None:
        long_name = _LONG_NAMES[letter] if spherical else name
    return Axis(values, units, long_name, standard)


def by_size(
    source: MapSource, name: str, sizes: tuple[int, int], roles: Roles
) -> tuple[Along, Along]:
    """Axes of dimensions other than the map's, if their sizes fit. Local.

    Numbers of the cells if the file has none. UserError for axes of other sizes.
    """
    found = [_own_axis(source.data, letter, roles) for letter in "xy"]
    if None in found:
        x, y = (numbered(n, letter) for n, letter in zip(sizes, "xy", strict=True))
        return x, y
    given = tuple(source.data.sizes[str(one)] for one in found)
    if given != sizes:
        raise user_error(
            source.about(name),
            f"{sizes[0]} x {sizes[1]} cells (x, y)",
            f"{given[0]} x {given[1]}, the sizes of {found[0]} and {found[1]}",
            f"give {name} the dimensions of its axes",
        )
    x, y = (
        rising(source, str(one), letter, numbers(source.data[one].variable), roles)
        for one, letter in zip(found, "xy", strict=True)
    )
    return x, y


def _own_axis(data: xarray.Dataset, letter: str, roles: Roles) -> str | None:
    """The only variable of its own dimension that is a coordinate along x or y."""
    names = [
        str(name)
        for name, one in data.variables.items()
        if one.dims == (name,)
        and one.dtype.kind in "iuf"
        and (roles.direction(str(name)) or direction_of_name(str(name))) == letter
    ]
    return names[0] if len(names) == 1 else None
