"""Checks of numbers of a case file or an option; all raise UserError."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from lapwing.base.error import user_error

Number = TypeVar("Number", int, float)


def require_positive(name: str, value: float, unit: str) -> None:
    """Refuse a number that is not finite and above 0. Local."""
    if not (math.isfinite(value) and value > 0):
        got, expected = f"{value:g} {unit}".strip(), f"more than 0 {unit}".strip()
        raise user_error(name, got, expected, "change the value")


def require_at_least_zero(name: str, value: float, unit: str) -> None:
    """Refuse a number that is not finite, or below 0. Local."""
    if not (math.isfinite(value) and value >= 0):
        raise user_error(name, f"{value:g} {unit}".strip(), "0 or more", "change the value")


def require_count(name: str, value: int, least: int, unit: str) -> None:
    """Refuse a whole number below `least`. Local."""
    if value < least:
        raise user_error(name, str(value), f"at least {least} {unit}", "change the value")


def positive_numbers(
    name: str, text: str, number: Callable[[str], Number], expected: str
) -> list[Number]:
    """The numbers above 0 in a text with commas between them. Local; UserError for others."""
    try:
        numbers = [number(part) for part in text.split(",")]
        if not all(value > 0 for value in numbers):
            raise ValueError
    except ValueError:
        shown = text if len(text) < 60 else text[:57] + "..."
        raise user_error(name, repr(shown), expected, "change it") from None
    return numbers


def require_cells(name: str, size: Sequence[int]) -> None:
    """Refuse a grid [nx, ny(, nz)] whose mask does not fit into the memory of this machine. Local.

    Every rank has the mask of the whole grid, of a byte per cell of the plane, and a copy of it.
    """
    memory = physical_memory()
    if 2 * math.prod(size[:2]) > memory:
        raise user_error(
            name,
            f"{' x '.join(map(str, size))} cells",
            f"at most {memory // 2:.2g} in the plane, by the memory of this machine",
            "take fewer cells",
        )


# The limit of a control group, by the word before the group in /proc/self/cgroup: versions 2, 1
_LIMITS = {"0::/": "{}/memory.max", "memory:/": "memory/{}/memory.limit_in_bytes"}


@cache  # reading the limits takes as long as reading a small mask
def physical_memory(root: Path = Path("/")) -> int:
    """Bytes of memory of this machine, or of the control groups that this process is in. Local.

    `root`: the folder that /proc and /sys are in.
    """
    bytes_ = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            for word, limit in _LIMITS.items():
                if word not in line or (word[0] == "0" and not line.startswith(word)):
                    continue
                inner = Path(line.split(word, 1)[1])
                for group in (inner, *inner.parents):  # the groups around it have limits too
                    with suppress(OSError, ValueError):  # not there, or no limit
                        text = (root / "sys/fs/cgroup" / limit.format(group)).read_text()
                        bytes_ = min(bytes_, int(text))
    return bytes_


def require_readable(name: str, shape: Sequence[int], value_bytes: int) -> None:
    """Refuse an array of a file that would not fit into this machine's memory three times. Local.

    A compressed file of some kilobytes may hold an array of any size.
    """
    memory = physical_memory()
    if 3 * math.prod(shape) * value_bytes > memory:
        raise user_error(
            name,
            f"{' x '.join(map(str, shape))} values of {value_bytes} bytes",
            f"at most {memory // (3 * value_bytes):.2g}, by the memory of this machine",
            "name another file, or cut it",
        )


def require_finite(settings: Any, table: str) -> None:
    """Refuse numbers of a settings dataclass that are not finite. Local."""
    for item in fields(settings):
        value = getattr(settings, item.name)
        if isinstance(value, float) and not math.isfinite(value):
            raise user_error(
                f"{table}.{item.name}", f"{value:g}", "a finite number", "change the value"
            )
