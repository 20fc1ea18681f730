"""Forcing files: wind, heat and rain that change in time, one value per time for the whole sea."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from lapwing.base.error import UserError, user_error
from lapwing.io.record_times import of_time, read_times, refuse_gaps
from numpy.typing import NDArray

from lapwing_coast.layers.layer_settings import ForcingSettings
from lapwing_coast.place.geometry import SeriesRecord

Array = NDArray[np.float64]

# The variables that a file may hold, and the spellings of their units; messages recommend the
# first.
_UNITS = {
    "wind_x": ("N m-2", "N m**-2", "N/m2", "N/m^2", "Pa"),
    "wind_y": ("N m-2", "N m**-2", "N/m2", "N/m^2", "Pa"),
    "heat": ("W m-2", "W m**-2", "W/m2", "W/m^2"),
    "freshwater": ("m s-1", "m s**-1", "m/s"),
}


def read_forcing(
    settings: ForcingSettings, folder: Path, start: datetime, duration: float
) -> SeriesRecord:
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
            times = read_times(file, start, _expected())
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
    refuse_gaps(f"forcing.file {settings.file}", times, duration)
    return SeriesRecord(times, values)


def _expected() -> str:
    return f"a NetCDF file with time(time) and any of {', '.join(_UNITS)}"


def _read_values(file: Any, name: str) -> Array:
    units = str(getattr(file[name], "units", "none"))
    if units not in _UNITS[name]:
        raise user_error(
            name, f"the units {units!r}", repr(_UNITS[name][0]), "convert values and attribute"
        )
    return of_time(file, name, _expected())


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
