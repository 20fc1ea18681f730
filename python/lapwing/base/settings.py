"""Settings: dataclasses that are filled from TOML tables, checked key by key."""

from __future__ import annotations

import dataclasses
import difflib
import json
import tomllib
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from lapwing.base import duration
from lapwing.base.error import UserError, beginning, shortened, shown, user_error

Settings = TypeVar("Settings")
Made = TypeVar("Made")


def is_duration(kind: Any) -> bool:
    """True if the type of a setting is lapwing.model.model.Duration, or None besides. Local."""
    if get_origin(kind) in (Union, types.UnionType):
        return any(is_duration(one) for one in get_args(kind))
    return get_origin(kind) is Annotated and "duration" in kind.__metadata__


def _once(make: Callable[[type[Any]], Made]) -> Callable[[type[Any]], Made]:
    """functools.cache for what is made of a class, which mypy takes for one without a hash."""
    return cache(make)  # type: ignore[return-value]


@_once  # Python evaluates the text of every annotation again, most of the time of reading a case
def _types(settings: type[Any]) -> dict[str, Any]:
    """The type of every field of a settings dataclass."""
    return get_type_hints(settings, include_extras=True)


@_once  # a case asks for them ten times
def _keys(settings: type[Any]) -> tuple[tuple[str, dataclasses.Field[Any], Any], ...]:
    """The dotted name, the field and the type of every key of a settings dataclass, in order."""
    found: list[tuple[str, dataclasses.Field[Any], Any]] = []
    for item in dataclasses.fields(settings):
        kind = _types(settings)[item.name]
        nested = isinstance(kind, type) and dataclasses.is_dataclass(kind)
        inner = _keys(kind) if nested else (("", item, kind),)
        found += [(f"{item.name}.{name}".rstrip("."), one, of) for name, one, of in inner]
    return tuple(found)


def leaves(settings: type[Any], prefix: str = "") -> dict[str, Any]:
    """The dotted name and the type of every key of a settings dataclass, in order. Local."""
    return {prefix + name: kind for name, _, kind in _keys(settings)}


def other_names(settings: type[Any], prefix: str = "") -> dict[str, str]:
    """The dotted name of a key by its aliases, with its tables and without.

    Local. See lapwing.model.model.also_called; the first key of several counts.
    """
    found: dict[str, str] = {}
    for short, item, _ in _keys(settings):
        key = prefix + short
        for name in item.metadata.get("also_called", ()):
            found.setdefault(name, key)
            found.setdefault(f"{key.removesuffix(item.name)}{name}", key)
    return found


def fill(settings: type[Settings], table: Mapping[str, Any], where: Where) -> Settings:
    """Make settings from a TOML table; keys that it leaves out keep their defaults.

    Local. UserError for an unknown key (with the nearest valid one), a value of another type or
    a value that the dataclass refuses; `where` names the file and table.
    """
    kinds = _types(settings)
    names = [item.name for item in dataclasses.fields(settings)]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in names:
            raise where.unknown(key, names, other_names(settings))
        values[key] = convert(kinds[key], value, where.inside(key))
    if missing := [repr(name) for name in _required(settings) if name not in values]:
        got = f"no key {' and no key '.join(missing)}"
        raise user_error(where.name(), got, "every key without a default", "add it")
    try:
        return settings(**values)
    except UserError as problem:
        raise UserError(f"{where.file}: {problem}") from None


def _required(settings: type[Any]) -> list[str]:
    """The keys that have no default."""
    none = dataclasses.MISSING
    return [
        item.name
        for item in dataclasses.fields(settings)
        if item.init and item.default is none and item.default_factory is none
    ]


