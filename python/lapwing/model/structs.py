"""Settings on their way into C++: its structs, filled by name, and plain data of them."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from lapwing.core.partition import Box


class _Declared(Protocol):
    """A struct that `lapwing/bind_settings.hpp` binds."""

    def __init__(self, **settings: object) -> None: ...

    @staticmethod
    def declared() -> list[str]: ...


Struct = TypeVar("Struct", bound=_Declared)


def struct_from(struct: type[Struct], *tables: Any, **values: Any) -> Struct:
    """Make a struct of C++ from `values`, and from keys of the tables with its names. Local.

    The first of several tables counts; missing values keep their defaults in C++. TypeError for a
    value that the struct does not have, or of another type.
    """
    named = {
        name: getattr(table, name)
        for table in reversed(tables)
        for name in struct.declared()
        if hasattr(table, name)
    }
    return struct(**named | values)


def plain(value: Any) -> Any:
    """Return what JSON can hold of a struct of C++, its settings by name, or of a list. Local."""
    if hasattr(type(value), "declared"):
        return {name: plain(getattr(value, name)) for name in value.declared()}
    if isinstance(value, Box):
        return {"lo": list(value.lo), "hi": list(value.hi)}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value
