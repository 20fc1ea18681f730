"""The sea of a case: its depth, and the tide at its open sides."""

from __future__ import annotations

import numpy as np
from lapwing.model import Geometry
from numpy.typing import NDArray

from lapwing_coast._kernels import Boundary
from lapwing_coast.depth import make_depth
from lapwing_coast.settings import CoastSettings
from lapwing_coast.tide import make_boundaries


def make_sea(
    settings: CoastSettings, geometry: Geometry
) -> tuple[NDArray[np.float64], list[Boundary]]:
    """Return the depth [nx, ny] in m, 0 on land, and the open boundaries. Local.

    UserError as `make_depth` and `make_boundaries` raise it.
    """
    depth = make_depth(settings.depth, geometry)
    spacing = (settings.grid.spacing_x, settings.grid.spacing_y)
    return depth, make_boundaries(settings.tide, settings.physics, depth, spacing)
