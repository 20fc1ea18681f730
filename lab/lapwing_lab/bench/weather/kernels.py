"""The facts on the weather model's kernels beyond what their stages declare."""

from __future__ import annotations

from lapwing_lab.bench.stages.demand import Kernels
from lapwing_lab.bench.stages.work import Work

FRAME = 8  # cells at each edge that are relaxed, as in HIRLAM's cases
STRIPS = 4  # sweeps of a relaxation: one for each edge

# Divisions and square roots in double precision per cell of a sweep, counted in the kernels.
DIVIDING = {
    "columns": (3, 0),  # by dp; of both pressures, and in the logarithm of that
    "momentum": (1, 0),  # by dp at the face
    "scalars": (1, 0),  # by dp
}

# Why a stage may stay far below its limit, said under the table where it does.
ARITHMETIC = "arithmetic besides: "
REASONS = {
    "arrival": ARITHMETIC + "departure points in three rounds, and cubics of 16 values per cell",
    "implicit": ARITHMETIC + "sums over all layers or modes in each of them",
    "growth": ARITHMETIC + "sums over all layers in each of them",
    "relaxation": "strips of 8 cells: short rows of many fields",
    "inflow": "strips of 8 cells: short rows of many fields",
}


def share_of(stage: str, work: Work) -> float:
    """The columns of a box that a sweep computes: all, or one strip. Local."""
    if stage not in ("relaxation", "inflow"):
        return 1.0
    inside = (work.nx - 2 * FRAME) * (work.ny - 2 * FRAME)
    return (work.columns - inside) / work.columns / STRIPS


KERNELS = Kernels("weather", DIVIDING, REASONS, share=share_of)
