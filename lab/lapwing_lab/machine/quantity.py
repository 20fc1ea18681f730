"""Readers of the values of a machine file: numbers with units ("65 us", "6 ns/byte"), and limits.

Each is metadata of the type of a key: `Annotated[float, Quantity("seconds")]`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from lapwing.base.error import shown, user_error
from lapwing.base.settings import Where, convert

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


@dataclass(frozen=True)
class Quantity:
    """Reads a text with a unit as a number in SI units (s, bytes), finite and not negative.

    `positive`: 0 is refused too. `bare`: takes a plain number as well, which is in SI
    units already. UserError, with the name of the key, for anything else.
    """

    kind: Kind
    positive: bool = False
    bare: bool = False

    def __call__(self, value: Any, where: Where) -> float:
        """The number. Local."""
        number, units = self._number(value), _UNITS[self.kind]
        if number is None:
            listed = f'({", ".join(units)}), like "3 {next(iter(units))}"'
            expected = f"{self.kind} as text with a unit {listed}"
            remedy = "write the number with its unit"
            raise user_error(where.name(), shown(value), expected, remedy)
        if not math.isfinite(number) or number < 0 or (self.positive and number == 0):
            expected = f"a finite number{' above 0' if self.positive else ', 0 or more'}"
            raise user_error(where.name(), shown(value), expected, "change it")
        return number

    def _number(self, value: Any) -> float | None:
        """None where there is no unit of this kind."""
        try:
            if self.bare and isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
            found = _TEXT.fullmatch(value) if isinstance(value, str) else None
            size = _UNITS[self.kind].get(found[2]) if found is not None else None
            return None if found is None or size is None else float(found[1]) * size
        except OverflowError:
            return math.inf
        except ValueError:  # two points
            return None


@dataclass(frozen=True)
class Within:
    """Reads a finite number of a type, from `least` on, and UserError for another."""

    kind: type[int] | type[float]
    least: int
    most: float = math.inf
    above: bool = False  # `least` itself is refused
    unit: str = ""  # for messages

    def __call__(self, value: Any, where: Where) -> Any:
        """The number. Local."""
        number = convert(self.kind, value, where)
        inside = self.least < number if self.above else self.least <= number
        if not (inside and number <= self.most and math.isfinite(number)):
            range_ = (
                f"{self.least} or more" if self.most == math.inf else f"{self.least} to {self.most}"
            )
            expected = self.unit + (f"above {self.least}" if self.above else range_)
            raise user_error(where.name(), shown(value), expected, "change it")
        return number


@dataclass(frozen=True)
class Pairs:
    """Reads a list of pairs, whose parts are of two types; UserError for anything else."""

    first: Any
    second: Any
    example: str

    def __call__(self, rows: Any, where: Where) -> tuple[tuple[Any, Any], ...]:
        """The pairs. Local."""
        if not isinstance(rows, list) or any(not isinstance(r, list) or len(r) != 2 for r in rows):
            expected = f"pairs like {self.example}"
            raise user_error(where.name(), shown(rows), expected, "change it")
        kinds = (self.first, self.second)
        return tuple(tuple(map(convert, kinds, row, (where, where))) for row in rows)


@dataclass(frozen=True)
class Tables:
    """Reads tables that are written one after the other under one name; UserError for others."""

    kind: Any

    def __call__(self, rows: Any, where: Where) -> tuple[Any, ...]:
        """The tables. Local."""
        if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
            name = f"[[{where.dotted()}]]"
            raise user_error(
                where.name(), shown(rows), f"tables {name}", f"write {name} above each"
            )
        # a line would be the first table's
        return tuple(convert(self.kind, row, Where(where.file, path=where.path)) for row in rows)


Seconds = Annotated[float, Quantity("seconds")]
SecondsPerByte = Annotated[float, Quantity("seconds per byte")]
Size = Annotated[float, Quantity("bytes")]
Bandwidth = Annotated[float, Quantity("bytes per second", positive=True, bare=True)]
Count = Annotated[int, Within(int, 1)]
Unread = Annotated[Any, lambda value, where: value]  # for other readers of the file

assert set(_UNITS) == set(get_args(Kind))
