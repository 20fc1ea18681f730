"""Undisturbed depths of the wet cells."""

from __future__ import annotations

import numpy as np
from lapwing.error import user_error
from lapwing.model import Geometry
from numpy.typing import NDArray

from lapwing_coast.settings import DepthSettings


def make_depth(settings: DepthSettings, geometry: Geometry) -> NDArray[np.float64]:
    """Return the depth [nx, ny] in m, Fortran order; land is 0. Local.

    UserError for the shape northsea on a grid without longitude and latitude.
    """
    if settings.shape == "flat":
        depth = np.full(geometry.wet.shape, settings.depth)
    else:
        _require_degrees(geometry)
        depth = northsea_depth(geometry.x.values[:, None], geometry.y.values[None, :])
    return np.asfortranarray(np.where(geometry.wet, depth, 0.0))


def northsea_depth(
    longitude: NDArray[np.float64], latitude: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a smooth synthetic depth (m) at longitudes and latitudes (degrees) that broadcast.

    Local. It has the North Sea's proportions (30 m in the south, 150 m in the north, a trench
    along Norway, a shallow German Bight, a shelf edge in the far north-west), but is no
    bathymetry: every term is a bump or a ramp chosen by eye.
    """
    shelf = 28.0 + 120.0 * _ramp(latitude, 53.2, 60.5)
    bank = -15.0 * _bump(longitude, 2.5, 1.5) * _bump(latitude, 54.8, 0.5)  # Dogger Bank
    bight = -16.0 * _bump(longitude, 8.3, 1.8) * _bump(latitude, 54.3, 1.2)
    edge = 160.0 * _ramp(latitude - 0.25 * longitude, 60.2, 62.5)
    # The trench follows the coast of Norway and bends into the Skagerrak.
    axis = 4.2 + 3.6 * _ramp(-latitude, -59.4, -57.8)
    trench = 190.0 * _bump(longitude, axis, 0.9) * _ramp(latitude, 57.2, 58.4)
    skagerrak = 150.0 * _bump(latitude, 58.1, 0.45) * _ramp(longitude, 6.8, 8.6)
    return np.asarray(np.maximum(shelf + bank + bight + edge + np.maximum(trench, skagerrak), 10.0))


def _ramp(value: NDArray[np.float64] | float, first: float, last: float) -> NDArray[np.float64]:
    """0 up to `first`, 1 from `last` on, smooth between."""
    share = np.clip((np.asarray(value) - first) / (last - first), 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _bump(
    value: NDArray[np.float64], centre: NDArray[np.float64] | float, width: float
) -> NDArray[np.float64]:
    return np.asarray(np.exp(-(((value - centre) / width) ** 2)))


def _require_degrees(geometry: Geometry) -> None:
    if geometry.x.units != "degrees_east" or geometry.y.units != "degrees_north":
        raise user_error(
            "depth.shape",
            f"'northsea' on axes in {geometry.x.units} and {geometry.y.units}",
            "axes in degrees_east and degrees_north",
            "give a mask file with longitude and latitude, or use the shape flat",
        )
