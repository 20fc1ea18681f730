"""The place of a case: a box of cells, some of which are solid."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lapwing.core.partition import Grid
from lapwing.model import Axis, Geometry, VerticalAxis

from lapwing_lattice.obstacle import Mask, make_solid
from lapwing_lattice.settings import LatticeSettings


@dataclass(frozen=True)
class LatticeGeometry(Geometry):
    """A geometry and its solid cells [nx, ny, nz]; None: there are none."""

    solid: Mask | None = None


def make_geometry(settings: LatticeSettings, folder: Path) -> LatticeGeometry:
    """Make the grid, its axes (cells) and its solid cells. Local. UserError as `make_solid`."""
    size = settings.grid.size
    x, y, z = (np.asarray(np.arange(n) + 0.5, dtype=np.float64) for n in size)
    solid = make_solid(settings, folder)
    wet = np.ones(size[:2], dtype=np.bool_)
    if solid is not None:
        wet = np.asarray(~solid.all(axis=2), dtype=np.bool_)
    return LatticeGeometry(
        Grid(size, settings.sides.periodic),
        wet,
        Axis(x, "1", "cells from the low end along x"),
        Axis(y, "1", "cells from the low end along y"),
        VerticalAxis(
            z,
            np.asarray(np.arange(size[2]) + 1.0, dtype=np.float64),
            "1",
            "cells from the low end along z",
        ),
        counts_steps=True,
        solid=solid,
    )
