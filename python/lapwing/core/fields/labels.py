"""Coordinates along axes, and arrays of the whole grid with them, for xarray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray

    from lapwing.core._core import FieldSpec, Partition

_LEVEL, _COMPONENT = "level", "component"
_FACES: tuple[dict[str, str], ...] = (
    {"xface": "_xface", "corner": "_xface"},
    {"yface": "_yface", "corner": "_yface"},
    {},
)


@dataclass(frozen=True)
class Axis:
    """A horizontal coordinate of the cell centres: values [n], its unit and its CF names."""

    values: NDArray[np.float64]
    units: str  # "m", "degrees_east", "degrees_north"
    long_name: str
    standard_name: str | None = None

    @property
    def edges(self) -> NDArray[np.float64]:
        """The coordinates [n + 1] of the faces around the cells, between the centres. Local."""
        centres = np.asarray(self.values, dtype=np.float64)
        if len(centres) == 1:
            return np.array([centres[0] - 0.5, centres[0] + 0.5])
        ahead = np.append(centres[1:], 2 * centres[-1] - centres[-2])
        faces = 0.5 * (centres + ahead)
        return np.insert(faces, 0, 2 * centres[0] - faces[0])


class Described(Protocol):
    """The part of a field that labels need."""

    domain: Any  # an object with `axes`
    partition: Partition
    units: str
    long_name: str
    standard_name: str | None

    @property
    def name(self) -> str:
        """The name of the field."""

    @property
    def spec(self) -> FieldSpec:
        """Shape and location."""

    @property
    def axes(self) -> list[int]:
        """The axes, of x, y, z and components, that arrays have."""


def labelled(field: Described, values: NDArray[Any]) -> xarray.DataArray:
    """The values [nx, ny, ...] of a whole field with its names, units and coordinates. Local."""
    import xarray  # takes half a second to load

    dimensions, coordinates = [], {}
    for axis in field.axes:
        name, along = _coordinate(field, axis)
        dimensions.append(name)
        if along is not None:
            of_axis = _attributes(along.units, along.long_name, along.standard_name)
            coordinates[name] = (name, along.values, of_axis)
    attributes = _attributes(field.units, field.long_name or field.name, field.standard_name)
    return xarray.DataArray(values, coordinates, dimensions, field.name, attributes)


def _attributes(units: str, long_name: str, standard_name: str | None) -> dict[str, str]:
    names = {"units": units, "long_name": long_name}
    return names if standard_name is None else {**names, "standard_name": standard_name}


def _coordinate(field: Described, axis: int) -> tuple[str, Axis | None]:
    """The name of an axis of a field's arrays, and its values where it has any. Local."""
    if axis == 3:
        return _COMPONENT, None
    if axis == 2 and field.spec.levels:
        return _LEVEL, None
    letter, grid = "xyz"[axis], field.partition.grid
    known = field.domain.axes if grid == field.domain.partition.grid else ()
    count = np.arange(grid.size[axis], dtype=np.float64)
    along = known[axis] if axis < len(known) else Axis(count, "1", f"cell along {letter}")
    name = {"degrees_east": "lon", "degrees_north": "lat"}.get(along.units, letter)
    face = _FACES[axis].get(str(getattr(field.spec.location, "name", field.spec.location)), "")
    if face:
        values = along.edges[1:]
        along = Axis(values, along.units, f"{along.long_name} of the cell faces")
    return f"{name}{face}", along
