"""Structured-grid models on many ranks without communication code in the model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lapwing.domain import Domain, Exchange, Field, HaloVariants, Pending
    from lapwing.error import OutsideError, UserError
    from lapwing.partition import (
        Box,
        Extent,
        Grid,
        Mask,
        Partition,
        Subdomain,
        best_blocks,
        block_partition,
        trimmed,
    )
    from lapwing.plan import FieldSpec, MessagePlan, gather_plan, halo_plan
    from lapwing.step import Reduction, Stage, Step, repeated
    from lapwing.strategy import strategy_names
    from lapwing.transport import transport_names

# Loaded at first use: `lapwing run` must start mpiexec from a process that has no MPI of its own,
# and `lapwing doctor` must run where the extension cannot be loaded.
_HOME = {
    "domain": ("Domain", "Exchange", "Field", "HaloVariants", "Pending"),
    "error": ("OutsideError", "UserError"),
    "partition": (
        "Box",
        "Extent",
        "Grid",
        "Mask",
        "Partition",
        "Subdomain",
        "best_blocks",
        "block_partition",
        "trimmed",
    ),
    "plan": ("FieldSpec", "MessagePlan", "gather_plan", "halo_plan"),
    "step": ("Reduction", "Stage", "Step", "repeated"),
    "strategy": ("strategy_names",),
    "transport": ("transport_names",),
}

__all__ = [
    "Box",
    "Domain",
    "Exchange",
    "Extent",
    "Field",
    "FieldSpec",
    "Grid",
    "HaloVariants",
    "Mask",
    "MessagePlan",
    "OutsideError",
    "Partition",
    "Pending",
    "Reduction",
    "Stage",
    "Step",
    "Subdomain",
    "UserError",
    "best_blocks",
    "block_partition",
    "gather_plan",
    "halo_plan",
    "repeated",
    "strategy_names",
    "transport_names",
    "trimmed",
]


def __getattr__(name: str) -> Any:
    """Load the module that a name lives in. Local."""
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"lapwing.{module}"), name)
    raise AttributeError(f"module 'lapwing' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Say which names there are. Local."""
    return __all__
