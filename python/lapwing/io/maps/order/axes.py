"""The order of a map: which of its dimensions is x, which way its rows and columns run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, shown, user_error
from lapwing.core.fields.labels import Axis
from lapwing.io.maps.formats import MapFormat
from lapwing.io.maps.order import coordinates
from lapwing.io.maps.order.curved import Curved, find_curved
from lapwing.io.maps.order.roles import (
    Roles,
    direction_of_coordinate,
    direction_of_name,
    roles_of,
)
from lapwing.io.maps.request import MapSource

_ORDERS = {"x,y": True, "y,x": False}


@dataclass(frozen=True)
class Placement:
    """The place of the rows and columns of a map of the file in arrays [x, y]."""

    dims: tuple[str, str]  # dimensions of the file, in its order
    x_first: bool
    x: Axis  # places of the cells, rising
    y: Axis
    turned: tuple[bool, bool] = (False, False)  # along x, y: the file begins at the other end
    notes: tuple[str, ...] = ()

    def view(self, cells: NDArray[np.generic]) -> NDArray[np.generic]:
        """An array [x, y] in the order of the file, so that rows of the file can be stored."""
        steps = tuple(slice(None, None, -1 if turned else 1) for turned in self.turned)
        turned = cells[steps]
        return turned if self.x_first else turned.T


def place(
    source: MapSource, name: str, dims: tuple[str, str], known: MapFormat | None
) -> Placement:
    """Find the order of the dimensions `dims` of a map called `name`, and its axes. Local.

    Reads coordinates. UserError where nothing says which dimension is x, where what says it
    contradicts itself, and for coordinates that do not increase.
    """
    roles = roles_of(source.data)
    curved = find_curved(source, name, dims, roles, known)
    x_first, notes = _order(source, name, dims, roles, known, curved)
    sizes = source.data.sizes
    x_dim, y_dim = dims if x_first else dims[::-1]
    found = [
        coordinates.along(source, name, dim, letter, roles, known)
        for letter, dim in (("x", x_dim), ("y", y_dim))
    ]
    # a coordinate without a unit (X of MITgcm) says less than degrees of two dimensions
    if curved is not None and any(one is None or one.axis.units == "1" for one in found):
        x, y = curved.axes(source, x_first, roles)
    elif found == [None, None]:
        x, y = coordinates.by_size(source, name, (sizes[x_dim], sizes[y_dim]), roles)
    else:
        x, y = (
            coordinates.numbered(sizes[dim], letter) if one is None else one
            for one, letter, dim in zip(found, "xy", (x_dim, y_dim), strict=True)
        )
    return Placement(
        dims, x_first, x.axis, y.axis, (x.turned, y.turned), (*notes, *x.notes, *y.notes)
    )


def _order(
    source: MapSource,
    name: str,
    dims: tuple[str, str],
    roles: Roles,
    known: MapFormat | None,
    curved: Curved | None,
) -> tuple[bool, tuple[str, ...]]:
    """Return True if x is the first dimension, and a note if the caller overrules the file."""
    asked = _asked(source, name, dims)
    try:
        told = _x_first(source, name, dims, roles, known, curved)
    except UserError:
        if asked is None:
            raise
        return asked, ()
    if asked is None or asked == told:
        return told, ()
    return asked, (f"{name} is taken as {source.request.axes}, though the file says otherwise",)


def _asked(source: MapSource, name: str, dims: tuple[str, str]) -> bool | None:
    """Return True if the caller says that x is the first dimension; None if nothing is said."""
    given = source.request.axes.replace(" ", "").lower()
    if not given:
        return None
    if given not in _ORDERS:
        subject, expected = source.request.option("axes", given), "x,y or y,x"
        remedy = f"name the dimensions {dims[0]} and {dims[1]} of {name} in their order"
        raise user_error(subject, shown(source.request.axes), expected, remedy)
    return _ORDERS[given]


def _x_first(
    source: MapSource,
    name: str,
    dims: tuple[str, str],
    roles: Roles,
    known: MapFormat | None,
    curved: Curved | None,
) -> bool:
    """Return True if the file says that x is its first dimension; UserError if it is unclear."""
    rules = (roles, known)
    letters = tuple(_letter(source, dim, *rules) for dim in dims)
    if "?" in letters or (letters[0] and letters[0] == letters[1]):
        raise _no_order(source, name, dims, "which contradict each other")
    order = None if curved is None else curved.x_first()
    if any(letters):
        named = letters[0] == "x" or letters[1] == "y"
        if curved is not None and order not in (None, named) and _only_named(source, dims, *rules):
            what = f"whose names contradict {' and '.join(curved.names)}"
            raise _no_order(source, name, dims, what)
        return named
    if order is None:
        raise _no_order(source, name, dims, "and nothing that says which is x")
    return order


def _only_named(
    source: MapSource, dims: tuple[str, str], roles: Roles, known: MapFormat | None
) -> bool:
    """True if nothing but the names of dimensions says which of them is x."""
    if known is not None and set(dims) & {known.x, known.y}:
        return False
    return not any(_told_along(source, dim, roles) for dim in dims)


def _told_along(source: MapSource, dim: str, roles: Roles) -> set[str]:
    """The letters that coordinates of one dimension say."""
    return {
        roles.direction(str(name)) or direction_of_coordinate(str(name))
        for name, variable in source.data.variables.items()
        if variable.dims == (dim,)
    } - {""}


def _letter(source: MapSource, dim: str, roles: Roles, known: MapFormat | None) -> str:
    """The letter of a dimension: x, y, nothing, or ? where the file contradicts itself."""
    if known is not None and dim in (known.x, known.y):
        return "x" if dim == known.x else "y"
    told = _told_along(source, dim, roles) | {direction_of_name(dim)} - {""}
    return "?" if len(told) > 1 else next(iter(told), "")


def _no_order(source: MapSource, name: str, dims: tuple[str, str], what: str) -> UserError:
    told = ", ".join(
        f"{one} in {units}"
        for one, variable in source.data.variables.items()
        if set(variable.dims) & set(dims) and (units := variable.attrs.get("units"))
    )
    return user_error(
        source.about(name),
        f"the dimensions ({', '.join(dims)})" + (f" with {told}" if told else "") + f", {what}",
        "dimensions with names, units, axis or standard_name that say x and y",
        f"give their order: {source.request.option('axes', 'y,x')} (y changes slowest), or x,y",
    )
