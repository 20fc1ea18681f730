"""Files of tidal constituents: amplitude and phase in each cell of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.base.error import user_error
from numpy.typing import NDArray

from lapwing_coast.place.cell_map import (
    METRES,
    cell_values,
    opened,
    refuse_cell,
    require_units,
    require_variable,
)

Array = NDArray[np.float64]

_DEGREES = ("degrees", "degree", "degrees_phase_lag")
_SECONDS = ("s", "seconds", "second")
_EXPECTED = (
    "a NetCDF file with amplitude (constituent, y, x) in m, phase (constituent, y, x) in degrees "
    "and period (constituent) in s"
)


@dataclass(frozen=True)
class TideRecord:
    """Constituents in all cells of a grid; NaN where the file has no value."""

    path: Path
    periods: list[float]  # s
    amplitude: Array  # [constituent, nx, ny], m
    phase: Array  # [constituent, nx, ny], lag behind cos(2 pi t/period), degrees

    def values(self, constituent: int, i: NDArray[Any], j: NDArray[Any]) -> NDArray[np.complex128]:
        """Return amplitude exp(i phase) (m) of cells (i, j). Local.

        UserError for a cell without amplitude or phase.
        """
        amplitude, phase = self.amplitude[constituent, i, j], self.phase[constituent, i, j]
        for name, found in (("amplitude", amplitude), ("phase", phase)):
            if (missing := np.flatnonzero(~np.isfinite(found))).size:
                cell = int(i[missing[0]]), int(j[missing[0]])
                raise refuse_cell(
                    self.path,
                    name,
                    cell,
                    f"no value of constituent {constituent}",
                    "a value in every wet cell of an open side, or a side that leaves the cell out "
                    "by first and end",
                )
        return np.asarray(amplitude * np.exp(1j * np.radians(phase)))


def read_tide(path: Path, size: tuple[int, ...]) -> TideRecord:
    """Read the constituents of tide.file for a grid of `size` (nx, ny). Local.

    UserError naming file and variable for a file that cannot be read, another size, another unit,
    and periods that are not above 0.
    """
    with opened(path, "tide.file", _EXPECTED) as file:
        periods = _periods(file, path)
        maps = [
            _map(file, path, name, units, len(periods), size)
            for name, units in (("amplitude", METRES), ("phase", _DEGREES))
        ]
    return TideRecord(path, periods, maps[0], maps[1])


def _periods(file: Any, path: Path) -> list[float]:
    variable = require_variable(file, path, "period", _EXPECTED)
    require_units(path, variable, _SECONDS)
    periods = np.atleast_1d(cell_values(variable))
    if periods.ndim != 1 or not (periods > 0.0).all() or not np.isfinite(periods).all():
        raise user_error(
            f"{path.name}: period",
            str(periods.tolist()),
            "a finite period above 0 s for each constituent",
            "correct the periods",
        )
    return [float(period) for period in periods]


def _map(
    file: Any, path: Path, name: str, units: tuple[str, ...], count: int, size: tuple[int, ...]
) -> Array:
    variable = require_variable(file, path, name, _EXPECTED)
    require_units(path, variable, units)
    expected = (count, size[1], size[0])
    if variable.shape != expected:
        raise user_error(
            f"{path.name}: {name}",
            f"the shape {variable.shape}",
            f"{expected}: constituents, cells along y and along x",
            "bring the constituents onto the grid of the model first",
        )
    return np.asarray(cell_values(variable).transpose(0, 2, 1))