@dataclasses.dataclass(frozen=True)
class Where:
    """A place in a case file, for messages: its name, its text and the dotted path of keys."""

    file: str
    text: str = ""
    path: tuple[str, ...] = ()
    sets: frozenset[str] = frozenset()  # dotted names that the command line has set

    def inside(self, key: str) -> Where:
        """The place of a key in here."""
        return dataclasses.replace(self, path=(*self.path, key))

    def dotted(self) -> str:
        """The path of keys, long ones by their beginnings."""
        return ".".join(map(beginning, self.path))

    def name(self) -> str:
        """Like "kelvin.toml, line 7: run.duration", or "--set run.duration"."""
        dotted = self.dotted() or "the case"
        if ".".join(self.path) in self.sets:
            return f"--set {dotted}"
        line = line_of(self.text, self.path)
        return f"{self.file}, line {line}: {dotted}" if line else f"{self.file}: {dotted}"

    def unknown(
        self, key: str, valid: Iterable[str], others: Mapping[str, str] | None = None
    ) -> UserError:
        """The error for a key that is not among the valid ones; `others` as from `other_names`."""
        table = f"table [{self.dotted()}]" if self.path else "the top of the case"
        return unknown_key(self.inside(key).name(), key, valid, f"a key of {table}", others)


def nearest(key: str, names: Mapping[str, str], others: Mapping[str, str]) -> str | None:
    """The key that is probably meant: full names by what may be written for them.

    Local. `names` are spellings to be near to; `others` count only when written exactly, as they
    are too short to be near to anything.
    """
    if key in others:
        return others[key]
    near = difflib.get_close_matches(key, list(names), n=1, cutoff=0.5)
    return names[near[0]] if near else None


def unknown_key(
    name: str,
    key: str,
    valid: Iterable[str],
    expected: str,
    others: Mapping[str, str] | None = None,
) -> UserError:
    """The error for an unknown key, with the nearest valid one. Local."""
    names = list(valid)
    near = nearest(key, {one: one for one in names}, others or {})
    given = shortened(key)
    remedy = f"did you mean {near!r}?" if near else f"choose one of them, or leave {given} out"
    listed = ", ".join(names) if names else "there are none"
    return user_error(name, f"unknown key {given}", f"{expected} ({listed})", remedy)


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Local; ValueError for another text, also one nested too deeply."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("brackets that are nested too deeply") from None


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line, from 1, on which a TOML text sets the key of this path; 0 when not found. Local."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        head = line.strip()
        if head.startswith("["):
            table = tuple(part.strip(" \"'") for part in head.split("]")[0].strip("[").split("."))
            if table == path:
                return number
        elif table == path[:-1] and path and head.split("=")[0].strip(" \"'") == path[-1]:
            return number
    return 0


def convert(kind: Any, value: Any, where: Where) -> Any:
    """The value of a key of this type from what TOML says. Local; UserError for another type."""
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise _wrong_type(where, value, "a table")
        return fill(kind, value, where)  # type: ignore[arg-type]
    if is_duration(kind):
        return _convert_duration(value, where)
    origin = get_origin(kind)
    if origin is Annotated:  # names a reader of the value, if no type says enough
        read = next(filter(callable, kind.__metadata__), None)
        return read(value, where) if read else convert(get_args(kind)[0], value, where)
    if origin is Literal:
        return _convert_choice(get_args(kind), value, where)
    if origin in (Union, types.UnionType):  # an optional value: T | None
        return convert(next(k for k in get_args(kind) if k is not type(None)), value, where)
    if origin in (list, tuple):
        return _convert_list(kind, value, where)
    if origin is dict:
        return _convert_table(kind, value, where)
    return _convert_plain(kind, value, where)


def _convert_duration(value: Any, where: Where) -> float:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        return duration.parse_duration(value)
    except (TypeError, ValueError, OverflowError):
        raise _wrong_type(where, value, duration.EXPECTED) from None


def _convert_choice(choices: tuple[Any, ...], value: Any, where: Where) -> Any:
    if value in choices:
        return value
    names = [choice for choice in choices if isinstance(choice, str)]
    near = difflib.get_close_matches(value, names, n=1) if isinstance(value, str) else []
    remedy = f"did you mean {near[0]!r}?" if near else "choose one of them"
    listed = " or ".join(repr(choice) for choice in choices)
    raise user_error(where.name(), shown(value), listed, remedy)


