"""Lengths of cells and the Coriolis parameter: constant, or different from cell to cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from lapwing.base.error import user_error
from lapwing.model import Geometry
from numpy.typing import NDArray

from lapwing_coast import _kernels
from lapwing_coast.place.geometry import CoastGeometry
from lapwing_coast.settings import CoastSettings, PhysicsSettings

Array = NDArray[np.float64]

EARTH_RADIUS = 6.371e6  # of a sphere with the earth's volume, m
EARTH_ROTATION = 7.2921e-5  # 1/s


@dataclass(frozen=True)
class Metrics:
    """Lengths of cells along x and y (m) and f (1/s), [nx, ny]; `varies` if cells differ."""

    spacing: tuple[Array, Array]
    coriolis: Array
    varies: bool

    def cells(self) -> _kernels.CellMetrics:
        """Return what the C++ model takes; empty where all cells are alike. Local."""
        if not self.varies:
            return _kernels.CellMetrics()
        along_x, along_y, coriolis = (
            values.ravel(order="F").tolist() for values in (*self.spacing, self.coriolis)
        )
        return _kernels.CellMetrics(spacing_x=along_x, spacing_y=along_y, coriolis=coriolis)


def make_metrics(settings: CoastSettings, geometry: Geometry) -> Metrics:
    """Return the metrics of a case. Local; UserError where they need degrees and have none."""
    size = geometry.wet.shape
    grid, physics = settings.grid, settings.physics
    lengths = geometry.lengths if isinstance(geometry, CoastGeometry) else None
    if grid.coordinates == "spherical":
        lengths = spherical_lengths(geometry)
    varies = lengths is not None or physics.rotation != "same"
    if lengths is None:
        lengths = _everywhere(grid.spacing_x, size), _everywhere(grid.spacing_y, size)
    return Metrics(lengths, coriolis_of(physics, geometry, lengths[1]), varies)


def spherical_lengths(geometry: Geometry) -> tuple[Array, Array]:
    """Return lengths [nx, ny] (m) of cells between longitudes and latitudes. Local.

    dx = R cos(phi) d(lambda), dy = R d(phi), at the centre of each cell. UserError for axes in
    other units than degrees.
    """
    _require_latitude("grid.coordinates", "'spherical'", geometry)
    east, north = (np.radians(axis.values) for axis in (geometry.x, geometry.y))
    along_x = EARTH_RADIUS * np.cos(north)[None, :] * _steps(east)[:, None]
    along_y = np.broadcast_to(EARTH_RADIUS * _steps(north), along_x.shape)
    return along_x, np.array(along_y)


def coriolis_of(physics: PhysicsSettings, geometry: Geometry, along_y: Array) -> Array:
    """Return f [nx, ny] (1/s) at the centres of cells of lengths `along_y` (m). Local."""
    if physics.rotation == "latitude":
        _require_latitude("physics.rotation", "'latitude'", geometry)
        north = np.radians(geometry.y.values)
        return np.broadcast_to(2.0 * EARTH_ROTATION * np.sin(north), along_y.shape)
    f = _everywhere(physics.coriolis, along_y.shape)
    if physics.rotation == "same":
        return f
    centre = np.cumsum(along_y, axis=1) - 0.5 * along_y  # m from the southern end
    middle = 0.5 * along_y.sum(axis=1, keepdims=True)  # m
    return np.asarray(f + physics.coriolis_gradient * (centre - middle))


def _everywhere(value: float, size: tuple[int, ...]) -> Array:
    """Return one number as a map [nx, ny] that takes no memory."""
    return np.broadcast_to(np.float64(value), size)


def _steps(centres: Array) -> Array:
    """Return the lengths of cells with these centres, which rise; sides lie half way between."""
    if len(centres) == 1:
        return np.ones(1)
    between = np.diff(centres)
    return np.asarray(0.5 * (np.append(between[:1], between) + np.append(between, between[-1:])))


def _require_latitude(key: str, value: str, geometry: Geometry) -> None:
    if geometry.x.units != "degrees_east" or geometry.y.units != "degrees_north":
        raise user_error(
            key,
            f"{value} on axes in {geometry.x.units} and {geometry.y.units}",
            "axes in degrees_east and degrees_north",
            "set grid.coordinates to 'spherical' with grid.longitude, grid.latitude and their "
            "steps, or give a mask or depth file with longitude and latitude",
        )
