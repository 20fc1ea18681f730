"""Values at the points of one grid from those of another: linear along x, then along y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error

Array = NDArray[np.float64]

_SAME = 1e-4  # of a spacing: places that files in single precision or rounded text still mean alike


@dataclass(frozen=True)
class Points:
    """The places of a variable's points along x and along y."""

    x: Array  # [nx], increasing
    y: Array  # [ny], increasing
    units: str  # "m" or "degrees"


@dataclass(frozen=True)
class Line:
    """For every point along an axis the two of a file around it, and the share of the second."""

    below: NDArray[np.intp]
    above: NDArray[np.intp]
    share: Array

    def along(self, values: Array, axis: int) -> Array:
        """The values at the points, of values at the file's. Local."""
        shape = [1] * values.ndim
        shape[axis] = -1
        share = self.share.reshape(shape)
        below, above = (np.take(values, at, axis) for at in (self.below, self.above))
        return np.asarray((1.0 - share) * below + share * above)


@dataclass(frozen=True)
class Between:
    """The way from the points of a file to those of a case."""

    x: Line
    y: Line

    def values(self, given: Array) -> Array:
        """The values [..., y, x] of a case from those of a file. Local."""
        return self.x.along(self.y.along(given, given.ndim - 2), given.ndim - 1)


def between(variable: str, file: Points, case: Points) -> Between | None:
    """The way from a file's points to a case's; None where they are the same. Local.

    Half a spacing beyond the outermost points of the file the values there are taken, as these
    are means of cells that end there. Both in the same units. UserError for points that lie further
    outside, and for a file that has a place twice.
    """
    given = _near(file.x, case.x) if file.units == "degrees" else file.x
    if _same(given, case.x) and _same(file.y, case.y):
        return None
    return Between(_line(f"{variable}, x", given, case.x), _line(f"{variable}, y", file.y, case.y))


def _near(longitudes: Array, points: Array) -> Array:
    """The same longitudes within half a turn of the middle of the points."""
    middle = 0.5 * (points[0] + points[-1])
    return np.asarray(longitudes - 360.0 * np.round((longitudes - middle) / 360.0))


def _same(given: Array, points: Array) -> bool:
    if len(given) != len(points):
        return False
    spacing = np.abs(np.diff(points)).min() if len(points) > 1 else 1.0
    return bool(np.all(np.abs(given - points) <= _SAME * spacing))


def _line(name: str, given: Array, points: Array) -> Line:
    order = np.argsort(given, kind="stable")
    places = given[order]
    steps = np.diff(places)
    if len(places) < 2 or not np.all(steps > 0):
        got = f"{len(places)} points" if len(places) < 2 else "points twice"
        raise user_error(name, got, "two points or more, each once", "interpolate the file")
    _require_inside(name, places, points)
    below = np.clip(np.searchsorted(places, points, side="right") - 1, 0, len(places) - 2)
    share = np.clip((points - places[below]) / steps[below], 0.0, 1.0)
    return Line(order[below], order[below + 1], share)


def _require_inside(name: str, places: Array, points: Array) -> None:
    first, last = 1.5 * places[0] - 0.5 * places[1], 1.5 * places[-1] - 0.5 * places[-2]
    slack = _SAME * (points[-1] - points[0])
    if points[0] < first - slack or points[-1] > last + slack:
        got = f"cells of the file from {first:.6g} to {last:.6g}"
        expected = f"an area with all points of the case, {points[0]:.6g} to {points[-1]:.6g}"
        raise user_error(name, got, expected, "take a file of a larger area")


def points_in(file: Any, variable: Any) -> Points | None:
    """The places of a variable's points by its file; None where it does not tell them. Local.

    They are told by coordinate variables of its last two dimensions with a unit of lengths or of
    degrees.
    """
    found = [_coordinate(file, name) for name in reversed(variable.dimensions[-2:])]
    if len(found) != 2 or found[0] is None or found[1] is None or found[0][1] != found[1][1]:
        return None
    return Points(found[0][0], found[1][0], found[0][1])


def _coordinate(file: Any, name: str) -> tuple[Array, str] | None:
    if name not in file.variables or file[name].dimensions != (name,):
        return None
    units = str(getattr(file[name], "units", "")).lower()
    values = np.ma.filled(np.ma.asarray(file[name][:], dtype=np.float64), np.nan)
    if not np.isfinite(values).all():
        return None
    if units.startswith("degree"):
        return values, "degrees"
    scale = {"m": 1.0, "metre": 1.0, "metres": 1.0, "meter": 1.0, "meters": 1.0, "km": 1000.0}
    return (values * scale[units], "m") if units in scale else None


def points_of(x: Any, y: Any, location: str = "center") -> Points:
    """The places of a case's variable at a location, from the axes of its geometry. Local."""
    along_x = x.edges[1:] if location in ("xface", "corner") else x.values
    along_y = y.edges[1:] if location in ("yface", "corner") else y.values
    units = "degrees" if x.units.startswith("degree") else x.units
    return Points(np.asarray(along_x), np.asarray(along_y), units)
