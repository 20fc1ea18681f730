"""Bathymetries: depths of a file on the cells of a grid, kept deep enough and gentle enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lapwing.base.error import user_error
from lapwing.io.maps.depth import DepthFile, read_depth
from lapwing.model import Axis
from numpy.typing import NDArray

from lapwing_coast.settings import DepthSettings

Array = NDArray[np.float64]

_LEAST_WET = 0.5  # share of the points of a cell that are water where the cell is
_MOST_SWEEPS = 10_000


def read_bathymetry(settings: DepthSettings, folder: Path) -> DepthFile:
    """Read the depths [nx, ny] (m, NaN on land) of depth.file, a relative name under `folder`.

    Local. UserError as of `lapwing.io.maps.depth.read_depth`.
    """
    return read_depth(
        folder / settings.file,
        "depth.file",
        variable=settings.variable,
        units=settings.units,
        wet=settings.wet,
    )


def on_cells(file: DepthFile, x: Axis, y: Axis, settings: DepthSettings) -> Array:
    """Return the depth [nx, ny] (m, NaN on land) of cells with these axes. Local.

    A cell has the mean depth of the wet points of the file in it, and is land if less than half of
    its points are wet. UserError for a file that does not cover the grid, or has no point in a
    column or row of cells.
    """
    across = _points_in_cells(file.x, x, settings)
    along = _points_in_cells(file.y, y, settings)
    wet = np.isfinite(file.depth)

    def total(values: Array) -> Array:
        rows = np.add.reduceat(values[: across[-1]], across[:-1], axis=0)
        return np.asarray(np.add.reduceat(rows[:, : along[-1]], along[:-1], axis=1))

    points = np.diff(across)[:, None] * np.diff(along)[None, :]
    water = total(wet.astype(np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total(np.where(wet, file.depth, 0.0)) / water
    return np.where(water >= _LEAST_WET * points, mean, np.nan)


def kept_deep(depth: Array, least: float) -> Array:
    """Return depths [nx, ny] (m, NaN on land) that are at least `least` (m). Local."""
    return np.maximum(depth, least)


def smoothed(depth: Array, steepest: float) -> Array:
    """Return depths [nx, ny] (m, NaN on land) no steeper than a slope between wet neighbours.

    Local. The slope is |a - b| / (a + b) of the depths a and b of two neighbours; where it is
    steeper than `steepest`, both approach each other by the same amount, which keeps the volume,
    until no pair is. UserError if that does not come to an end.
    """
    depth = depth.copy()
    pairs = [_pairs(depth, axis, first) for axis in (0, 1) for first in (0, 1)]
    for _ in range(_MOST_SWEEPS):
        changed = [_flatten(low, high, steepest) for low, high in pairs]
        if not any(changed):
            return depth
    raise user_error(
        "depth.steepest",
        f"{steepest:g}, which {_MOST_SWEEPS} sweeps did not reach",
        "a slope that smoothing can reach",
        "allow steeper slopes",
    )


def _pairs(depth: Array, axis: int, first: int) -> tuple[Array, Array]:
    """Views of every second cell along an axis and of its neighbour ahead."""
    along = np.moveaxis(depth, axis, 0)
    high = along[first + 1 :: 2]
    return along[first::2][: len(high)], high


def _flatten(low: Array, high: Array, steepest: float) -> bool:
    """Make pairs as steep as allowed; True if any was steeper. NaN compares as false."""
    total, difference = low + high, high - low
    with np.errstate(invalid="ignore"):
        steep = np.abs(difference) > steepest * total * (1.0 + 1e-9)
    change = 0.5 * (np.abs(difference) - steepest * total) * np.sign(difference)
    low[steep] += change[steep]
    high[steep] -= change[steep]
    return bool(steep.any())


def _points_in_cells(file: Axis, cells: Axis, settings: DepthSettings) -> NDArray[np.int64]:
    """The number of the file's first point in each cell, and one past the last: [n + 1]."""
    _require_covered(file, cells, settings)
    first = np.searchsorted(file.values, cells.edges)
    if (empty := np.flatnonzero(np.diff(first) == 0)).size:
        n = int(empty[0])
        raise user_error(
            f"depth.file {settings.file}, {cells.long_name}",
            f"no point between {cells.edges[n]:g} and {cells.edges[n + 1]:g} {cells.units}, "
            f"in cell {n}",
            "at least one point of the file in every cell",
            "choose a coarser grid (grid.step_longitude, grid.step_latitude) or a finer file",
        )
    return first


def _require_covered(file: Axis, cells: Axis, settings: DepthSettings) -> None:
    have, need = file.edges[[0, -1]], cells.edges[[0, -1]]
    rounding = 1e-6 * abs(need[1] - need[0])
    if file.units != cells.units:
        raise user_error(
            f"depth.file {settings.file}, {cells.long_name}",
            f"an axis in {file.units}",
            f"an axis in {cells.units}, as the grid has",
            "store the attribute units of the axis, or take the grid from the file: leave out "
            "grid.step_longitude and grid.step_latitude",
        )
    if have[0] > need[0] + rounding or have[1] < need[1] - rounding:
        raise user_error(
            f"depth.file {settings.file}, {cells.long_name}",
            f"{have[0]:g} to {have[1]:g} {file.units}",
            f"at least the grid's {need[0]:g} to {need[1]:g}",
            "cut a larger part of the bathymetry, or change grid.longitude, grid.latitude and "
            "the numbers of cells",
        )
