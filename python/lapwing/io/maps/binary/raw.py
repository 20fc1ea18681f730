"""One record of numbers without a header: kmt of CICE and POP, a bathymetry of MITgcm.

Such a file says neither its sizes nor its type. The sizes must be given; of the types that models
write, only one gives depths of the earth or numbers of levels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.maps.binary.words import BYTE_ORDERS, GivenSize, Size, read_words, require_bytes
from lapwing.io.maps.meaning.unmarked import MOST_METRES

_MOST_LEVELS = 1000
_METRES = (1e-6, MOST_METRES)  # depths and heights that are not zero
_WORDS = {"f": "float", "i": "int"}


def open_record(path: Path, given: GivenSize, subject: str) -> xr.Dataset:
    """Read kmt [y, x] of int32, or bathymetry [y, x] of float32 or float64 (heights in metres).

    Local. UserError without a given size, for a length that does not fit, and where the values are
    levels or metres in no type and byte order, or in two.
    """
    size = given.cells
    if size is None:
        got = "a file without a header, which cannot say its sizes"
        raise user_error(subject, got, "the cells along x and y", given.remedy)
    nx, ny = size
    _require_record(path, (ny, nx), subject)
    itemsize = path.stat().st_size // (nx * ny)
    kinds = [f"{order}{letter}{itemsize}" for letter in "fi" for order in BYTE_ORDERS]
    found = {
        kind: values for kind in kinds if plausible(values := _read(path, size, kind, subject))
    }
    if len(found) != 1:
        raise user_error(
            subject,
            f"numbers that are {' and '.join(found) if found else 'neither levels nor metres'}",
            f"int32 of 0 to {_MOST_LEVELS} (kmt), or float32 or float64 of at most 12 km, in one "
            "byte order",
            "write it as NetCDF",
        )
    ((kind, values),) = found.items()
    source = f"{_WORDS[kind[1]]}{8 * itemsize}, {BYTE_ORDERS[kind[0]]}"
    if kind[1] == "i":
        return xr.Dataset({"kmt": (("nj", "ni"), values)}, attrs={"source": f" ({source})"})
    words = {"units": "m", "positive": "up"}
    return xr.Dataset({"bathymetry": (("Y", "X"), values, words)}, attrs={"source": source})


def plausible(values: NDArray[Any]) -> bool:
    """True if integers are numbers of levels, or other numbers heights in metres. Local.

    A record of zeros only is neither: it is the same in every type.
    """
    if values.dtype.kind == "i":
        return bool(values.min() >= 0 and 0 < values.max() <= _MOST_LEVELS)
    size = np.abs(values[values != 0])
    return bool(size.size and np.all((size >= _METRES[0]) & (size <= _METRES[1])))


def _read(path: Path, size: Size, kind: str, subject: str) -> NDArray[Any]:
    return read_words(path, (size[1], size[0]), kind, subject)


def _require_record(path: Path, shape: tuple[int, int], subject: str) -> None:
    """Refuse a length other than one record of 4 or 8 bytes per cell."""
    cells = shape[0] * shape[1]
    itemsize = 8 if path.stat().st_size == 8 * cells else 4
    require_bytes(path, shape, itemsize, subject)
