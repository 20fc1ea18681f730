"""The sea that the files of other models are made of in tests: the truth that a reader must find.

It differs from its mirror images and from its transpose, so a reader that mixes up axes or
directions finds another sea.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class TrueSea:
    """A sea [ny, nx]: depths in metres, below zero on land, and the degrees of its cell centres."""

    depth: NDArray[np.float64]
    lon: NDArray[np.float64]
    lat: NDArray[np.float64]

    @property
    def wet(self) -> NDArray[np.bool_]:
        """True where there is water."""
        return self.depth > 0

    @property
    def degrees(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The longitude and latitude of every cell, as curvilinear grids keep them."""
        lon, lat = np.meshgrid(self.lon, self.lat)
        return lon, lat


def true_sea(nx: int = 13, ny: int = 9) -> TrueSea:
    """Make a sea with water of 5 m to 195 m, and land that is at least 5 m high."""
    i, j = np.meshgrid(np.arange(nx), np.arange(ny))
    waves = np.sin(0.9 * i + 0.4 * j) + 0.7 * np.cos(0.5 * j - 0.2 * i) + 0.25
    depth = np.round(100 * waves)
    depth = np.where(depth > 0, np.maximum(depth, 5.0), np.minimum(depth, -5.0))
    lon, lat = np.linspace(-5.0, 0.25 * nx - 5.25, nx), np.linspace(50.0, 49.875 + 0.125 * ny, ny)
    return TrueSea(depth, lon, lat)
