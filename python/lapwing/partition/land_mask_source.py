"""Where the earth is sea, at 30 arc-seconds: the array of the package `global-land-mask`.

The package holds 21600 x 43200 cells, 0.9 GB once unpacked, and unpacks them all when it is
imported. Here its file is read as a stream instead, and only the rows and columns that are asked
for are kept.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import OutsideError, outside_error

CELLS_PER_DEGREE = 120  # 30 arc-seconds
_PACKAGE = "global-land-mask"
_FILE = "globe_combined_mask_compressed.npz"
_SHAPE = (180 * CELLS_PER_DEGREE, 360 * CELLS_PER_DEGREE)  # from 90 N southwards, 180 W eastwards
_ROWS_AT_ONCE = 256  # 11 MB


def source_version() -> str:
    """The version of the package. Local. OutsideError where it is not installed."""
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise _missing("not installed") from None


def read_sea(rows: slice, columns: slice) -> NDArray[np.bool_]:
    """Read the sea cells [lat, lon] of a part of the earth, from south to north and west to east.

    Local. `rows` count from 90 S and `columns` from 180 W, 120 to a degree. Takes about two
    seconds and 15 MB besides the result. OutsideError where the package is missing or other than
    known.
    """
    first, last = _SHAPE[0] - rows.stop, _SHAPE[0] - rows.start  # the file begins in the north
    kept = []
    try:
        with zipfile.ZipFile(_path()) as archive, archive.open("mask.npy") as stream:
            _check_head(stream)
            for row in range(0, last, _ROWS_AT_ONCE):
                count = min(_ROWS_AT_ONCE, last - row)
                piece = np.frombuffer(stream.read(count * _SHAPE[1]), dtype=np.bool_)
                part = piece.reshape(count, _SHAPE[1])[max(first - row, 0) :, columns]
                kept.append(part.copy())  # a view would keep all columns in memory
    except (zipfile.BadZipFile, KeyError, ValueError) as problem:
        raise _missing(f"a broken file ({problem})") from None
    return np.ascontiguousarray(np.concatenate(kept)[::-1])


def _path() -> Path:
    # Looked for without importing it: that would unpack the whole earth.
    package = importlib.util.find_spec("global_land_mask")
    if package is None or not package.submodule_search_locations:
        raise _missing("not installed")
    path = Path(package.submodule_search_locations[0]) / _FILE
    if not path.is_file():
        raise _missing(f"no file {_FILE}")
    return path


def _check_head(stream: IO[bytes]) -> None:
    np.lib.format.read_magic(stream)
    shape, by_column, kind = np.lib.format.read_array_header_1_0(stream)
    if (shape, by_column, kind) != (_SHAPE, False, np.dtype(bool)):
        raise _missing(f"an array of {kind} {shape}")


def _missing(got: str) -> OutsideError:
    return outside_error(
        f"package {_PACKAGE}",
        got,
        "version 1.0.0, whose coasts `lapwing mask` cuts out",
        f"{sys.executable} -m pip install {_PACKAGE}==1.0.0",
    )
