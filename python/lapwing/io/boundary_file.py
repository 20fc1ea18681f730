"""Files of boundary values: records of whole fields, as an output file of a run holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, user_error
from lapwing.io.record_times import read_times, refuse_gaps

Array = NDArray[np.float64]

_SHAPE = "variables of time, any level, y and x on the grid of the case"
_AT_WALLS = 0.0  # wind through a wall


@dataclass(frozen=True)
class BoundaryFile:
    """A file that has been looked into: its times, and the shapes [nx, ny(, levels)] by name."""

    path: Path
    times: tuple[float, ...]  # times of the records, s since the start of the case
    shapes: Mapping[str, tuple[int, ...]]
    at_walls: frozenset[str] = frozenset()  # variables whose points on a wall are masked in a file
    key: str = "boundary.file"  # the key of the case that names it

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
        return values.T


def open_boundary_file(
    path: Path,
    start: datetime,
    duration: float,
    shapes: Mapping[str, tuple[int, ...]],
    at_walls: frozenset[str] = frozenset(),
    key: str = "boundary.file",
) -> BoundaryFile:
    """Look into a file for a run of `duration` (s) from `start` (UTC) on. Local.

    `shapes`: shapes of the variables that it must hold, [nx, ny] or [nx, ny, levels]; variables
    `at_walls` may be masked where a face is a wall, and are 0 there; `key`: of the case, that names
    the file. UserError if it cannot be
    read, lacks a variable, has one on another grid, or has times that do not increase or do not
    cover the run.
    """
    if not path.is_file():
        raise user_error(key, f"{path}, no such file", _expected(shapes), "correct the name")
    try:
        with netCDF4.Dataset(path) as file:
            times = read_times(file, start, _expected(shapes))
            for name, shape in shapes.items():
                _require_shape(file, name, shape, len(times))
    except (OSError, RuntimeError) as problem:
        raise _unreadable(path, key, problem) from None
    except UserError as problem:
        raise UserError(f"{key} {path.name}, {problem}") from None
    refuse_gaps(f"{key} {path.name}", times, duration)
    return BoundaryFile(path, tuple(float(time) for time in times), dict(shapes), at_walls, key)


def _require_shape(file: Any, name: str, shape: tuple[int, ...], records: int) -> None:
    if name not in file.variables:
        raise user_error(name, "no such variable", _SHAPE, "add it to output.variables of the run")
    expected = (records, *reversed(shape))
    if tuple(file[name].shape) != expected:
        raise user_error(
            name,
            f"shape {tuple(file[name].shape)}",
            f"{expected}: {_SHAPE}",
            "interpolate the file",
        )


def _expected(shapes: Mapping[str, tuple[int, ...]]) -> str:
    return f"a NetCDF file with time(time) and {', '.join(shapes)}, as output.nc of a run"


def _unreadable(path: Path, key: str, problem: Exception) -> UserError:
    return user_error(key, f"{path}: {problem}", "a NetCDF file of records", "write the file again")
