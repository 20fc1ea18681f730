"""Structured-grid models on many ranks without communication code in the model."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lapwing.core.public import *  # noqa: F403
    from lapwing.io.records.records import Records as Records
    from lapwing.io.records.records import Restart as Restart

# of the layer of files, which loads the NetCDF library
_OF_FILES = {"Records": "lapwing.io.records.records", "Restart": "lapwing.io.records.records"}

_FORMER = {
    "HaloExchange": "Exchange",
    "set_wet_messages": "set_land",
}  # former names, which still work with a warning


def __getattr__(name: str) -> Any:
    """A public name, from where all of them are loaded at the first use of one. Local.

    Not before: `lapwing run` must start mpiexec from a process that has no MPI of its own, and
    `lapwing doctor` must run where the extension cannot be loaded.
    """
    if name == "__all__":
        return __dir__()
    if name in _FORMER:
        told = f"lapwing.{name} is called lapwing.{_FORMER[name]}"
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        return __getattr__(_FORMER[name])
    if name in _OF_FILES:
        return getattr(import_module(_OF_FILES[name]), name)
    public = {} if name.startswith("_") else vars(import_module("lapwing.core.public"))
    if name not in public:
        raise AttributeError(f"module 'lapwing' has no attribute {name!r}")
    return public[name]


def __dir__() -> list[str]:
    """Say which names there are. Local."""
    public = import_module("lapwing.core.public")
    return sorted([*_OF_FILES, *(name for name in vars(public) if not name.startswith("_"))])
