"""Numbers with their units, as machine files say them: "65 us", "6 ns/byte", "128 KiB"."""

from __future__ import annotations

import math
import re
from typing import Any, Literal, get_args

from lapwing.base.error import UserError, shown, user_error
from lapwing.base.settings import Where

Kind = Literal["seconds", "seconds per byte", "bytes", "bytes per second", "per second"]

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_BYTES = {"bytes": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_BYTES |= {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}
_BITS = {"Mbit/s": 1e6 / 8, "Gbit/s": 1e9 / 8}
_UNITS: dict[Kind, dict[str, float]] = {
    "seconds": _SECONDS,
    "seconds per byte": {f"{unit}/byte": size for unit, size in _SECONDS.items()},
    "bytes": _BYTES,
    "bytes per second": {f"{unit}/s": size for unit, size in _BYTES.items()} | _BITS,
    "per second": {"/s": 1.0},
}
_TEXT = re.compile(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(\S+)\s*")


def quantity(kind: Kind, value: Any, where: Where, *, bare: bool = False) -> float:
    """The number in SI units (s, bytes) of a text with a unit. Local.

    `bare`: also a plain number, which is in SI units already. UserError, with the name of the key,
    for a text without a unit of this kind, and for a number that is negative or not finite.
    """
    number = _number(kind, value, bare)
    if number is None:
        raise _without_unit(kind, value, where)
    if not (number >= 0 and math.isfinite(number)):
        raise user_error(where.name(), shown(value), "a finite number, 0 or more", "change it")
    return number


def positive(kind: Kind, value: Any, where: Where, *, bare: bool = False) -> float:
    """As `quantity`, and UserError for 0 too. Local."""
    number = _number(kind, value, bare)
    if number is not None and not (number > 0 and math.isfinite(number)):
        raise user_error(where.name(), shown(value), "a finite number above 0", "change it")
    return quantity(kind, value, where, bare=bare)


def _number(kind: Kind, value: Any, bare: bool) -> float | None:
    """None where there is no unit of this kind."""
    if bare and isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    found = _TEXT.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[2] not in _UNITS[kind]:
        return None
    try:
        return float(found[1]) * _UNITS[kind][found[2]]
    except ValueError:  # two points
        return None


def _without_unit(kind: Kind, value: Any, where: Where) -> UserError:
    units = _UNITS[kind]
    expected = f'{kind} as text with a unit ({", ".join(units)}), like "3 {next(iter(units))}"'
    return user_error(where.name(), shown(value), expected, "write the number with its unit")


assert set(_UNITS) == set(get_args(Kind))
