"""The half levels of a case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing_weather.settings import LevelSettings

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HalfLevels:
    """Pressures a + b ps between layers, from the top (0) to the surface: a in Pa, [levels + 1]."""

    a: Array
    b: Array

    @property
    def count(self) -> int:
        """Number of layers. Local."""
        return len(self.a) - 1

    def halves(self, pressure: Array | float) -> Array:
        """Return the pressure (Pa) of half levels under surface pressures (Pa), levels last."""
        return np.asarray(self.a + self.b * np.asarray(pressure)[..., None])

    def centres(self, pressure: Array | float) -> Array:
        """Return the pressure (Pa) of layers, the mean of both ends, levels last. Local."""
        halves = self.halves(pressure)
        return np.asarray(0.5 * (halves[..., :-1] + halves[..., 1:]))


def make_levels(settings: LevelSettings) -> HalfLevels:
    """Make the half levels of the table [levels]. Local."""
    if settings.shape == "given":
        return HalfLevels(np.asarray(settings.a), np.asarray(settings.b))
    s = np.arange(settings.count + 1) / settings.count
    if settings.shape == "sigma":
        return HalfLevels(settings.top * (1.0 - s), s)
    # eta p0 is the pressure over a surface of p0 = 1000 hPa; b leaves 0 smoothly, and slowly enough
    # for layers over one of 500 hPa
    eta = settings.top / 1e5 + (1.0 - settings.top / 1e5) * s * (1.3 - 0.3 * s)
    b = np.where(s < 1.0, s**2 * (2.0 - s), 1.0)
    a = np.where(s < 1.0, 1e5 * (eta - b), 0.0)
    return HalfLevels(a, b)
