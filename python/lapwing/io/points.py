"""Points of a case: places whose columns are written more often than whole maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lapwing.base.error import user_error
from lapwing.core.fields.labels import Axis
from lapwing.core.partition import Box, Partition
from lapwing.model.model import Geometry

_FARTHEST = 5.0  # cells from a point to the water that stands for it
_DEGREE = 111195.0  # m along a meridian
_FORM = 'a name and two coordinates like "mast: 120000, 240000"'


@dataclass(frozen=True)
class Point:
    """A place that a case names, and the wet cell nearest to it."""

    name: str
    place: tuple[float, float]  # as requested, in the units of the axes
    cell: tuple[int, int]
    distance: float  # from the place to the centre of the cell, in cells

    @property
    def column(self) -> Box:
        """The wet cell in global indices. Local."""
        i, j = self.cell
        return Box((i, j, 0), (i + 1, j + 1, 1))

    def owner(self, partition: Partition) -> int:
        """The rank that owns the wet cell. Local."""
        [number] = partition.overlapping(self.column)
        return partition.subdomains[number].rank

    def note(self) -> str | None:
        """A note if the cell is not the cell around the place. Local."""
        if self.distance <= 1.0:
            return None
        away = f"{self.distance:.1f} cells away"
        return f"point {self.name}: the nearest wet cell is {self.cell}, {away}"


def find_points(texts: Sequence[str], geometry: Geometry) -> list[Point]:
    """The points that output.points names, each with its nearest wet cell.

    Local. UserError for a text of another form, a name that stands twice, a point outside the grid
    and one with no wet cell within 5 cells.
    """
    points: list[Point] = []
    for text in texts:
        name, place = _parse(text)
        if any(point.name == name for point in points):
            raise user_error("output.points", f"{name!r} twice", "a name per point", "rename one")
        points.append(_find(name, place, geometry))
    return points


def _parse(text: str) -> tuple[str, tuple[float, float]]:
    name, _, numbers = (part.strip() for part in text.rpartition(":"))
    try:
        x, y = (float(number) for number in numbers.split(","))
        if not name or not np.isfinite([x, y]).all():
            raise ValueError
    except ValueError:
        raise user_error("output.points", repr(text), _FORM, "write it so") from None
    return name, (x, y)


def _find(name: str, place: tuple[float, float], geometry: Geometry) -> Point:
    axes = (geometry.x, geometry.y)
    given, place = place, (_turned(place[0], geometry.x), place[1])
    index = [_index(name, value, axis) for value, axis in zip(place, axes, strict=True)]
    metres = [axis.values - value for axis, value in zip(axes, place, strict=True)]
    if geometry.x.units.startswith("degree"):
        metres[0] = metres[0] * (_DEGREE * np.cos(np.radians(place[1])))
        metres[1] = metres[1] * _DEGREE
    squared = metres[0][:, None] ** 2 + metres[1][None, :] ** 2
    squared = np.where(np.asarray(geometry.wet, dtype=bool), squared, np.inf)
    i, j = (int(n) for n in np.unravel_index(np.argmin(squared), squared.shape))
    distance = float(np.hypot(i - index[0], j - index[1]))
    if distance > _FARTHEST:
        raise user_error(
            f"output.points, {name}",
            f"{place[0]:g}, {place[1]:g}, on land {distance:.1f} cells from the nearest wet cell "
            f"({geometry.x.values[i]:g}, {geometry.y.values[j]:g})",
            f"a place within {_FARTHEST:g} cells of water",
            "move the point, or take the coordinates of that cell",
        )
    return Point(name, given, (i, j), distance)


def _turned(value: float, axis: Axis) -> float:
    """A longitude in the turn that the axis counts in: -3 is 357 on an axis of 350 to 369."""
    low, high = min(axis.edges[[0, -1]]), max(axis.edges[[0, -1]])
    if axis.units != "degrees_east" or low <= value <= high:
        return value
    turned = value + 360.0 * float(np.ceil((low - value) / 360.0))
    return turned if turned <= high else value


def _index(name: str, value: float, axis: Axis) -> float:
    """The place of a value among the cells of an axis, 0 at the centre of the first cell."""
    centres = np.asarray(axis.values, dtype=np.float64)
    sign = -1.0 if centres[-1] < centres[0] else 1.0
    numbers = np.arange(len(centres), dtype=np.float64)
    ends = axis.edges[[0, -1]]
    if not min(ends) <= value <= max(ends):
        raise user_error(
            f"output.points, {name}",
            f"{value:g} {axis.units} along {axis.long_name!r}",
            f"a place in the grid: {min(ends):g} to {max(ends):g} {axis.units}",
            "move the point",
        )
    whole = np.concatenate([[ends[0]], centres, [ends[1]]])
    places = np.concatenate([[-0.5], numbers, [len(centres) - 0.5]])
    return float(np.interp(sign * value, sign * whole, places))
