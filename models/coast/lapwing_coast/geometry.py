"""The place of a case: a rectangle of cells, or the wet cells of a mask file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from lapwing.core.partition import Grid
from lapwing.io.mask_file import read_mask
from lapwing.model import Axis, Geometry, VerticalAxis

from lapwing_coast.settings import GridSettings


def make_geometry(settings: GridSettings, folder: Path, levels: int = 0) -> Geometry:
    """Make the grid, its wet cells [nx, ny] and its axes; a mask file is looked for in `folder`.

    Local. `levels`: sigma layers, 0 for none. UserError for a mask file that
    `lapwing.io.mask_file.read_mask` refuses.
    """
    plane = _rectangle(settings) if settings.mask == Path() else _from_mask(settings, folder)
    return replace(plane, vertical=sigma_axis(levels)) if levels > 0 else plane


def sigma_axis(levels: int) -> VerticalAxis:
    """Make the axis of equally thick layers between -1 at the bottom and 0 at the surface. Local.

    CF's ocean_sigma_coordinate: height = eta + sigma (depth + eta).
    """
    tops = -1.0 + np.arange(1, levels + 1) / levels
    return VerticalAxis(
        values=tops - 0.5 / levels,
        tops=tops,
        units="1",
        long_name="sigma, -1 at the bottom and 0 at the surface",
        standard_name="ocean_sigma_coordinate",
        own_term="sigma",
        formula_terms={"eta": "sea_level", "depth": "depth"},
    )


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
    return Geometry(grid, np.ones(size, dtype=np.bool_), axes[0], axes[1])


def _from_mask(settings: GridSettings, folder: Path) -> Geometry:
    mask = read_mask(
        folder / settings.mask,
        "grid.mask",
        wet=settings.wet,
        axes=settings.axes,
        variable=settings.variable,
        size=settings.size,
    )
    notes = (*mask.notes, *_unused(settings, mask.wet.shape))
    return Geometry(Grid(mask.wet.shape), mask.wet, mask.x, mask.y, notes=notes)


def _unused(settings: GridSettings, shape: tuple[int, ...]) -> list[str]:
    """Notes on numbers of cells that a case gives next to a mask of another size."""
    size = " x ".join(map(str, shape))
    return [
        f"grid.mask has {size} cells: grid.{key} = {given} is not used"
        for key, n in zip(("cells_x", "cells_y"), shape, strict=True)
        if (given := getattr(settings, key)) not in (n, getattr(GridSettings(), key))
    ]
