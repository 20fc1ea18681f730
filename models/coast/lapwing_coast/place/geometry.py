"""The place of a case: a rectangle of cells, or the wet cells of a mask file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np
from lapwing.base.error import user_error
from lapwing.base.number_check import require_positive
from lapwing.core.partition import Grid
from lapwing.io.boundary.boundary_file import BoundaryFile
from lapwing.io.mask_file import read_mask
from lapwing.model import Axis, Geometry, VerticalAxis
from numpy.typing import NDArray

from lapwing_coast.forcing.tide_file import TideRecord
from lapwing_coast.layers.layer_settings import VerticalSettings
from lapwing_coast.layers.stretching import interfaces, shares
from lapwing_coast.place.bathymetry import kept_deep, on_cells, read_bathymetry, smoothed
from lapwing_coast.place.cell_map import read_lengths
from lapwing_coast.settings import DepthSettings, GridSettings

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SeriesRecord:
    """Times since the start of a case, s, and values at them by name; nothing: no file."""

    times: Array
    values: Mapping[str, Array]


def _no_series() -> SeriesRecord:
    return SeriesRecord(np.empty(0), {})


@dataclass(frozen=True)
class CoastGeometry(Geometry):
    """The place of a case, with the maps of it that were read from files."""

    lengths: tuple[Array, Array] | None = None  # of cells along x and y, [nx, ny], m
    depth: Array | None = None  # [nx, ny], m; 0 on land
    tide: TideRecord | None = None
    air: BoundaryFile | None = None  # maps of wind and pressure
    forcing: SeriesRecord = field(default_factory=_no_series)  # in the units of [forcing]
    rivers: SeriesRecord = field(default_factory=_no_series)  # discharge by river, m3/s


def in_coast(geometry: Geometry, **maps: object) -> CoastGeometry:
    """Return the geometry of a coast with the maps, besides those it has. Local."""
    place = {item.name: getattr(geometry, item.name) for item in fields(geometry)}
    return CoastGeometry(**place | maps)


def make_geometry(
    settings: GridSettings,
    folder: Path,
    levels: int = 0,
    depth: DepthSettings | None = None,
    vertical: VerticalSettings | None = None,
) -> Geometry:
    """Make the grid, its wet cells [nx, ny] and its axes; files are looked for in `folder`.

    Local. `levels`: sigma layers, 0 for none, shared by `vertical`; `depth`: whose file says
    what is wet, and where cells are if `settings` do not. UserError for a mask file that
    `lapwing.io.mask_file.read_mask` refuses, and for a bathymetry that does not fit.
    """
    place = _place(settings, folder, depth)
    if settings.metrics != Path():
        size = place.wet.shape
        place = in_coast(place, lengths=read_lengths(folder / settings.metrics, size))
    if levels == 0:
        return place
    return replace(place, vertical=sigma_axis(levels, vertical or VerticalSettings()))


def _place(settings: GridSettings, folder: Path, depth: DepthSettings | None) -> Geometry:
    if depth is not None and depth.shape == "file":
        return _from_depths(settings, depth, folder)
    return _rectangle(settings) if settings.mask == Path() else _from_mask(settings, folder)


def _from_depths(settings: GridSettings, depth: DepthSettings, folder: Path) -> CoastGeometry:
    """Return the cells of a bathymetry, or the cells of a rectangle with its depths."""
    file = read_bathymetry(depth, folder)
    if settings.mask != Path():
        raise user_error(
            "grid.mask",
            f"{settings.mask} next to depth.file = {depth.file}",
            "one file that says what is land",
            "leave out the mask; depth.wet can name a variable of the depth file",
        )
    if settings.coordinates == "spherical" and settings.step_longitude > 0.0:
        place = _rectangle(settings)
        found = on_cells(file, place.x, place.y, depth)
    else:
        found = file.depth
        grid = Grid(found.shape, (settings.periodic_x, settings.periodic_y))
        notes = _unused(settings, found.shape, "depth.file")
        place = Geometry(grid, np.isfinite(found), file.x, file.y, notes=notes)
    found = kept_deep(found, depth.least)
    if depth.steepest > 0.0:
        found = smoothed(found, depth.steepest)
    wet = np.isfinite(found)
    place = replace(place, wet=wet, notes=(*file.notes, *place.notes))
    return in_coast(place, depth=np.asfortranarray(np.where(wet, found, 0.0)))


def sigma_axis(levels: int, vertical: VerticalSettings) -> VerticalAxis:
    """Make the axis of layers between -1 at the bottom and 0 at the surface. Local.

    CF's ocean_sigma_coordinate: height = eta + sigma (depth + eta).
    """
    tops = interfaces(vertical, levels)[1:]
    return VerticalAxis(
        values=tops - 0.5 * shares(vertical, levels),
        tops=tops,
        units="1",
        long_name="sigma, -1 at the bottom and 0 at the surface",
        standard_name="ocean_sigma_coordinate",
        own_term="sigma",
        formula_terms={"eta": "sea_level", "depth": "depth"},
    )


def _rectangle(settings: GridSettings) -> Geometry:
    size = (settings.cells_x, settings.cells_y)
    axes = _degrees(settings) if settings.coordinates == "spherical" else _metres(settings)
    grid = Grid(size, (settings.periodic_x, settings.periodic_y))
    return Geometry(grid, np.ones(size, dtype=np.bool_), axes[0], axes[1])


def _degrees(settings: GridSettings) -> list[Axis]:
    """Longitudes and latitudes of the centres of cells."""
    require_positive("grid.step_longitude", settings.step_longitude, "degrees")
    require_positive("grid.step_latitude", settings.step_latitude, "degrees")
    east = settings.longitude + _centres(settings.cells_x, settings.step_longitude)
    north = settings.latitude + _centres(settings.cells_y, settings.step_latitude)
    return [
        Axis(east, "degrees_east", "longitude", "longitude"),
        Axis(north, "degrees_north", "latitude", "latitude"),
    ]


def _centres(cells: int, step: float) -> Array:
    return np.asarray((np.arange(cells) + 0.5) * step, dtype=np.float64)


def _metres(settings: GridSettings) -> list[Axis]:
    """Distances of the centres of cells from the south-western corner."""
    size = (settings.cells_x, settings.cells_y)
    spacings = (settings.spacing_x, settings.spacing_y)
    return [
        Axis(
            _centres(n, spacing),
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


def _from_mask(settings: GridSettings, folder: Path) -> Geometry:
    mask = read_mask(
        folder / settings.mask,
        "grid.mask",
        wet=settings.wet,
        axes=settings.axes,
        variable=settings.variable,
        size=settings.size,
    )
    notes = (*mask.notes, *_unused(settings, mask.wet.shape, "grid.mask"))
    return Geometry(Grid(mask.wet.shape), mask.wet, mask.x, mask.y, notes=notes)


def _unused(settings: GridSettings, shape: tuple[int, ...], file: str) -> tuple[str, ...]:
    """Notes on numbers of cells that a case gives next to a file of another size."""
    size = " x ".join(map(str, shape))
    return tuple(
        f"{file} has {size} cells: grid.{key} = {given} is not used"
        for key, n in zip(("cells_x", "cells_y"), shape, strict=True)
        if (given := getattr(settings, key)) not in (n, getattr(GridSettings(), key))
    )
