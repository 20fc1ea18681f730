"""The initial state of the wave equation: standing waves, and a velocity that grows with depth.

Both are smooth and 0 nowhere but outside the grid: a pulse would be surrounded by numbers so small
that processors take many times as long for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from lapwing.core.partition import Box
from numpy.typing import NDArray

Array = NDArray[np.float32]

WAVES = ((3, 2, 1), (4, 7, 5), (2, 9, 11))  # half waves along x, y and z
SLOWEST, FASTEST = 1.5, 4.0  # km/s
COURANT = 0.38  # c dt / h where c is largest


@dataclass(frozen=True)
class AcousticModel:
    """A grid of cubes, and the numbers of the equation; lengths in m, times in ms."""

    cells: tuple[int, int, int]  # along x, y and z
    spacing: float = 10.0

    @property
    def dt(self) -> float:
        """Time step, ms."""
        return COURANT * self.spacing / FASTEST

    def box(self) -> Box:
        """The whole grid."""
        return Box((0, 0, 0), self.cells)

    def places(self, box: Box) -> list[NDArray[np.float64]]:
        """x, y and z of the cells of a box, from 0 to 1, to be combined to [z, y, x]. Local."""
        axes = [
            (np.arange(low, high) + 1) / (count + 1)
            for low, high, count in zip(box.lo, box.hi, self.cells, strict=True)
        ]
        return [axes[0][None, None, :], axes[1][None, :, None], axes[2][:, None, None]]

    def first(self, box: Box) -> Array:
        """u of a box at the beginning, [z, y, x]. Local."""
        x, y, z = (np.pi * one for one in self.places(box))
        u = sum(np.sin(a * x) * np.sin(b * y) * np.sin(c * z) for a, b, c in WAVES)
        return np.asarray(u, dtype=np.float32)

    def velocity(self, box: Box) -> Array:
        """c of a box, km/s, [z, y, x]. Local."""
        x, y, z = self.places(box)
        layered = z + 0.1 * np.sin(2 * np.pi * x) * np.sin(3 * np.pi * y) * (1 - z) * z
        return (SLOWEST + (FASTEST - SLOWEST) * layered).astype(np.float32)

    def courant(self, box: Box) -> Array:
        """(c dt / h)^2 of a box, [z, y, x]. Local."""
        number = self.velocity(box).astype(np.float64) * self.dt / self.spacing
        return (number * number).astype(np.float32)
