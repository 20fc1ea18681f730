"""Comparison of two files of records, NetCDF or stores, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os.path import isdir
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, user_error
from lapwing.io.records.layout import CHECKSUM
from lapwing.io.store.store_reader import StoreReader, is_store


@dataclass(frozen=True)
class Difference:
    """A difference of a variable between two files: a text, or numbers if the shapes agree."""

    variable: str
    reason: str = ""  # why values cannot be compared; empty where they can
    count: int = 0  # values with other bits
    total: int = 0
    largest: float = 0.0  # absolute, in the units of the variable
    relative: float = 0.0  # largest |a - b| / max(|a|, |b|)
    first: tuple[int, ...] = ()  # index of the first value with other bits
    units: str = ""


def compare_files(a: Path, b: Path, common_times: bool = False) -> list[Difference]:
    """All differences between the variables of two files or stores; none when bitwise equal.

    A NetCDF file and a store with the same values are equal. Variables of groups count too, under
    names like "group/variable"; attributes are not compared. With `common_times` only the records
    whose time is in both files count, as when a continued run is held against one that never
    stopped. Local; UserError when a file cannot be read or there is no common time.
    """
    with _open(a) as first, _open(b) as second:
        records = _common_records(first, second) if common_times else None
        ours, theirs = dict(_variables(first)), dict(_variables(second))
        if is_store(a) != is_store(b):  # in a store every chunk has a checksum of its own
            for variables in (ours, theirs):
                variables.pop(CHECKSUM, None)
        try:
            found = [
                _compare_variable(name, ours.get(name), theirs.get(name), records)
                for name in dict.fromkeys([*ours, *theirs])
            ]
        except (OSError, RuntimeError) as problem:  # a damaged block inside a file that opens
            raise _unreadable(Path(f"{a} or {b}"), str(problem)) from None
    return [difference for difference in found if difference is not None]


def _open(path: Path) -> Any:
    """A file or a store, which have the same words for what is read here."""
    if isdir(path):  # noqa: PTH112  (Path.is_dir raises for a name that is too long)
        return StoreReader(path)
    try:
        data = netCDF4.Dataset(path, "r")
    except (OSError, RuntimeError) as problem:
        raise _unreadable(path, getattr(problem, "strerror", None) or str(problem)) from None
    # Read stored bits, not masked or scaled values.
    data.set_auto_maskandscale(False)
    return data


def _unreadable(path: Path, got: str) -> UserError:
    return user_error(
        str(path), got, "a readable NetCDF file, or a store", "check the name, or run again"
    )


def _variables(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every variable of a file by its name, including variables of its groups."""
    for name, variable in group.variables.items():
        yield path + name, variable
    for name, inner in group.groups.items():
        yield from _variables(inner, f"{path}{name}/")


Records = tuple[list[int], list[int]]


def _common_records(a: Any, b: Any) -> Records:
    times = []
    for data in (a, b):
        if "time" not in data.variables:
            raise user_error("--common-times", "a file without time", "two with it", "leave it out")
        times.append([float(value) for value in data["time"][:]])
    common = [value for value in times[0] if value in set(times[1])]
    if not common:
        raise user_error("--common-times", "no common time", "one or more", "leave it out")
    return [times[0].index(t) for t in common], [times[1].index(t) for t in common]


def _compare_variable(
    name: str, one: Any | None, two: Any | None, records: Records | None
) -> Difference | None:
    if one is None or two is None:
        which = "first" if one is None else "second"
        return Difference(name, reason=f"missing in the {which} file")
    over_time = records is not None and one.dimensions[:1] == ("time",)
    reason = _other_form(one, two, over_time)
    if reason:
        return Difference(name, reason=reason)
    pieces = _pieces(one, two, records if over_time else None)
    return _sum_up(name, str(getattr(one, "units", "")), pieces)


def _other_form(one: Any, two: Any, over_time: bool) -> str:
    if one.dimensions != two.dimensions:
        return f"dimensions {one.dimensions} and {two.dimensions}"
    if one.dtype != two.dtype:
        return f"types {one.dtype} and {two.dtype}"
    skip = 1 if over_time else 0
    if one.shape[skip:] != two.shape[skip:]:
        return f"shapes {one.shape} and {two.shape}"
    return ""


Piece = tuple[tuple[int, ...], NDArray[Any], NDArray[Any]]  # index of the record, values, values


def _pieces(one: Any, two: Any, records: Records | None) -> Iterator[Piece]:
    """The values to compare, one record at a time so that long files fit in memory."""
    if not one.dimensions:
        yield (), np.asarray(one[...]), np.asarray(two[...])
        return
    pairs = zip(*(records or (range(one.shape[0]), range(one.shape[0]))), strict=True)
    for record, other in pairs:
        yield (record,), np.asarray(one[record]), np.asarray(two[other])


def _sum_up(name: str, units: str, pieces: Iterator[Piece]) -> Difference | None:
    count, total, largest, relative = 0, 0, 0.0, 0.0
    first: tuple[int, ...] | None = None
    for record, a, b in pieces:
        total += a.size
        other = different_bits(a, b)
        if not other.any():
            continue
        if first is None:
            first = (*record, *(int(n) for n in np.argwhere(other)[0]))
        count += int(other.sum())
        here = _sizes(a[other], b[other])
        largest, relative = max(largest, here[0]), max(relative, here[1])
    if first is None:
        return None
    return Difference(name, "", count, total, largest, relative, first, units)


def different_bits(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """Places where arrays of a type and shape differ in any bit: NaN equals the same NaN. Local."""
    if a.dtype.kind not in "fiu":
        return np.asarray(a != b)
    kind = f"u{a.dtype.itemsize}"
    # ascontiguousarray makes scalars one-dimensional; reshape gives them their shape again.
    bits_a = np.ascontiguousarray(a).view(kind).reshape(a.shape)
    bits_b = np.ascontiguousarray(b).view(kind).reshape(b.shape)
    return np.asarray(bits_a != bits_b)


def _sizes(a: NDArray[Any], b: NDArray[Any]) -> tuple[float, float]:
    """Largest absolute and relative difference; infinite where only one value is finite."""
    if a.dtype.kind not in "fiu":
        return float("inf"), float("inf")
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        absolute = np.abs(x - y)
        scale = np.maximum(np.abs(x), np.abs(y))
        relative = np.where(absolute == 0, 0.0, absolute / scale)
    absolute = np.where(np.isnan(absolute), np.inf, absolute)
    relative = np.where(np.isnan(relative), np.inf, relative)
    return float(absolute.max()), float(relative.max())
