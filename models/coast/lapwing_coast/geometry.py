"""Where a case happens: a rectangle of cells, or the wet cells of a mask file."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
from lapwing.error import user_error
from lapwing.model import Axis, Geometry
from lapwing.partition import Grid

from lapwing_coast.settings import GridSettings


def make_geometry(settings: GridSettings, folder: Path) -> Geometry:
    """Make the grid, its wet cells [nx, ny] and its axes; a mask file is looked for in `folder`.

    Local. UserError for a mask that cannot be read, has no wet cell or lacks a variable.
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
    return Geometry(Grid(size), np.ones(size, dtype=np.bool_), *axes)


def _from_mask(path: Path) -> Geometry:
    try:
        with netCDF4.Dataset(path) as file:
            wet = np.asarray(file["wet"][:]).astype(np.bool_).T
            lon = np.asarray(file["lon"][:], dtype=np.float64)
            lat = np.asarray(file["lat"][:], dtype=np.float64)
    except (OSError, IndexError) as problem:
        raise user_error(
            f"grid.mask {path}",
            str(problem),
            "a NetCDF file with lat(lat), lon(lon) and wet(lat, lon)",
            "correct the name or the file",
        ) from None
    if wet.shape != (lon.size, lat.size):
        raise user_error(
            f"grid.mask {path}",
            f"wet of shape {wet.T.shape}",
            f"{(lat.size, lon.size)}, the sizes of lat and lon",
            "give wet the dimensions (lat, lon)",
        )
    if not wet.any():
        raise user_error(
            f"grid.mask {path}",
            "no wet cell",
            "at least one cell where wet is not 0",
            "mend the mask, or choose another region",
        )
    x = Axis(lon, "degrees_east", "longitude", "longitude")
    y = Axis(lat, "degrees_north", "latitude", "latitude")
    return Geometry(Grid(wet.shape), np.asfortranarray(wet), x, y)
