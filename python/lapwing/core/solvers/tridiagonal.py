"""Tridiagonal systems of many lines at once: elimination along them, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Tridiagonal:
    """A system per line whose matrix holds `diagonal` [points, lines] and `beside` next to it.

    No pivots are looked for: no entry of the diagonal may be smaller in size than the sum of those
    beside it, as in a Helmholtz equation.

    Every line is solved by the same operations in the same order,
    whichever lines stand beside it, and so has the same bits on any rank.
    """

    def __init__(self, diagonal: Array, beside: float) -> None:
        """Eliminate the matrices. Local; holds as many numbers as `diagonal` has."""
        self._beside = beside
        self._over_pivot = np.empty_like(diagonal)
        self._scratch = np.empty_like(diagonal[0])
        self._over_pivot[0] = 1.0 / diagonal[0]
        for j in range(1, len(diagonal)):
            pivot = diagonal[j] - beside * beside * self._over_pivot[j - 1]
            self._over_pivot[j] = 1.0 / pivot

    def solve(self, values: Array) -> None:
        """Replace right-hand sides [points, lines] by solutions. Local; no allocation."""
        beside, over, scratch = self._beside, self._over_pivot, self._scratch
        values[0] *= over[0]
        for j in range(1, len(values)):
            np.multiply(values[j - 1], beside, out=scratch)
            values[j] -= scratch
            values[j] *= over[j]
        for j in range(len(values) - 2, -1, -1):
            np.multiply(values[j + 1], over[j], out=scratch)
            scratch *= beside
            values[j] -= scratch
