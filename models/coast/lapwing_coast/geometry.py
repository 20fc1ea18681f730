"""Where a case happens: a rectangle of cells, or the wet cells of a mask file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lapwing.mask_file import read_mask
from lapwing.model import Axis, Geometry
from lapwing.partition import Grid

from lapwing_coast.settings import GridSettings


def make_geometry(settings: GridSettings, folder: Path) -> Geometry:
    """Make the grid, its wet cells [nx, ny] and its axes; a mask file is looked for in `folder`.

    Local. UserError for a mask file that `lapwing.mask_file.read_mask` refuses.
    """
    if settings.mask == Path():
        return _rectangle(settings)
    return _from_mask(folder / settings.mask)


def _rectangle(settings: GridSettings) -> Geometry:
    size = (settings.cells_x, settings.cells_y)
    spacings = (settings.spacing_x, settings.spacing_y)
    axes = [
        Axis(
            np.asarray((np.arange(n) + 0.5) * spacing, dtype=np.float64),
            "m",
            f"distance from the {end} end",
            standard,
        )
        for n, spacing, end, standard in zip(
            size,
            spacings,
            ("western", "southern"),
            ("projection_x_coordinate", "projection_y_coordinate"),
            strict=True,
        )
    ]
    grid = Grid(size, (settings.periodic_x, settings.periodic_y))
    return Geometry(grid, np.ones(size, dtype=np.bool_), *axes)


def _from_mask(path: Path) -> Geometry:
    mask = read_mask(path, "grid.mask")
    return Geometry(Grid(mask.wet.shape), mask.wet, mask.x, mask.y)
