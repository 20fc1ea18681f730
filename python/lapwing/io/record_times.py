"""The times of records in a file that a run reads: seconds since its start."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error

Array = NDArray[np.float64]

_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_CALENDARS = ("standard", "gregorian", "proleptic_gregorian")  # run.start is a date of these
_TIME_UNITS = "seconds, minutes, hours or days since a DATE"
_ROUNDING = 1e-3  # seconds per unit of times that are kept in days


def read_times(file: Any, start: datetime, expected: str) -> Array:
    """The times of an open file, s since `start` (UTC). Local.

    UserError naming `expected`, what a file of the kind is, without times, where they do not
    increase, and for units or a calendar that mean no time.
    """
    values = of_time(file, "time", expected)
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


def of_time(file: Any, name: str, expected: str) -> Array:
    """The numbers of a variable with one value per time, all of them finite. Local.

    UserError naming `expected`, the kind of file, if there are none.
    """
    if name not in file.variables:
        raise user_error(name, "no such variable", expected, "add it to the file")
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


def refuse_gaps(file: str, times: Array, duration: float) -> None:
    """Raise UserError unless the times cover a run of `duration` (s). Local."""
    if times[0] > _ROUNDING or times[-1] < duration - _ROUNDING:
        raise user_error(
            f"{file}, time",
            f"{times[0]:g} s to {times[-1]:g} s after run.start",
            f"times that cover the run, 0 s to {duration:g} s",
            "add times, or change run.start or run.duration",
        )
