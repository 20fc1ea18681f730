"""Longitudes and latitudes of two dimensions: curved grids, and straight ones stored like them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lapwing.io.maps.formats import MapFormat
from lapwing.io.maps.order.coordinates import Along, numbered, numbers, rising
from lapwing.io.maps.order.roles import (
    LATITUDES,
    LONGITUDES,
    Roles,
    given_coordinates,
    most_fitting,
    several_note,
)
from lapwing.io.maps.request import MapSource

if TYPE_CHECKING:
    import xarray

_SAMPLES = 500  # rows and columns that are looked at
_CLEARLY = 1.2  # times: how much more a coordinate changes along its own dimension
_STRAIGHT = 1e-3  # largest change along the other dimension, as a share of the change along its own


@dataclass(frozen=True)
class Curved:
    """Longitude and latitude of two dimensions: their change from cell to cell along each."""

    names: tuple[str, str]  # variables with longitude, latitude
    dims: tuple[str, str]  # dimensions of the map
    changes: tuple[tuple[float, float], tuple[float, float]]  # [lon, lat][dimension], degrees
    trends: tuple[tuple[float, float], tuple[float, float]]  # the same with their signs
    whole: bool  # True if no value of the sample is missing
    notes: tuple[str, ...] = ()  # why these are not the coordinates of the cells for sure

    def x_first(self) -> bool | None:
        """True if x is the first dimension; None if the grid lies askew. Local."""
        (lon_0, lon_1), (lat_0, lat_1) = self.changes
        if lon_0 > _CLEARLY * lon_1 and lat_1 > _CLEARLY * lat_0:
            return True
        if lon_1 > _CLEARLY * lon_0 and lat_0 > _CLEARLY * lat_1:
            return False
        return None

    def axes(self, source: MapSource, x_first: bool, roles: Roles) -> tuple[Along, Along]:
        """The coordinates, where each varies along its own dimension only; else numbers. Local."""
        own = (0, 1) if x_first else (1, 0)  # the dimension of x, of y
        lines = self._lines(source, own) if self._is_straight(own) else []
        if lines and all(np.isfinite(line).all() for line in lines):
            x, y = (
                rising(source, name, letter, line, roles)
                for name, letter, line in zip(self.names, "xy", lines, strict=True)
            )
            return x, y
        x, y = (
            self._numbered(source, letter, dimension)
            for letter, dimension in zip("xy", own, strict=True)
        )
        return replace(x, notes=(*self.notes, *x.notes)), y

    def _is_straight(self, own: tuple[int, int]) -> bool:
        """True if each is sure and varies along its own dimension only, as far as was read."""
        return (
            self.whole
            and not self.notes
            and all(
                changes[1 - dimension] <= _STRAIGHT * changes[dimension]
                for changes, dimension in zip(self.changes, own, strict=True)
            )
        )

    def _lines(self, source: MapSource, own: tuple[int, int]) -> list[NDArray[np.float64]]:
        """The first row and column in full: the sample may have missed a value."""
        variables = [_flat(source.data[name].variable, self.dims) for name in self.names]
        return [
            numbers(variable.isel({self.dims[1 - dimension]: 0}))
            for variable, dimension in zip(variables, own, strict=True)
        ]

    def _numbered(self, source: MapSource, letter: str, dimension: int) -> Along:
        which = "xy".index(letter)
        trends = self.trends[which]
        turned = trends[dimension] < -abs(trends[1 - dimension])
        cells = numbered(source.data.sizes[self.dims[dimension]], letter)
        notes = (f"{self.names[which]} falls in the file: turned to rising",) if turned else ()
        return Along(cells.axis, turned, notes)


def find_curved(
    source: MapSource, name: str, dims: tuple[str, str], roles: Roles, known: MapFormat | None
) -> Curved | None:
    """Find the coordinates of two dimensions of a map, or None. Local; reads a sample of them."""
    found = _names(source.data, name, dims, roles, known)
    if not all(found):
        return None
    names = (found[0][0], found[1][0])
    several = [one for ones in found if len(ones) > 1 for one in ones]
    values = [_sample(source.data[one].variable, dims) for one in names]
    steps = [_step(source.data.sizes[dim]) for dim in dims]
    told = [
        [_differences(one, dimension, letter) / steps[dimension] for dimension in (0, 1)]
        for one, letter in zip(values, "xy", strict=True)
    ]
    changes = [[_mean(np.abs(one)) for one in pair] for pair in told]
    trends = [[_mean(one) for one in pair] for pair in told]
    whole = all(bool(np.isfinite(one).all()) for one in values)
    return Curved(
        names,
        dims,
        ((changes[0][0], changes[0][1]), (changes[1][0], changes[1][1])),
        ((trends[0][0], trends[0][1]), (trends[1][0], trends[1][1])),
        whole,
        (several_note(several, name),) if several else (),
    )


def _names(
    data: xarray.Dataset, name: str, dims: tuple[str, str], roles: Roles, known: MapFormat | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The variables with longitude and with latitude: several where nothing says which."""
    fitting = [
        str(one)
        for one, variable in data.variables.items()
        if _fits(variable, dims) and one != name
    ]
    given = given_coordinates(data[name])

    def of(letter: str, role: frozenset[str], well_known: tuple[str, ...]) -> tuple[str, ...]:
        of_format = "" if known is None else str(getattr(known, letter))
        if of_format in fitting:
            return (of_format,)
        candidates = [one for one in fitting if one in role or one.lower() in well_known]
        return most_fitting(candidates, given, well_known)

    return of("lon", roles.lon, LONGITUDES), of("lat", roles.lat, LATITUDES)


def _fits(variable: xarray.Variable, dims: tuple[str, str]) -> bool:
    """True for numbers over both dimensions, and over others only if these have one entry."""
    others = [n for dim, n in variable.sizes.items() if dim not in dims]
    return set(dims) <= set(variable.dims) and set(others) <= {1} and variable.dtype.kind in "iuf"


def _flat(variable: xarray.Variable, dims: tuple[str, str]) -> xarray.Variable:
    single = {dim: 0 for dim in variable.dims if dim not in dims}
    return variable.isel(single)


def _step(n: int) -> int:
    return math.ceil(n / _SAMPLES)


def _sample(variable: xarray.Variable, dims: tuple[str, str]) -> NDArray[np.float64]:
    """Some of the values, in the order of `dims`."""
    flat = _flat(variable, dims)
    some = flat.isel({dim: slice(None, None, _step(flat.sizes[dim])) for dim in dims})
    values = numbers(some)
    return values if some.dims == dims else values.T


def _differences(values: NDArray[np.float64], dimension: int, letter: str) -> NDArray[np.float64]:
    """The differences along a dimension; of longitudes as angles."""
    differences = np.diff(values, axis=dimension)
    return (differences + 180.0) % 360.0 - 180.0 if letter == "x" else differences


def _mean(values: NDArray[np.float64]) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else 0.0
