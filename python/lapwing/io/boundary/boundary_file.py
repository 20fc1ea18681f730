"""Files of boundary values: records of whole fields, as an output file of a run holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, user_error
from lapwing.io.boundary.interpolation import Between, Points, between, points_in
from lapwing.io.record_times import read_times, refuse_gaps

Array = NDArray[np.float64]

_SHAPE = "variables of time, any level, y and x on the grid of the case"
_PLACES = "or with coordinates along y and x, in the unit of the case"
_AT_WALLS = 0.0  # wind through a wall


@dataclass(frozen=True)
class BoundaryFile:
    """A file that has been looked into: its times, and the shapes [nx, ny(, levels)] by name."""

    path: Path
    times: tuple[float, ...]  # times of the records, s since the start of the case
    shapes: Mapping[str, tuple[int, ...]]
    at_walls: frozenset[str] = frozenset()  # variables whose points on a wall are masked in a file
    key: str = "boundary.file"  # the key of the case that names it
    ways: Mapping[str, Between] = field(default_factory=dict)  # of variables on another grid

    def read(self, record: int) -> dict[str, Array]:
        """The values of a record by name. Local; UserError for values that are not finite."""
        try:
            with netCDF4.Dataset(self.path) as file:
                return {name: self._values(file[name], record) for name in self.shapes}
        except (OSError, RuntimeError, IndexError) as problem:
            raise _unreadable(self.path, self.key, problem) from None

    def _values(self, variable: Any, record: int) -> Array:
        missing = _AT_WALLS if variable.name in self.at_walls else np.nan
        values = np.ma.filled(np.ma.asarray(variable[record], dtype=np.float64), missing)
        if not np.isfinite(values).all():
            raise user_error(
                f"{self.path}, {variable.name}",
                f"values that are missing or not finite in record {record}",
                "a number at every point",
                "write the record again",
            )
        way = self.ways.get(variable.name)
        return (way.values(values) if way else values).T


def open_boundary_file(
    path: Path,
    start: datetime,
    duration: float,
    shapes: Mapping[str, tuple[int, ...]],
    at_walls: frozenset[str] = frozenset(),
    key: str = "boundary.file",
    places: Mapping[str, Points] | None = None,
) -> BoundaryFile:
    """Look into a file for a run of `duration` (s) from `start` (UTC) on. Local.

    `shapes`: shapes of the variables that it must hold, [nx, ny] or [nx, ny, levels]; variables
    `at_walls` may be masked where a face is a wall, and are 0 there; `key`: of the case, that names
    the file. `places`: where the case has the points of the variables; one that the file has
    elsewhere, by its coordinates, is interpolated between its four points around each of the
    case's. UserError if it cannot be read, lacks a variable, has one on another grid and does not
    say where, or on one that does not cover the case, or has times that do not increase or do not
    cover the run.
    """
    if not path.is_file():
        raise user_error(key, f"{path}, no such file", _expected(shapes), "correct the name")
    try:
        with netCDF4.Dataset(path) as file:
            times = read_times(file, start, _expected(shapes))
            ways = {
                name: _way(file, name, shape, len(times), (places or {}).get(name))
                for name, shape in shapes.items()
            }
    except (OSError, RuntimeError) as problem:
        raise _unreadable(path, key, problem) from None
    except UserError as problem:
        raise UserError(f"{key} {path.name}, {problem}") from None
    refuse_gaps(f"{key} {path.name}", times, duration)
    told = {name: way for name, way in ways.items() if way is not None}
    seconds = tuple(float(time) for time in times)
    return BoundaryFile(path, seconds, dict(shapes), at_walls, key, told)


def _way(
    file: Any, name: str, shape: tuple[int, ...], records: int, place: Points | None
) -> Between | None:
    """The way from a variable's points to the case's; None where they are the same."""
    if name not in file.variables:
        raise user_error(name, "no such variable", _SHAPE, "add it to output.variables of the run")
    variable = file[name]
    expected = (records, *reversed(shape))
    if place and variable.ndim == len(expected) and tuple(variable.shape[:-2]) == expected[:-2]:
        found = points_in(file, variable)
        if found and found.units == place.units:
            return between(name, found, place)
        if found and found.units == place.units[::-1]:
            told, own = (f"y and x in {one.units[1]}, {one.units[0]}" for one in (found, place))
            raise user_error(name, told, own, "store it as (time, y, x)")
    if tuple(variable.shape) != expected:
        got, where = f"shape {tuple(variable.shape)}", f", {_PLACES}" if place else ""
        raise user_error(name, got, f"{expected}: {_SHAPE}{where}", "interpolate the file")
    return None


def _expected(shapes: Mapping[str, tuple[int, ...]]) -> str:
    return f"a NetCDF file with time(time) and {', '.join(shapes)}, as output.nc of a run"


def _unreadable(path: Path, key: str, problem: Exception) -> UserError:
    return user_error(key, f"{path}: {problem}", "a NetCDF file of records", "write the file again")
