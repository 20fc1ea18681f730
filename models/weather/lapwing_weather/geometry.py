"""The place of a case: a rectangle of cells, and the layers above it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import numpy as np
from lapwing.core.partition import Grid
from lapwing.io.boundary.boundary_file import BoundaryFile, open_boundary_file
from lapwing.io.boundary.interpolation import points_of
from lapwing.model import Axis, Geometry, LevelTerm, VerticalAxis

from lapwing_weather.air import REFERENCE_PRESSURE
from lapwing_weather.levels import HalfLevels, make_levels
from lapwing_weather.settings import WeatherSettings


def make_geometry(settings: WeatherSettings) -> Geometry:
    """Make the grid and its axes; x grows eastwards, y northwards, levels downwards. Local."""
    grid = settings.grid
    size, spacings = (grid.cells_x, grid.cells_y), (grid.spacing_x, grid.spacing_y)
    x, y = (
        Axis(np.asarray((np.arange(n) + 0.5) * spacing), "m", f"distance from the {end} end", name)
        for n, spacing, end, name in zip(
            size,
            spacings,
            ("western", "southern"),
            ("projection_x_coordinate", "projection_y_coordinate"),
            strict=True,
        )
    )
    periodic = (grid.periodic_x, grid.periodic_y)
    wet = np.ones(size, dtype=np.bool_)
    return Geometry(Grid(size, periodic), wet, x, y, hybrid_axis(make_levels(settings.levels)))


@dataclass(frozen=True)
class BoundedGeometry(Geometry):
    """The place of a case, with the records that its edges are drawn to."""

    boundary: BoundaryFile | None = None


def with_boundary(
    settings: WeatherSettings, geometry: Geometry, folder: Path, start: datetime, duration: float
) -> Geometry:
    """Look into the boundary file of a case, a relative name of which is under `folder`. Local."""
    if settings.boundary.file == Path():
        return geometry
    flat = (settings.grid.cells_x, settings.grid.cells_y)
    layered = (*flat, settings.levels.count)
    names = ["wind_x", "wind_y", "temperature"] + ["humidity"] * settings.dynamics.humidity
    shapes = {"surface_pressure": flat, **dict.fromkeys(names, layered)}
    path, winds = folder / settings.boundary.file, frozenset(("wind_x", "wind_y"))
    at = {"wind_x": "xface", "wind_y": "yface"}
    places = {name: points_of(geometry.x, geometry.y, at.get(name, "center")) for name in shapes}
    file = open_boundary_file(path, start, duration, shapes, winds, places=places)
    place = {item.name: getattr(geometry, item.name) for item in fields(Geometry)}
    return BoundedGeometry(**place, boundary=file)


def hybrid_axis(levels: HalfLevels) -> VerticalAxis:
    """Make CF's atmosphere_hybrid_sigma_pressure_coordinate, p = ap + b ps, layer 0 on top."""
    eta = levels.halves(REFERENCE_PRESSURE) / REFERENCE_PRESSURE
    ap, b = (0.5 * (values[:-1] + values[1:]) for values in (levels.a, levels.b))
    return VerticalAxis(
        values=0.5 * (eta[:-1] + eta[1:]),
        tops=eta[1:],
        units="1",
        long_name="hybrid level, pressure over that of the surface where that is 1000 hPa",
        standard_name="atmosphere_hybrid_sigma_pressure_coordinate",
        positive="down",
        formula_terms={"ps": "surface_pressure"},
        level_terms={
            "ap": LevelTerm("ap", ap, levels.a[1:], "Pa", "pressure part of hybrid levels"),
            "b": LevelTerm("b", b, levels.b[1:], "1", "share of surface pressure in hybrid levels"),
        },
    )
