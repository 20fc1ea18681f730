"""Transforms along grid lines that turn a second difference into a product.

The second difference d of values v with spacing s is (v[i-1] - 2 v[i] + v[i+1]) / s^2. The values
beyond the ends of a line decide which waves diagonalise it: all of them are eigenvectors of the
difference itself, not of a derivative, so that solutions are exact to rounding.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import whole_number
from lapwing.core import _core
from lapwing.core._core import slow_length

__all__ = ["Ends", "LineTransform", "slow_length"]

# Beyond the ends of a line: the line again; zero one spacing away; the end itself (no gradient half
# a spacing away).
Ends = Literal["periodic", "dirichlet", "neumann"]


class LineTransform(_core.LineTransform):
    """The transform of lines of `points` values whose ends are `ends`, and back.

    The bits of a line do not depend on the lines that are transformed with it. `forward` and
    `backward` replace values [lines, points]; for a periodic line, coefficients are the real part
    of wave 0, then real and imaginary part of each wave.
    """

    def __init__(self, points: int, ends: Ends) -> None:
        """Take the length of a line. Local; UserError for a bad length or kind of ends."""
        super().__init__(whole_number("points of a line", points), ends)
        self.ends = ends

    def eigenvalues(self, spacing: float) -> NDArray[np.float64]:  # type: ignore[override]
        """Eigenvalues of minus the second difference, one per coefficient, in 1/spacing^2. Local.

        With n points 4/s^2 sin^2(a), where a is pi m / n for the waves m = 0, 1, 1, 2, 2, ... of a
        periodic line, pi m / (2 n) for m = 0 ... n-1 with neumann ends, and pi m / (2 (n+1)) for
        m = 1 ... n with dirichlet ends (Strang, The discrete cosine transform, SIAM Review 1999).
        """
        return np.array(super().eigenvalues(spacing))