def _convert_list(kind: Any, value: Any, where: Where) -> Any:
    if not isinstance(value, list | tuple):
        raise _wrong_type(where, value, "a list")
    item = get_args(kind)[0]
    return get_origin(kind)(convert(item, one, where.inside(str(n))) for n, one in enumerate(value))


def _convert_table(kind: Any, value: Any, where: Where) -> dict[str, Any]:
    """Values of one type by names, which a Literal lists where not every name is valid."""
    if not isinstance(value, Mapping):
        raise _wrong_type(where, value, "a table")
    name, of = get_args(kind)
    if get_origin(name) is Literal and (unknown := value.keys() - set(get_args(name))):
        raise where.unknown(min(unknown), get_args(name))
    return {key: convert(of, one, where.inside(key)) for key, one in value.items()}


def _convert_plain(kind: Any, value: Any, where: Where) -> Any:
    if kind is str and hasattr(value, "isoformat"):  # TOML has dates without quotes
        return str(value)
    accepted, expected = _PLAIN.get(kind, ((), str(kind)))
    if not isinstance(value, accepted) or isinstance(value, bool) != (kind is bool):
        raise _wrong_type(where, value, expected)
    size, most, of_size = _MOST.get(kind, (None, 0, ""))
    if size is not None and size(value) > most:
        raise _wrong_type(where, value, f"{expected}, {of_size}")
    try:
        return kind(value)
    except OverflowError:
        raise _wrong_type(where, value, expected) from None


# per type of a key: the types of values that it takes, also as text
_PLAIN: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text in quotes"),
    Path: ((str,), "a file name in quotes"),
}


# by the type of a key: the measure of a value and its limit, also as text. Models keep integers in
# 32 bits, and a title of a megabyte takes minutes to draw.
_MOST: dict[Any, tuple[Callable[[Any], int], int, str]] = {
    int: (abs, 2**31 - 1, f"at most {2**31 - 1}"),
    str: (len, 1000, "of at most 1000 characters"),
    Path: (len, 4000, "of at most 4000 characters"),
}


def _wrong_type(where: Where, value: Any, expected: str) -> UserError:
    return user_error(where.name(), shown(value), expected, "change the value")


def read_value(kind: Any, text: str) -> Any:
    """The value of `--set key=text`, for a key of this type: TOML, or the bare text. Local."""
    if kind in (str, Path) or get_origin(kind) is Literal:
        return text.strip("\"'")
    try:
        return read_toml(f"value = {text}")["value"]
    except ValueError:
        return text


def tables_of(
    settings: Any, table: str = "", place: Callable[[Path], Path] = lambda p: p
) -> dict[str, list[str]]:
    """The lines of TOML in each table of settings; file names go through `place`. Local."""
    found: dict[str, list[str]] = {table: []}
    for key, kind in leaves(type(settings)).items():
        value = attrgetter(key)(settings)
        if value is None:
            continue
        inner, _, name = key.rpartition(".")
        shown = duration.format_duration(value) if is_duration(kind) else value
        shown = place(shown) if isinstance(shown, Path) else shown
        lines = found.setdefault(".".join(filter(None, (table, inner))), [])
        lines.append(f"{name} = {toml_value(shown)}")
    return found


def toml_text(tables: Mapping[str, list[str]]) -> str:
    """Tables as a TOML text; the table without a name must be the first. Local."""
    heads = {name: [f"[{name}]"] if name else [] for name in tables}
    return "\n".join("\n".join([*heads[n], *lines, ""]) for n, lines in tables.items() if lines)


def toml_value(value: Any) -> str:
    """A plain value or a list of them as TOML. Local."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(one) for one in value) + "]"
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False)
    return repr(value)


def flat(settings: Any, place: Callable[[Path], str] = str) -> dict[str, Any]:
    """Every key by its dotted name, with a value that JSON can hold; `place` for file names.

    Local.
    """
    values = {key: attrgetter(key)(settings) for key in leaves(type(settings))}
    return {key: place(v) if isinstance(v, Path) else v for key, v in values.items()}
