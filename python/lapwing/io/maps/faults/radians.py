"""Degrees from the radians of CICE's grid files, which some tools call degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray

_OF_CENTRES = {"tlat": "degrees_north", "tlon": "degrees_east"}
_RADIANS = ("radian", "radians", "rad")


def in_degrees(data: xarray.Dataset) -> xarray.Dataset:
    """The file with tlat and tlon in degrees, where they are radians. Local.

    CICE takes radians and reads no units. mom6-forge 0.3.1 writes radians and calls them degrees;
    ulat next to them says what they are: centres are less than a cell away from corners.
    """
    if not {"ulat", *_OF_CENTRES} <= set(data.variables):
        return data
    if str(data["ulat"].attrs.get("units", "")).lower() not in _RADIANS:
        return data
    corners, centres = (np.asarray(data[name].values) for name in ("ulat", "tlat"))
    if corners.shape != centres.shape or _far(centres, corners) > _far(
        centres, np.rad2deg(corners)
    ):
        return data
    for name, units in _OF_CENTRES.items():
        degrees = np.rad2deg(data[name].values)
        data = data.assign({name: data[name].copy(data=degrees).assign_attrs(units=units)})
    return data


def _far(values: NDArray[Any], others: NDArray[Any]) -> float:
    return float(np.nanmax(np.abs(values - others)))
