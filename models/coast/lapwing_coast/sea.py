"""The sea of a case: its depth, its cells, and the tide at its open sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from lapwing.model import Geometry
from numpy.typing import NDArray

from lapwing_coast._kernels import Boundary, CoastInputs
from lapwing_coast.forcing.inflow import make_inflow
from lapwing_coast.forcing.tide import make_boundaries, tide_record
from lapwing_coast.place.depth import make_depth
from lapwing_coast.place.geometry import CoastGeometry
from lapwing_coast.place.metrics import make_metrics
from lapwing_coast.settings import CoastSettings


@dataclass(frozen=True)
class Sea:
    """The parts of a case's place that the C++ model takes."""

    depth: NDArray[np.float64]  # [nx, ny], m; 0 on land
    boundaries: list[Boundary]  # whose sea level is prescribed
    inputs: CoastInputs  # metrics, which are empty where all cells are alike, and inflow


def make_sea(settings: CoastSettings, geometry: Geometry) -> Sea:
    """Make the sea of a case. Local.

    UserError as `make_depth`, `make_metrics`, `make_boundaries` and `make_inflow` raise it.
    """
    depth = make_depth(settings.depth, geometry)
    metrics = make_metrics(settings, geometry)
    boundaries = make_boundaries(
        settings.tide, settings.physics, depth, metrics, tide_record(settings.tide, geometry)
    )
    has_air = isinstance(geometry, CoastGeometry) and geometry.air is not None
    water = settings.tracers.reference_density if has_air else 0.0  # kg/m3
    inflow = make_inflow(settings, geometry, depth, [boundary.cells for boundary in boundaries])
    return Sea(
        depth, boundaries, CoastInputs(metrics=metrics.cells(), inflow=inflow, air_over_water=water)
    )
