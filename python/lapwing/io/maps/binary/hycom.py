"""HYCOM's pairs of files regional.depth.a and .b, with the sizes and degrees of regional.grid."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.maps.binary.words import GivenSize, Size, read_text, read_words, require_same_size

_WORDS = 4096  # records are filled to a multiple of them
_LAND = 2.0**99  # and above: HYCOM writes 2^100
_KIND = ">f4"
_DIMS = ("jdm", "idm")
_AGREE = 1e-4  # relative, as HYCOM compares the two files


def open_hycom(path: Path, given: GivenSize, subject: str) -> xr.Dataset:
    """Read the depths [y, x] of the .a file, NaN on land, and plon and plat of regional.grid.a.

    Local. regional.grid.b in the same folder says the sizes, or else the caller. UserError for a
    missing companion, a length that does not fit, and depths that differ from the .b file.
    """
    data, words = path.with_suffix(".a"), path.with_suffix(".b")
    bounds = read_bounds(words, subject)
    if not data.exists():
        raise user_error(subject, f"no {data.name}", "the depths", f"copy {data.name} too")
    grid = data.with_name("regional.grid.b")
    size = _size(given, grid, subject)
    depth = _depths(data, size, subject, given)
    _require_bounds(depth, bounds, size, subject, words)
    degrees = _degrees(grid, size, subject)
    source = {"source": f"HYCOM {data.name}: float32, big-endian"}
    return xr.Dataset({"depth": (_DIMS, depth, {"units": "m"})}, degrees, source)


def _size(given: GivenSize, grid: Path, subject: str) -> Size:
    """The size that regional.grid.b says, or else the caller."""
    if given.cells is not None and not grid.exists():
        return given.cells
    told = read_size(grid, subject, given)
    require_same_size(given, told, grid, subject)
    return told


def read_size(grid: Path, subject: str, given: GivenSize) -> Size:
    """The sizes idm and jdm of regional.grid.b. Local; UserError if there are none."""
    text = read_text(grid, subject, f"{grid.name}, which has the sizes (or {given.option})")
    found = {name: n for n, name in re.findall(r"^\s*(\d+)\s+'(idm|jdm)\s*'", text, re.MULTILINE)}
    if set(found) != {"idm", "jdm"} or "0" in found.values():
        raise user_error(f"{subject}, {grid.name}", "no idm and jdm", "both", given.remedy)
    return int(found["idm"]), int(found["jdm"])


def read_bounds(words: Path, subject: str) -> tuple[float, float]:
    """The least and largest depth that the .b file says. Local; UserError where it says none."""
    text = read_text(words, subject, f"{words.name}, which has the least and largest depth")
    found = re.search(r"min,max depth\s*=\s*(\S+?)\s*[ ,]\s*(\S+)", text)
    try:
        return float(found[1]), float(found[2])  # type: ignore[index]
    except (TypeError, ValueError):
        expected = "a line like min,max depth = 5.0 5000.0"
        raise user_error(
            f"{subject}, {words.name}", "no depths", expected, "copy the file again"
        ) from None


def _depths(data: Path, size: Size, subject: str, given: GivenSize) -> NDArray[np.float32]:
    """The depths of a file of one record, with nothing but filling behind the last cell."""
    cells, words = size[0] * size[1], _words(size)
    record = f"{size[0]} x {size[1]} cells, filled to {words:,} numbers of 4 bytes"
    if (held := data.stat().st_size) != 4 * words:
        remedy = "copy the file again, or correct the size"
        raise user_error(subject, f"{held:,} bytes", f"{4 * words:,}, for {record}", remedy)
    behind = read_words(data, (words - cells,), _KIND, subject, 4 * cells)
    if np.any((behind > 0) & (behind < _LAND)):
        expected = "nothing behind the last cell"
        raise user_error(
            subject, f"depths behind {size[0]} x {size[1]} cells", expected, given.remedy
        )
    return _record(data, 0, size, subject)


def _record(data: Path, number: int, size: Size, subject: str) -> NDArray[np.float32]:
    """One record of a .a file, NaN on land."""
    nx, ny = size
    values: NDArray[np.float32] = read_words(
        data, (ny, nx), _KIND, subject, 4 * number * _words(size)
    )
    values[values > _LAND] = np.nan
    return values


def _words(size: Size) -> int:
    return -(-size[0] * size[1] // _WORDS) * _WORDS


def _require_bounds(
    depth: NDArray[np.float32], bounds: tuple[float, float], size: Size, subject: str, words: Path
) -> None:
    """Refuse depths other than the .b file's: wrong sizes, or files of two grids."""
    water = depth[~np.isnan(depth)]
    got = (float(water.min()), float(water.max())) if water.size else (np.nan, np.nan)
    if np.allclose(got, bounds, rtol=_AGREE, atol=1e-3):
        return
    raise user_error(
        subject,
        f"depths of {got[0]:g} to {got[1]:g} m in {size[0]} x {size[1]} cells",
        f"{bounds[0]:g} to {bounds[1]:g} m, as {words.name} says",
        "take the .a, .b and regional.grid.b of one grid, or correct the size",
    )


def _degrees(grid: Path, size: Size, subject: str) -> dict[str, xr.Variable]:
    """The first two records of regional.grid.a, where it is: longitudes and latitudes."""
    data = grid.with_suffix(".a")
    if not data.exists():
        return {}
    subject = f"{subject}, {data.name}"
    if (held := data.stat().st_size) < 8 * _words(size):
        expected = f"at least the {8 * _words(size):,} of plon and plat"
        raise user_error(subject, f"{held:,} bytes", expected, "copy the file again")
    lon, lat = (_record(data, n, size, subject) for n in (0, 1))
    return {
        "plon": xr.Variable(_DIMS, lon, {"units": "degrees_east"}),
        "plat": xr.Variable(_DIMS, lat, {"units": "degrees_north"}),
    }
