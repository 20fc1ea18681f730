"""Forcing files: wind, heat and rain that change in time, one value per time for the whole sea."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from lapwing.error import UserError, user_error
from lapwing.model import Geometry
from numpy.typing import NDArray

from lapwing_coast.layer_settings import ForcingSettings

Array = NDArray[np.float64]

# What a file may hold, and how its unit may be written; the first is what messages recommend.
_UNITS = {
    "wind_x": ("N m-2", "N m**-2", "N/m2", "N/m^2", "Pa"),
    "wind_y": ("N m-2", "N m**-2", "N/m2", "N/m^2", "Pa"),
    "heat": ("W m-2", "W m**-2", "W/m2", "W/m^2"),
    "freshwater": ("m s-1", "m s**-1", "m/s"),
}
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_CALENDARS = ("standard", "gregorian", "proleptic_gregorian")  # those that run.start is a date of
_TIME_UNITS = "seconds, minutes, hours or days since a DATE"
_ROUNDING = 1e-3  # of times that are kept in days, s


@dataclass(frozen=True)
class ForcingRecord:
    """What a forcing file holds: times since the start of the case, s, and values at them."""

    times: Array
    values: Mapping[str, Array]  # by name, in the units of the table [forcing]


@dataclass(frozen=True)
class ForcedGeometry(Geometry):
    """Where a case happens, and what its forcing file says of this place."""

    forcing: ForcingRecord = field(default_factory=lambda: ForcingRecord(np.empty(0), {}))


def read_forcing(
    settings: ForcingSettings, folder: Path, start: datetime, duration: float
) -> ForcingRecord:
    """Read the file of the table [forcing] for a run of `duration` (s) from `start` (UTC) on.

    Local. A relative name is under `folder`. UserError for a file that cannot be read, without one
    of the variables, with a unit, dimension or value that is none; where its times do not increase
    or do not cover the run; and where the case gives a number for what is in the file.
    """
    path = folder / settings.file
    if not path.is_file():
        raise user_error(
            "forcing.file",
            f"{path}, no such file",
            _expected(),
            "correct the name, or leave it out",
        )
    try:
        with netCDF4.Dataset(path) as file:
            times = _read_times(file, start)
            names = [name for name in _UNITS if name in file.variables]
            values = {name: _read_values(file, name) for name in names}
    except (OSError, RuntimeError) as problem:
        raise user_error(
            "forcing.file", f"{path}: {problem}", _expected(), "write the file again"
        ) from None
    except UserError as problem:
        raise UserError(f"forcing.file {settings.file}, {problem}") from None
    _refuse_nothing(settings, values)
    _refuse_two_sources(settings, values)
    _refuse_gaps(settings, times, duration)
    return ForcingRecord(times, values)


def _expected() -> str:
    return f"a NetCDF file with time(time) and any of {', '.join(_UNITS)}"


def _read_times(file: Any, start: datetime) -> Array:
    """The times of a file, s since the start of the case."""
    values = _of_time(file, "time")
    if falls := np.flatnonzero(np.diff(values) <= 0).tolist():
        at = falls[0]
        raise user_error(
            "time",
            f"{values[at]:g} and then {values[at + 1]:g}",
            "each later than the one before",
            "sort the times and drop those that stand twice",
        )
    units = str(getattr(file["time"], "units", "none"))
    calendar = str(getattr(file["time"], "calendar", "standard")).lower()
    if calendar not in _CALENDARS:
        raise user_error(
            "time", f"the calendar {calendar}", " or ".join(_CALENDARS), "convert the times"
        )
    seconds = _SECONDS.get(units.split(" ")[0].lower().removesuffix("s"))
    try:
        zero = float(netCDF4.date2num(start, units, calendar))
    except ValueError:
        seconds = None
    if seconds is None:
        raise user_error("time", f"the units {units!r}", _TIME_UNITS, "correct the attribute units")
    return (values - zero) * seconds


def _read_values(file: Any, name: str) -> Array:
    units = str(getattr(file[name], "units", "none"))
    if units not in _UNITS[name]:
        raise user_error(
            name, f"the units {units!r}", repr(_UNITS[name][0]), "convert values and attribute"
        )
    return _of_time(file, name)


def _of_time(file: Any, name: str) -> Array:
    """The numbers of a variable with one value per time, all of them finite."""
    if name not in file.variables:
        raise user_error(name, "no such variable", _expected(), "add it to the file")
    variable = file[name]
    if variable.dimensions != ("time",) or variable.size == 0 or variable.dtype.kind not in "iuf":
        raise user_error(
            name,
            f"{variable.dtype} of dimensions {variable.dimensions}, {variable.size} values",
            "numbers of the dimension time alone, at least one",
            "average over the sea, and call the dimension time",
        )
    values = np.ma.filled(np.ma.asarray(variable[:], dtype=np.float64), np.nan)
    if bad := np.flatnonzero(~np.isfinite(values)).tolist():
        raise user_error(
            name,
            f"{len(bad)} values that are missing or not finite, the first at time number {bad[0]}",
            "a finite number at every time",
            "fill the gaps or drop the times",
        )
    return np.asarray(values, dtype=np.float64)


def _refuse_nothing(settings: ForcingSettings, values: Mapping[str, Array]) -> None:
    if not values:
        raise user_error(
            "forcing.file",
            f"{settings.file} with none of the variables",
            f"at least one of {', '.join(_UNITS)}",
            "rename what the file holds",
        )


def _refuse_two_sources(settings: ForcingSettings, values: Mapping[str, Array]) -> None:
    for name in values:
        number = getattr(settings, name)
        if number != 0.0:
            raise user_error(
                f"forcing.{name}",
                f"{number:g} in the case and values in {settings.file}",
                "one of them",
                "leave the number out or set it to 0, or take the variable out of the file",
            )


def _refuse_gaps(settings: ForcingSettings, times: Array, duration: float) -> None:
    if times[0] > _ROUNDING or times[-1] < duration - _ROUNDING:
        raise user_error(
            f"forcing.file {settings.file}, time",
            f"{times[0]:g} s to {times[-1]:g} s after run.start",
            f"times that cover the run, 0 s to {duration:g} s",
            "add times, or change run.start or run.duration",
        )
