"""MITgcm's pairs of files NAME.data and NAME.meta (package mdsio)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.maps.binary.raw import open_record
from lapwing.io.maps.binary.words import (
    GivenSize,
    read_text,
    read_words,
    require_bytes,
    require_same_size,
)

_DIMS = ("Z", "Y", "X")
_DEGREES = {"XC": "degrees_east", "YC": "degrees_north"}
_TYPES = {"float32": ">f4", "float64": ">f8"}  # big-endian, unless MITgcm was built otherwise


@dataclass(frozen=True)
class MdsHeader:
    """A .meta file: the shape [(z,) y, x], the type, and if it is one tile of several."""

    shape: tuple[int, ...]
    kind: str
    records: int
    is_tile: bool


def open_mds(path: Path, given: GivenSize, subject: str) -> xr.Dataset:
    """Read NAME.data as its .meta says, with XC and YC from the same folder where they are.

    Local. UserError for tiles, lengths that do not fit, several records, a given size that
    differs from the .meta file, and a missing .meta without one.
    """
    data, meta = path.with_suffix(".data"), path.with_suffix(".meta")
    if not meta.exists() and given.cells is not None:
        return open_record(data, given, subject)
    header = read_header(meta, subject, given)
    require_same_size(given, (header.shape[-1], header.shape[-2]), meta, subject)
    if not data.exists():
        raise user_error(subject, f"no {data.name}", "the numbers", f"copy {data.name} too")
    require_whole(header, data, subject)
    dims = _DIMS[-len(header.shape) :]
    name = data.name.split(".")[0]
    values = read_words(data, header.shape, header.kind, subject)
    variables: dict[str, tuple[tuple[str, ...], NDArray[Any]]] = {name: (dims, values)}
    if name == "hFacC":  # under an ice shelf the upper cells are closed, and the column is wet
        levels = (values > 0).reshape(-1, *values.shape[-2:])
        variables["column"] = (_DIMS[1:], np.asarray(levels.any(axis=0)))
    source = f"MITgcm {data.name}: float{8 * int(header.kind[2:])}, big-endian"
    made = xr.Dataset(variables, attrs={"source": source})
    return made.assign_coords(_degrees(data.parent, header, subject, given))


def read_header(meta: Path, subject: str, given: GivenSize) -> MdsHeader:
    """The shape and type that a .meta file says. Local; UserError for a missing or strange one."""
    text = read_text(meta, subject, f"{meta.name}, which has the sizes (or {given.option})")
    bounds = re.search(r"dimList\s*=\s*\[([^\]]*)\]", text)
    kind = re.search(r"(?:dataprec|format)\s*=\s*\[\s*'(\w+)'", text)
    records = re.search(r"nrecords\s*=\s*\[\s*(\d+)", text)
    numbers = [int(n) for n in re.findall(r"\d+", bounds[1])] if bounds else []
    if kind is None or kind[1] not in _TYPES or len(numbers) not in (6, 9) or 0 in numbers:
        raise user_error(
            f"{subject}, {meta.name}",
            f"dimList of {len(numbers)} numbers, dataprec {kind[1] if kind else 'missing'}",
            "2 or 3 dimensions of three numbers each, float32 or float64",
            "copy the file again",
        )
    rows = [numbers[n : n + 3] for n in range(0, len(numbers), 3)]
    shape = tuple(last - first + 1 for _, first, last in reversed(rows))
    is_tile = any(last - first + 1 != whole for whole, first, last in rows)
    return MdsHeader(shape, _TYPES[kind[1]], int(records[1]) if records else 1, is_tile)


def require_whole(header: MdsHeader, data: Path, subject: str) -> None:
    """Refuse a tile, several records, and a length other than the header's. Local."""
    if header.is_tile:
        remedy = "join the tiles, or run MITgcm with useSingleCpuIO = .TRUE."
        raise user_error(subject, "one tile of several", "the whole grid", remedy)
    if header.records != 1:
        got = f"{header.records} records"
        raise user_error(subject, got, "one", "take a file of the grid: hFacC or Depth")
    require_bytes(data, header.shape, int(header.kind[2:]), subject)


def _degrees(
    folder: Path, header: MdsHeader, subject: str, given: GivenSize
) -> dict[str, xr.Variable]:
    """XC and YC of the folder, both or neither; none that has another shape than the map."""
    found = {}
    for name, units in _DEGREES.items():
        data = folder / f"{name}.data"
        if not (data.exists() and data.with_suffix(".meta").exists()):
            return {}
        other = read_header(data.with_suffix(".meta"), f"{subject}, {name}", given)
        if other.shape != header.shape[-2:]:
            return {}
        require_whole(other, data, f"{subject}, {name}")
        values = read_words(data, other.shape, other.kind, f"{subject}, {name}")
        found[name] = xr.Variable(_DIMS[1:], values, {"units": units})
    return found
