"""Maps of a NetCDF file with a number for each cell of a grid, or for each row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from lapwing.base.error import UserError, user_error
from numpy.typing import NDArray

Array = NDArray[np.float64]

METRES = ("m", "meter", "meters", "metre", "metres")


def read_lengths(path: Path, size: tuple[int, ...]) -> tuple[Array, Array]:
    """Read dx and dy (m) of a grid of `size` (nx, ny); return them as [nx, ny]. Local.

    UserError naming file, variable and cell for a file that cannot be read, without one of both,
    in another unit, of another size, and for lengths that are not above 0.
    """
    expected = "a NetCDF file with dx and dy of each cell (y, x) or of each row (y), in m"
    with opened(path, "grid.metrics", expected) as file:
        return (
            _length(file, path, "dx", size, expected),
            _length(file, path, "dy", size, expected),
        )


def opened(path: Path, option: str, expected: str) -> Any:
    """Open a NetCDF file that the key `option` of a case names. Local.

    UserError naming the key, the path and what was `expected` if there is no such file or it
    cannot be read.
    """
    if not path.is_file():
        raise user_error(option, f"{path}, no such file", expected, f"correct {option}")
    try:
        return netCDF4.Dataset(path)
    except (OSError, RuntimeError) as problem:
        raise user_error(option, f"{path}: {problem}", expected, "write the file again") from None


def require_variable(file: Any, path: Path, name: str, expected: str) -> Any:
    """Return a variable of an open file; UserError with its names if it has none. Local."""
    if name not in file.variables:
        raise user_error(
            f"{path.name}: {name}",
            f"no such variable among {', '.join(file.variables) or 'none'}",
            expected,
            "add it to the file, or rename what the file calls otherwise",
        )
    return file[name]


def require_units(path: Path, variable: Any, allowed: tuple[str, ...]) -> None:
    """Raise UserError unless the attribute `units` is one of those allowed. Local."""
    units = str(getattr(variable, "units", "none"))
    if units not in allowed:
        raise user_error(
            f"{path.name}: {variable.name}",
            f"the units {units!r}",
            repr(allowed[0]),
            "convert values and attribute",
        )


def refuse_cell(path: Path, name: str, cell: tuple[int, ...], got: str, expected: str) -> UserError:
    """Return the error about the value of a cell (i, j) of a variable. Local."""
    return user_error(
        f"{path.name}: {name}",
        f"{got} in cell ({cell[0]}, {cell[1]})",
        expected,
        "correct the file there",
    )


def cell_values(variable: Any) -> Array:
    """Return the numbers of a variable, NaN where it has none. Local."""
    return np.ma.filled(np.ma.asarray(variable[:], dtype=np.float64), np.nan)


def _length(file: Any, path: Path, name: str, size: tuple[int, ...], expected: str) -> Array:
    nx, ny = size[:2]
    variable = require_variable(file, path, name, expected)
    require_units(path, variable, METRES)
    if variable.shape not in ((ny, nx), (ny,)):
        raise user_error(
            f"{path.name}: {name}",
            f"the shape {variable.shape}",
            f"({ny}, {nx}) as the grid has cells along y and x, or ({ny},)",
            "cut the file, or correct grid.cells_x and grid.cells_y",
        )
    values = cell_values(variable)
    lengths = np.broadcast_to(values if values.ndim == 2 else values[:, None], (ny, nx)).T
    bad = ~(np.isfinite(lengths) & (lengths > 0.0))
    if bad.any():
        i, j = (int(n) for n in np.argwhere(bad)[0])
        raise refuse_cell(path, name, (i, j), f"{lengths[i, j]:g} m", "a finite length above 0 m")
    return np.asfortranarray(lengths)
