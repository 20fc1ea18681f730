"""The diffusion of heat in 3D as the example of ImplicitGlobalGrid.jl sets it up.

A cube of ten units with two hot spots, and with two spots of a large heat capacity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from lapwing.core.partition import Box
from numpy.typing import NDArray

Array = NDArray[np.float64]

LENGTH = 10.0
CONDUCTIVITY, LEAST_CAPACITY = 1.0, 1.0
# how much in the middle, where along x, y and z, and how wide
CAPACITIES = (
    (5.0, (LENGTH / 1.5, LENGTH / 2, LENGTH / 1.5), 1.0),
    (5.0, (LENGTH / 3, LENGTH / 2, LENGTH / 1.5), 1.0),
)
TEMPERATURES = (
    (100.0, (LENGTH / 2, LENGTH / 2, LENGTH / 3), 2.0),
    (50.0, (LENGTH / 2, LENGTH / 2, LENGTH / 1.5), 2.0),
)
STABLE = 8.1  # parts of dx^2 cp / lambda in a time step
PASSES = 3  # of an array through memory in a step: the temperature read and written, cp read

Spots = tuple[tuple[float, tuple[float, float, float], float], ...]


@dataclass(frozen=True)
class HeatModel:
    """A grid of points, of which the outermost keep their temperature."""

    points: tuple[int, int, int]  # along x, y and z

    @property
    def distances(self) -> tuple[float, float, float]:
        """Between points along x, y and z."""
        x, y, z = (LENGTH / (count - 1) for count in self.points)
        return x, y, z

    @property
    def dt(self) -> float:
        """Time step."""
        return min(self.distances) ** 2 * LEAST_CAPACITY / CONDUCTIVITY / STABLE

    @property
    def effective_bytes(self) -> int:
        """A_eff of its authors: twice what is updated, and once what is known, in a step."""
        nx, ny, nz = self.points
        return PASSES * nx * ny * nz * np.dtype(np.float64).itemsize

    def box(self) -> Box:
        """The whole grid."""
        return Box((0, 0, 0), self.points)

    def first(self, box: Box) -> Array:
        """The temperature of a box at the beginning, [z, y, x]. Local."""
        return self._spots(box, TEMPERATURES)

    def factor(self, box: Box) -> Array:
        """The factor of the Laplacian in a step, dt lambda / cp, of a box, [z, y, x]. Local."""
        capacity = LEAST_CAPACITY + self._spots(box, CAPACITIES)
        return np.asarray(self.dt * CONDUCTIVITY / capacity, np.float64)

    def _spots(self, box: Box, spots: Spots) -> Array:
        axes = zip(box.lo, box.hi, self.distances, strict=True)
        x, y, z = (np.arange(low, high) * step for low, high, step in axes)
        total = np.zeros((len(z), len(y), len(x)))
        for most, (at_x, at_y, at_z), width in spots:
            along = [np.exp(-(((one - at) / width) ** 2)) for one, at in ((x, at_x), (y, at_y))]
            in_z = np.exp(-(((z - at_z) / width) ** 2))
            total += most * in_z[:, None, None] * along[1][None, :, None] * along[0]
        return total
