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
    depth = int(geometry.grid.size[2])  # levels of a grid that is cut along z too
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


def attributes_of(about: Any) -> dict[str, Any]:
    """The units and the CF names of an axis or a variable, as attributes of a file. Local."""
    found = {"units": about.units, "long_name": about.long_name}
    if getattr(about, "standard_name", None):
        found["standard_name"] = about.standard_name
    return found


def wet_at(location: str, geometry: Geometry) -> NDArray[np.bool_]:
    """The places [nx, ny] where a location is wet: all cells that touch it are wet. Local."""
    wet = np.asarray(geometry.wet, dtype=bool)
    on_top = location in ("yface", "corner")
    if on_top:
        wet = np.column_stack([wet, _row_beyond(wet, geometry)])
    if location in ("xface", "corner"):
        neighbour = np.roll(wet, -1, axis=0)  # towards larger indices
        if not geometry.grid.periodic[0]:  # beyond a closed end everything is dry
            neighbour[-1] = False
        wet = wet & neighbour
    return wet[:, :-1] & wet[:, 1:] if on_top else wet


def _row_beyond(wet: NDArray[np.bool_], geometry: Geometry) -> NDArray[np.bool_]:
    """The cells beyond the last row: the first row again, those across a fold, or land. Local."""
    fold = geometry.grid.north_fold
    if fold == "F":
        return wet[::-1, -1]
    if fold == "T":
        return np.roll(wet[::-1, -2], 1)
    return wet[:, 0] if geometry.grid.periodic[1] else np.zeros_like(wet[:, 0])
