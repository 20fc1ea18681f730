"""Structured-grid models on many ranks without communication code in the model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lapwing.core.public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """A public name, from where all of them are loaded at the first use of one. Local.

    Not before: `lapwing run` must start mpiexec from a process that has no MPI of its own, and
    `lapwing doctor` must run where the extension cannot be loaded.
    """
    if name == "__all__":
        return __dir__()
    public = {} if name.startswith("_") else vars(import_module("lapwing.core.public"))
    if name not in public:
        raise AttributeError(f"module 'lapwing' has no attribute {name!r}")
    return public[name]


def __dir__() -> list[str]:
    """Say which names there are. Local."""
    public = import_module("lapwing.core.public")
    return sorted(name for name in vars(public) if not name.startswith("_"))
