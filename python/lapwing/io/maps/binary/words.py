"""Numbers of a file without a header: as many as expected, of one type and byte order."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, shortened, user_error
from lapwing.base.number_check import require_readable
from lapwing.io.maps.request import MapRequest

Size = tuple[int, int]  # cells along x and y

BYTE_ORDERS = {">": "big-endian", "<": "little-endian"}


@dataclass(frozen=True)
class GivenSize:
    """The size that the caller gave of a map, if any, and how the caller gives one."""

    cells: Size | None
    option: str  # '--size "NX,NY"'

    @property
    def remedy(self) -> str:
        """The remedy if the size is missing or wrong. Local."""
        return f"give the cells along x and y: {self.option}"


def given_size(request: MapRequest) -> GivenSize:
    """The size of a request. Local; UserError for a text other than two whole numbers above 0."""
    option = request.option("size", "NX,NY")
    if not request.size:
        return GivenSize(None, option)
    found = re.fullmatch(r"\s*([1-9]\d{0,8})\s*,\s*([1-9]\d{0,8})\s*", request.size)
    if found is None:
        expected = "the cells along x and y, two whole numbers like 360,180"
        raise user_error(option, shortened(request.size), expected, "change it")
    return GivenSize((int(found[1]), int(found[2])), option)


def read_words(
    path: Path, shape: tuple[int, ...], kind: str, subject: str, offset: int = 0
) -> NDArray[Any]:
    """Read an array of type `kind` (">f4") in native byte order, from the byte `offset` on.

    Local. UserError where the memory of this machine does not hold it. The caller checks the length
    of the file.
    """
    dtype = np.dtype(kind)
    require_readable(subject, shape, dtype.itemsize)
    values = np.fromfile(path, dtype, math.prod(shape), offset=offset)
    return values.reshape(shape).astype(dtype.newbyteorder("="))


def require_bytes(path: Path, shape: tuple[int, ...], itemsize: int, subject: str) -> None:
    """Refuse a file of another length than an array's, and name sizes that would fit. Local."""
    held, wanted = path.stat().st_size, math.prod(shape) * itemsize
    if held == wanted:
        return
    cells = " x ".join(map(str, reversed(shape)))
    fits = " or ".join(_other_sizes(held, shape, itemsize))
    raise user_error(
        subject,
        f"{held:,} bytes",
        f"{wanted:,}, for {cells} numbers of {itemsize} bytes",
        "copy the file again, or correct the size" + (f": its bytes fit {fits}" if fits else ""),
    )


def _other_sizes(held: int, shape: tuple[int, ...], itemsize: int) -> list[str]:
    """Sizes that the bytes fit, with the same width or the same height."""
    numbers, rest = divmod(held, itemsize * math.prod(shape[:-2]))
    ny, nx = shape[-2:]
    sizes = ((nx, numbers // nx), (numbers // ny, ny))
    return [] if rest else [f"{a},{b}" for a, b in sizes if a * b == numbers > 0]


def require_same_size(given: GivenSize, told: Size, teller: Path, subject: str) -> None:
    """Refuse a given size that differs from what a companion file says. Local."""
    if given.cells not in (None, told):
        got = f"a size of {' x '.join(map(str, given.cells or ()))} cells"
        expected = f"{told[0]} x {told[1]}, as {teller.name} says"
        raise user_error(subject, got, expected, "leave the size out, or take files of one grid")


def read_text(path: Path, subject: str, why: str) -> str:
    """The text of a companion file. Local; UserError where it is missing or unreadable."""
    try:
        return path.read_text(errors="replace")
    except OSError as problem:
        raise missing(path, subject, why, problem) from None


def missing(path: Path, subject: str, why: str, problem: OSError) -> UserError:
    """The error for a companion file that cannot be read."""
    got = f"no {path.name} ({problem.strerror or problem})"
    return user_error(subject, got, why, f"copy {path.name} to {path.parent} too")
