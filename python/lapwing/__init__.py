"""Structured-grid models on many ranks without communication code in the model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lapwing.base.error import OutsideError, UserError
    from lapwing.core.distribution import (
        Distribution,
        fft_partition,
        level_slab_partition,
        tri_partition,
        twod_partition,
    )
    from lapwing.core.domain import Domain, Exchange, Field, HaloVariants, Pending
    from lapwing.core.partition import (
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
    from lapwing.core.plan import FieldSpec, MessagePlan, gather_plan, halo_plan
    from lapwing.core.steps.step import Reduction, Stage, Step, repeated
    from lapwing.core.steps.strategy import strategy_names
    from lapwing.core.transport import transport_names
    from lapwing.core.transpose import (
        Transpose,
        transpose_census,
        transpose_methods,
        transpose_plan,
    )

# Loaded at first use: `lapwing run` must start mpiexec from a process that has no MPI of its own,
# and `lapwing doctor` must run where the extension cannot be loaded.
_HOME = {
    "core.distribution": (
        "Distribution",
        "fft_partition",
        "level_slab_partition",
        "tri_partition",
        "twod_partition",
    ),
    "core.domain": ("Domain", "Exchange", "Field", "HaloVariants", "Pending"),
    "base.error": ("OutsideError", "UserError"),
    "core.partition": (
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
    "core.plan": ("FieldSpec", "MessagePlan", "gather_plan", "halo_plan"),
    "core.steps.step": ("Reduction", "Stage", "Step", "repeated"),
    "core.steps.strategy": ("strategy_names",),
    "core.transport": ("transport_names",),
    "core.transpose": ("Transpose", "transpose_census", "transpose_methods", "transpose_plan"),
}

__all__ = [
    "Box",
    "Distribution",
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
    "Transpose",
    "UserError",
    "best_blocks",
    "block_partition",
    "fft_partition",
    "gather_plan",
    "halo_plan",
    "level_slab_partition",
    "repeated",
    "strategy_names",
    "transport_names",
    "transpose_census",
    "transpose_methods",
    "transpose_plan",
    "tri_partition",
    "trimmed",
    "twod_partition",
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
