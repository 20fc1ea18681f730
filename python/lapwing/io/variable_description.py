"""The description of a variable in a file: its form and the cells where it has a meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.model.model import Geometry, Variable


@dataclass(frozen=True)
class Description:
    """A variable without its field: enough to make it in a file. `wet` is [nx, ny]."""

    units: str
    long_name: str
    standard_name: str | None
    location: str  # "center", "xface", "yface", "corner"
    levels: int  # 0: none
    wet: NDArray[np.bool_]
    fixed: bool = False  # one map for all times
    at_tops: bool = False  # between layers


def describe_variable(variable: Variable, geometry: Geometry) -> Description:
    """Read off a variable what its file needs. Local."""
    spec = variable.field.spec
    location = str(getattr(spec.location, "name", spec.location))
    depth = int(geometry.grid.size[2])  # of a grid that is cut along z too
    wet = variable.wet if variable.wet is not None else wet_at(location, geometry)
    return Description(
        units=variable.units,
        long_name=variable.long_name,
        standard_name=variable.standard_name,
        location=location,
        levels=int(spec.levels) or (depth if depth > 1 else 0),
        wet=wet,
        fixed=variable.fixed,
        at_tops=variable.at_tops,
    )


def describe(made: Any, about: Any) -> None:
    """Give a variable of a file the units and the CF names of an axis or a variable. Local."""
    made.units, made.long_name = about.units, about.long_name
    if getattr(about, "standard_name", None):
        made.standard_name = about.standard_name


def wet_at(location: str, geometry: Geometry) -> NDArray[np.bool_]:
    """The places [nx, ny] where a location is wet: all cells that touch it are wet. Local."""
    wet = np.asarray(geometry.wet, dtype=bool)
    for axis, places in ((0, ("xface", "corner")), (1, ("yface", "corner"))):
        if location in places:
            neighbour = np.roll(wet, -1, axis=axis)  # towards larger indices
            if not geometry.grid.periodic[axis]:  # beyond a closed end everything is dry
                neighbour[(slice(None),) * axis + (-1,)] = False
            wet = wet & neighbour
    return wet
