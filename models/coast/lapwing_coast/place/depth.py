"""Undisturbed depths of the wet cells."""

from __future__ import annotations

import numpy as np
from lapwing.base.error import user_error
from lapwing.model import Geometry
from numpy.typing import NDArray

from lapwing_coast.place.geometry import CoastGeometry
from lapwing_coast.settings import DepthSettings


def make_depth(settings: DepthSettings, geometry: Geometry) -> NDArray[np.float64]:
    """Return the depth [nx, ny] in m, Fortran order; land is 0. Local.

    UserError for the shapes northsea and shelf on a grid without longitude and latitude.
    """
    if settings.shape == "file":
        depth = _read_before(geometry)
    elif settings.shape == "flat":
        depth = np.full(geometry.wet.shape, settings.depth)
    else:
        _require_degrees(settings.shape, geometry)
        shape = northsea_depth if settings.shape == "northsea" else shelf_depth
        longitude = _from_greenwich(geometry.x.values)
        depth = shape(longitude[:, None], geometry.y.values[None, :])
    return np.asfortranarray(np.where(geometry.wet, depth, 0.0))


def _read_before(geometry: Geometry) -> NDArray[np.float64]:
    if not isinstance(geometry, CoastGeometry) or geometry.depth is None:
        raise user_error(
            "depth.file",
            "a file that was not read",
            "a geometry with its depths",
            "make the geometry by lapwing.model.case.geometry_of",
        )
    return geometry.depth


def _from_greenwich(longitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """Longitudes from -180 to 180: a file may count the same places from 180 to 540."""
    turned = (longitude + 180.0) % 360.0 - 180.0
    return np.where(np.abs(longitude) <= 180.0, longitude, turned)


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


# The edge of the shelf, by eye: (latitude, longitude) in degrees; what is further west is ocean.
_EDGE = (
    (43.4, -9.4),  # Galicia
    (43.8, -2.2),  # the Bay of Biscay reaches to the east along Spain
    (44.6, -2.2),
    (46.0, -4.0),
    (47.5, -7.0),
    (48.5, -10.0),
    (50.0, -11.0),
    (52.0, -12.5),  # west of Ireland
    (54.0, -10.8),
    (56.0, -9.2),
    (58.0, -8.8),
    (59.5, -6.5),  # the Hebrides
    (61.5, 0.0),
    (65.0, 9.5),  # Norway
)
# In truth up to 5000 m, but the time step goes with the root of the depth. Much less than this,
# and the Bay of Biscay resonates with the tide: 9 m with an ocean of 600 m.
_OCEAN = 2500.0  # m


def shelf_depth(
    longitude: NDArray[np.float64], latitude: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a smooth synthetic depth (m) of the European shelf, at degrees that broadcast.

    Local. No bathymetry: `northsea_depth` in the east, 110 m from Brittany to the Hebrides, and an
    ocean of 2500 m behind an edge drawn by eye. The Mediterranean and the Baltic get what comes.
    """
    north_sea = northsea_depth(longitude, latitude)
    shelf = 110.0 + (np.minimum(north_sea, 300.0) - 110.0) * _ramp(longitude, -7.0, 1.0)
    edge = np.interp(latitude, *np.transpose(_EDGE))
    ocean = _ramp(edge - longitude, 0.0, 2.0)
    return np.asarray(shelf + (_OCEAN - shelf) * ocean)


def _ramp(value: NDArray[np.float64] | float, first: float, last: float) -> NDArray[np.float64]:
    """0 up to `first`, 1 from `last` on, smooth between."""
    share = np.clip((np.asarray(value) - first) / (last - first), 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _bump(
    value: NDArray[np.float64], centre: NDArray[np.float64] | float, width: float
) -> NDArray[np.float64]:
    return np.asarray(np.exp(-(((value - centre) / width) ** 2)))


def _require_degrees(shape: str, geometry: Geometry) -> None:
    if geometry.x.units != "degrees_east" or geometry.y.units != "degrees_north":
        raise user_error(
            "depth.shape",
            f"'{shape}' on axes in {geometry.x.units} and {geometry.y.units}",
            "axes in degrees_east and degrees_north",
            "give a mask file with longitude and latitude, or use the shape flat",
        )
