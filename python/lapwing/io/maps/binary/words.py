"""Numbers of a file without a header: as many as expected, of one type and byte order."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, user_error
from lapwing.base.number_check import require_readable

Size = tuple[int, int]  # cells along x and y

BYTE_ORDERS = {">": "big-endian", "<": "little-endian"}
SIZE_OPTION = "give the cells along x and y: --size NX,NY, or grid.size in a case"


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
    """Sizes that the bytes fit: of the same width, or of the same height."""
    numbers, rest = divmod(held, itemsize * math.prod(shape[:-2]))
    ny, nx = shape[-2:]
    sizes = ((nx, numbers // nx), (numbers // ny, ny))
    return [] if rest else [f"{a},{b}" for a, b in sizes if a * b == numbers > 0]


def require_same_size(size: Size | None, told: Size, teller: Path, subject: str) -> None:
    """Refuse a `size` of the user that differs from what a companion file says. Local."""
    if size is not None and size != told:
        got = f"--size {size[0]},{size[1]}"
        expected = f"{told[0]},{told[1]}, as {teller.name} says"
        raise user_error(subject, got, expected, "leave --size out, or take the files of one grid")


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
