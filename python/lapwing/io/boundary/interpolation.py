"""Values at the points of one grid from those of another: linear along x, then along y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.core.fields.labels import Axis
from lapwing.io.maps.meaning.heights import METRES
from lapwing.io.maps.order.roles import canonical_unit

Array = NDArray[np.float64]

_SAME = 1e-4  # of a spacing: places that files in single precision or rounded text still mean alike
_EAST = "degrees_east"


@dataclass(frozen=True)
class Points:
    """The places of a variable's points along x and along y."""

    x: Array  # [nx]
    y: Array  # [ny]
    units: tuple[str, str]  # of both: "m", "degrees_east" and "degrees_north", or others


@dataclass(frozen=True)
class Between:
    """The way from the points of a file to those of a case, which lie within its cells."""

    file: Points
    case: Points

    def values(self, given: Array) -> Array:
        """The values [..., y, x] of a case from those of a file. Local."""
        from scipy.interpolate import RegularGridInterpolator  # here: it takes a while to load

        orders = [np.argsort(axis) for axis in (self.file.y, self.file.x)]
        places = [
            axis[order] for axis, order in zip((self.file.y, self.file.x), orders, strict=True)
        ]
        wanted = [
            np.clip(points, axis[0], axis[-1])
            for points, axis in zip((self.case.y, self.case.x), places, strict=True)
        ]
        planes = np.moveaxis(given, (-2, -1), (0, 1))[np.ix_(*orders)]
        found = RegularGridInterpolator(places, planes)(tuple(np.meshgrid(*wanted, indexing="ij")))
        return np.asarray(np.moveaxis(found, (0, 1), (-2, -1)))


def between(variable: str, file: Points, case: Points) -> Between | None:
    """The way from a file's points to a case's; None where they are the same. Local.

    Half a spacing beyond the outermost points of the file the values there are taken, as these
    are means of cells that end there. Both in the same units. UserError for points that lie further
    outside, and for a file that has a place twice.
    """
    if file.units[0] == _EAST:
        file = Points(_near(file.x, case.x), file.y, file.units)
    if _same(file.x, case.x) and _same(file.y, case.y):
        return None
    _require_inside(f"{variable}, x", np.sort(file.x), case.x)
    _require_inside(f"{variable}, y", np.sort(file.y), case.y)
    return Between(file, case)


def _near(longitudes: Array, points: Array) -> Array:
    """The same longitudes within half a turn of the middle of the points."""
    middle = 0.5 * (points[0] + points[-1])
    return np.asarray(longitudes - 360.0 * np.round((longitudes - middle) / 360.0))


def _same(given: Array, points: Array) -> bool:
    if len(given) != len(points):
        return False
    spacing = np.abs(np.diff(points)).min() if len(points) > 1 else 1.0
    return bool(np.all(np.abs(given - points) <= _SAME * spacing))


def _require_inside(name: str, places: Array, points: Array) -> None:
    """Raise UserError unless rising places, and half a spacing at both ends, hold the points."""
    if len(places) < 2 or not np.all(np.diff(places) > 0):
        got = f"{len(places)} points" if len(places) < 2 else "points twice"
        raise user_error(name, got, "two points or more, each once", "interpolate the file")
    first, last = 1.5 * places[0] - 0.5 * places[1], 1.5 * places[-1] - 0.5 * places[-2]
    slack = _SAME * (points[-1] - points[0])
    if points[0] < first - slack or points[-1] > last + slack:
        got = f"cells of the file from {first:.6g} to {last:.6g}"
        expected = f"an area with all points of the case, {points[0]:.6g} to {points[-1]:.6g}"
        raise user_error(name, got, expected, "take a file of a larger area")


def points_in(file: Any, variable: Any) -> Points | None:
    """The places of a variable's points by its file; None where it does not tell them. Local.

    They are told by coordinate variables of its last two dimensions, y and x.
    """
    y, x = (_coordinate(file, name) for name in variable.dimensions[-2:])
    return Points(x[0], y[0], (x[1], y[1])) if x and y else None


def _coordinate(file: Any, name: str) -> tuple[Array, str] | None:
    """The values of a coordinate and its unit, lengths in metres; None for one that is none."""
    if name not in file.variables or file[name].dimensions != (name,):
        return None
    values = np.ma.filled(np.ma.asarray(file[name][:], dtype=np.float64), np.nan)
    if not np.isfinite(values).all():
        return None
    units = canonical_unit(str(getattr(file[name], "units", "")))
    factor = METRES.get(units.strip().lower())
    return (values, units) if factor is None else (factor * values, "m")


def points_of(x: Axis, y: Axis, location: str = "center") -> Points:
    """The places of a case's variable at a location, from the axes of its geometry. Local."""
    along_x = x.edges[1:] if location in ("xface", "corner") else x.values
    along_y = y.edges[1:] if location in ("yface", "corner") else y.values
    return Points(along_x, along_y, (x.units, y.units))
