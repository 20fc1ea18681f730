"""`lapwing bench weather`: the stages of the weather model against memory and divider.

The model runs as in any case, that of HIRLAM's functional test on other numbers of cells; its own
timers say where each step went, so every kernel is timed with the caches as the others left them.
Every rank computes nx x ny columns; what is printed is one core's rate, that of the slowest rank.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from lapwing.core.domain import Domain
from lapwing.model.case import geometry_of, load_case
from lapwing.model.registry import installed_models

from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.stages import measuring, tables
from lapwing_lab.bench.stages.demand import Kernels
from lapwing_lab.bench.stages.request import SCHEMES, WeatherRequest, Work

CASE = "g40-functional"  # humidity, diffusion, hybrid levels, a frame
CYCLE = 3  # states that rotate


def run(request: WeatherRequest) -> int:
    """Measure all works with all schemes and print the tables. Collective over the world."""
    works = [(w, scheme) for scheme in request.schemes for w in named(request.chosen, scheme)]
    measured = {work: measure(work, scheme) for work, scheme in works}
    return tables.tell_works(request, KERNELS, measured)


def named(works: tuple[Work, ...], scheme: str) -> tuple[Work, ...]:
    """The works with the scheme in their names, except for explicit steps. Local."""
    mark = "" if scheme == "explicit" else f",{scheme}"
    return tuple(replace(work, name=work.name + mark) for work in works)


def measure(work: Work, scheme: str) -> list[Result]:
    """Return the times of one sweep of each stage, a step, copies and divisions. Collective."""
    return measuring.measure(work, KERNELS, partial(started, scheme=scheme))


def started(domain: Domain, work: Work, scheme: str) -> Any:
    """The model with the weather of the case, after a turn of its states. Collective."""
    sets = (
        f"grid.cells_x={work.nx}",
        f"grid.cells_y={work.ny * domain.ranks}",
        f"levels.count={work.levels}",
        f"boundary.relaxation={FRAME}",
        *SCHEMES[scheme],
    )
    case = load_case(CASE, installed_models(), sets)
    geometry = geometry_of(case)
    weather = case.model.create(
        domain, case.settings, geometry, strategy="blocking", transport="auto"
    )
    weather.advance(CYCLE)
    return weather


# ---- what is known of the kernels beyond what the stages declare

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
