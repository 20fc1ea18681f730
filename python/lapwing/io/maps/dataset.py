"""Files opened as xarray Datasets whose variables are read later, by blocks of rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.array_file import read_array
from lapwing.base.error import UserError, user_error
from lapwing.base.number_check import require_readable
from lapwing.io.maps.faults.classic import require_complete
from lapwing.io.maps.faults.pieces import require_whole
from lapwing.io.maps.faults.radians import in_degrees
from lapwing.io.maps.formats import OPENERS
from lapwing.io.maps.request import MapRequest, MapSource

if TYPE_CHECKING:
    import xarray

BLOCK_BYTES = 64 * 2**20  # size of a block of rows, once decoded to float64
_TALLEST_CHUNKS = 4  # blocks: taller chunks are decompressed again for every block
_TEXTS = ("units", "axis", "standard_name", "long_name", "positive", "description", "comment")

# Errors of xarray and NetCDF for damaged files, besides OSError
_DAMAGED = (RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError)


@contextmanager
def open_maps(path: Path, request: MapRequest) -> Iterator[MapSource]:
    """Open a file of maps: NetCDF, NumPy (.npy), or what an opener of `formats` fits.

    Local. Nothing but coordinates of one dimension is read yet. UserError for a file that cannot
    be opened, or, inside the `with`, not be read.
    """
    subject = f"{request.name} {path}"
    try:
        data = in_degrees(_opened(path, subject, request))
    except UserError:
        raise
    except (OSError, *_DAMAGED) as problem:
        raise _unreadable(path, subject, problem) from None
    with data, _quiet():
        require_whole(data, subject)
        try:
            yield MapSource(data, path, request)
        except UserError:
            raise
        except (OSError, RuntimeError, ValueError) as problem:
            raise _unreadable(path, subject, problem) from None


def _quiet() -> warnings.catch_warnings[None]:
    """Warnings of xarray about odd attributes do not help: what matters is checked here."""
    return warnings.catch_warnings(action="ignore")


def _opened(path: Path, subject: str, request: MapRequest) -> xarray.Dataset:
    for opener in OPENERS:
        if opener.fits(path):
            return opener.open(path, subject, request)
    if path.suffix == ".npy":
        return _numpy(path, subject)
    return _netcdf(path, subject)


# First bytes of files for which there is a better remedy than "cannot be read"
_PACKED = {b"\x1f\x8b": "gunzip", b"BZh": "bunzip2", b"\xfd7zXZ": "unxz", b"PK\x03\x04": "unzip"}
_NETCDF = (b"\x89HDF", b"CDF\x01", b"CDF\x02", b"CDF\x05")


def _remedy(path: Path) -> str:
    """Return the remedy for a file that cannot be read, by its first bytes. Local."""
    try:
        with path.open("rb") as file:
            begin = file.read(6)
    except OSError:
        return "correct the name or the file"
    for signature, program in _PACKED.items():
        if begin.startswith(signature):
            return f"unpack it first: {program} {path}"
    if begin.startswith(_NETCDF):
        return (
            f"the file is NetCDF, but damaged or not whole ({path.stat().st_size} bytes): copy it "
            "again, and compare sizes"
        )
    return "correct the name or the file"


def _unreadable(path: Path, subject: str, problem: Exception) -> UserError:
    return user_error(
        subject,
        str(problem) or type(problem).__name__,
        "a NetCDF file with a map of the sea, or a .npy file of 0 and 1 [y, x]",
        _remedy(path),
    )


def _numpy(path: Path, subject: str) -> xarray.Dataset:
    import xarray  # takes half a second to load

    with path.open("rb") as file:
        values = read_array(file)
    if values.ndim != 2:
        raise user_error(
            subject,
            f"an array of shape {values.shape}",
            "2 dimensions, [y, x]",
            "save one value per cell, y (latitude) first",
        )
    return xarray.Dataset({"mask": (("y", "x"), values)})


def _netcdf(path: Path, subject: str) -> xarray.Dataset:
    require_complete(path, subject)
    with netCDF4.Dataset(path) as file:
        for name, variable in file.variables.items():
            if variable.dimensions == (name,):  # xarray reads these at once
                require_room(path, f"{subject}, {name}", variable.shape, 8)
    import xarray  # takes half a second to load

    with _quiet():
        data = xarray.open_dataset(
            path, engine="netcdf4", decode_times=False, decode_coords=False, cache=False
        )
    for one in data.variables.values():
        for word in set(_TEXTS) & set(one.attrs):
            one.attrs[word] = str(one.attrs[word])
    return data


def require_room(path: Path, name: str, shape: Sequence[int], value_bytes: int) -> None:
    """Refuse sizes that no memory has, or the file cannot hold. Local.

    A few damaged bytes say any size. A compressed file holds more cells than bytes, so only files
    of the older NetCDF, which packs nothing, are compared with their size.
    """
    require_readable(name, shape, value_bytes)
    held, cells = path.stat().st_size, math.prod(shape)
    with path.open("rb") as file:
        older = file.read(3) == b"CDF"
    if older and cells > held:
        expected = f"at most the {held} bytes of the file"
        raise user_error(name, f"{cells} values", expected, "copy it again")


# ---- values


def row_blocks(shape: Sequence[int], chunk_rows: int = 1) -> Iterator[slice]:
    """The rows of an array [rows, columns] in blocks of at most some 64 MB of float64. Local.

    `chunk_rows`: the rows of a chunk of the file, of which a block has whole ones if it can.
    """
    rows = max(1, BLOCK_BYTES // (8 * max(1, shape[1])))
    if chunk_rows <= _TALLEST_CHUNKS * rows:
        rows = math.ceil(rows / chunk_rows) * chunk_rows
    for first in range(0, shape[0], rows):
        yield slice(first, min(first + rows, shape[0]))


def values_of(variable: xarray.Variable) -> NDArray[Any]:
    """Read a variable: numbers as CF decodes them, NaN where the file hides a value. Local.

    A value is hidden if it is the fill value (NetCDF's own if the file names none),
    missing, or outside the valid range. The number that stands there is never returned.
    """
    try:
        values = np.asarray(variable.values)
    except TypeError as problem:  # a factor that is a text
        raise ValueError(f"attributes that do not fit the values ({problem})") from None
    if values.dtype.kind == "O" and variable.dtype.kind in "biuf":
        raise ValueError("lists of numbers (a VLEN type), not one number in each cell")
    hidden = _outside(variable, values)
    if hidden is None or not hidden.any():
        return values
    return np.where(hidden, np.nan, values)


def _outside(variable: xarray.Variable, values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """The values that are never written, or outside valid_range, valid_min, valid_max."""
    if values.dtype.kind not in "iuf":
        return None
    low, high = _valid_range(variable)
    hidden = None
    if low is not None or high is not None:
        hidden = np.zeros(values.shape, dtype=np.bool_)
        hidden |= False if low is None else values < low
        hidden |= False if high is None else values > high
    fill = _default_fill(variable)
    if fill is not None:
        scale, offset = _packing(variable)
        unwritten = values.dtype.type(fill * scale + offset) if values.dtype.kind == "f" else fill
        plain = (scale, offset) == (1.0, 0.0)
        found = values == unwritten if plain else np.isclose(values, unwritten, 1e-6, 0.0)
        hidden = found if hidden is None else hidden | found
    return hidden


def hidden_in(values: NDArray[Any]) -> NDArray[np.bool_]:
    """The cells of values read by `values_of` that hide theirs. Local."""
    return np.isnan(values) if values.dtype.kind == "f" else np.broadcast_to(False, values.shape)


def _valid_range(variable: xarray.Variable) -> tuple[float | None, float | None]:
    """The valid range as decoded values; the file says it in packed ones."""
    given = variable.attrs
    pair = _numbers(given.get("valid_range"))
    low, high = pair if len(pair) == 2 else (None, None)
    low = next(iter(_numbers(given.get("valid_min"))), low)
    high = next(iter(_numbers(given.get("valid_max"))), high)
    scale, offset = _packing(variable)
    ends = [None if end is None else end * scale + offset for end in (low, high)]
    return (ends[1], ends[0]) if scale < 0 else (ends[0], ends[1])


def _numbers(given: Any) -> list[float]:
    """An attribute as numbers; none if it is a text or missing."""
    values = np.atleast_1d(np.asarray([] if given is None else given))
    return [float(value) for value in values] if values.dtype.kind in "iuf" else []


def _packing(variable: xarray.Variable) -> tuple[float, float]:
    """The factor and the offset between the numbers of the file and their values."""
    found = [_numbers(variable.encoding.get(word)) for word in ("scale_factor", "add_offset")]
    return (found[0] or [1.0])[0], (found[1] or [0.0])[0]


def _default_fill(variable: xarray.Variable) -> int | float | None:
    """The packed value of unwritten cells, where the file names no other; bytes have none."""
    encoding = variable.encoding
    kind = encoding.get("dtype")
    if "source" not in encoding or "_FillValue" in encoding or not isinstance(kind, np.dtype):
        return None
    if kind.itemsize == 1 or kind.kind not in "iuf":
        return None
    fill = netCDF4.default_fillvals[f"{kind.kind}{kind.itemsize}"]
    return float(fill) if kind.kind == "f" else int(fill)
