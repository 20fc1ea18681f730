"""`lapwing bench coast`: the stages of the coast model against memory and divider of this machine.

The model runs as in any case; its own timers say where each step went, so every kernel is timed
with the caches as the others left them. Every rank computes nx x ny columns; what is printed is one
core's rate, that of the slowest rank.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing_coast import CoastSettings, model
from lapwing_coast.layers.layer_settings import ForcingSettings, InitialSettings, LayerSettings
from lapwing_coast.settings import GridSettings, SideSettings, TideSettings

from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.stages import measuring, tables
from lapwing_lab.bench.stages.demand import Kernels
from lapwing_lab.bench.stages.request import CoastRequest, Work


def run(request: CoastRequest) -> int:
    """Measure all works and print the tables. Collective over the world."""
    return tables.tell_works(request, KERNELS, {work: measure(work) for work in request.chosen})


def measure(work: Work) -> list[Result]:
    """Return the times of one sweep of each stage, a step, copies and divisions. Collective."""
    return measuring.measure(work, KERNELS, stirred)


# ---- what is known of the kernels beyond what the stages declare

ADVECTION = "tracer_advection"  # all interfaces and updates of both tracers together

# Declared with all layers, as fields are, but read in the lowest one only: stage, field.
LOWEST_LAYER = (("bottom_drag", "flow"), ("slow_terms", "flow"))

# Computes a strip of cells at a side of the grid: a rate per cell of the box would say nothing.
STRIPS = ("open_boundary",)

# Divisions and square roots in double precision per cell of a sweep, counted in the kernels; by
# what the names of stages begin with, behind that of a tracer. Others divide once per column at
# most.
DIVIDING = {
    "interface": (2, 0),  # Courant number; what is left of the cell behind
    "update": (1, 0),  # by the new thickness
    "mix": (1, 0),  # elimination
    "layer_momentum": (1, 0),  # elimination
    "turbulence": (3, 2),  # elimination of both; time scale, closure; length limit, closure
    "buoyancy": (1, 1),  # secant bulk modulus; salinity^3/2
    "momentum_advection": (0, 0),
    "momentum": (1, 0),  # implicit friction; its root is in single precision
    "bottom_drag": (2, 1),  # and one log1p, which has no vector form here
    "slow_terms": (0, 0),
}


# Why a stage may stay far below its limit, said under the table where it does.
ARITHMETIC = "arithmetic besides: "
REASONS = {
    "bottom_drag": "a logarithm per column, which has no vector form with the same bits",
    "buoyancy": ARITHMETIC + "polynomials of EOS-80, some 80 operations per cell",
    "turbulence": ARITHMETIC
    + "some 120 operations per cell; elimination waits for the layer below",
    "momentum_advection": ARITHMETIC + "six upwind fluxes, some 40 operations per cell",
    "layer_momentum": "five passes over a chunk of columns; elimination waits for the layer below",
    "mix": "up and down a chunk of columns; elimination waits for the layer below",
    "interface": ARITHMETIC + "limiter and choices of the upwind side, some 35 operations per cell",
    "tracer_flow": "a pass per fractional step, each along rows of one layer that lie far apart",
    "internal_pressure": "columns in chunks of 64: short rows that lie a layer apart",
    "carrying_speeds": "adds every layer to four sums of a row; rows of a column lie a layer apart",
    "sum_advection": "once a step: its fields come from further away than those of the copy",
    "layers": "writes far more than it reads, which a copy does not",
}


def kind_of(stage: str) -> str:
    """The name of a stage in the tables above: its name after the tracer's. Local."""
    return re.sub(r"^(temperature|salinity)_", "", stage)


def is_advection(stage: str) -> bool:
    """True if the stage is one of the advection of a tracer. Local."""
    return bool(re.match(r"(temperature|salinity)_(interface|update)", stage))


KERNELS = Kernels(
    "coast",
    DIVIDING,
    REASONS,
    kind=kind_of,
    sums={ADVECTION: is_advection},
    skipped=STRIPS,
    lowest_layer=LOWEST_LAYER,
)


# ---- the model in motion


def stirred(domain: Domain, work: Work) -> Any:
    """The model on the cells of `kelvin` or `kelvin3d` with a wave, so that nothing is at rest.

    Collective. With layers there are wind and two waters too, without them the sea is closed.
    """
    north = SideSettings(open=True, amplitude=[[0.5]], phase=[[90.0]])
    grid = GridSettings(cells_x=work.nx, cells_y=work.ny * domain.ranks)
    if work.levels:
        settings = CoastSettings(
            grid=grid,
            tide=TideSettings(north=north),
            layers=LayerSettings(levels=work.levels),
            initial=InitialSettings("two_layers", 15.0, 33.0, 10.0, 35.0),
            forcing=ForcingSettings(wind_x=0.05, heat=100.0),
        )
    else:
        settings = CoastSettings(grid=grid, tide=TideSettings(north=north, ramp=1e30))
    geometry = model.geometry(settings, Path())
    coast = model.create(domain, settings, geometry, strategy="blocking", transport="auto")
    wave = 0.1 if work.levels else 0.01  # per cell
    coast.state["sea_level"].set(lambda i, j: 0.1 * np.sin(wave * i) * np.cos(1.3 * wave * j))
    coast.advance(2)
    return coast
