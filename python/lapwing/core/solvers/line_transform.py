"""Transforms along grid lines that turn a second difference into a product.

The second difference d of values v with spacing s is (v[i-1] - 2 v[i] + v[i+1]) / s^2. What stands
beyond the ends of a line says which waves diagonalise it: all of them are eigenvectors of the
difference itself, not of a derivative, so that what is solved with them is exact to rounding.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error, whole_number

Array = NDArray[np.float64]

# Beyond the ends of a line: the line again; zero one spacing away; the end itself (no gradient half
# a spacing away).
Ends = Literal["periodic", "dirichlet", "neumann"]

# Lines that one call of the FFT library gets, filled up with zeros. Libraries take several lines at
# once in vectors and the rest one by one, by other instructions: with one number of lines in every
# call a line has the same bits whichever lines a rank holds next to it.
_LINES = 64

_SLOW_PRIME = 13  # FFT libraries have code of their own for smaller factors


class LineTransform:
    """The transform of lines of `points` values whose ends are `ends`, and back."""

    def __init__(self, points: int, ends: Ends) -> None:
        """Take the length of a line. Local; UserError for a bad length or kind of ends."""
        import scipy.fft  # here: it takes long to load, and most models have no line to transform

        self.points = whole_number("points of a line", points)
        if self.points < 1:
            raise user_error("points of a line", str(points), "at least 1", "give the grid's size")
        if ends not in get_args(Ends):
            kinds = ", ".join(get_args(Ends))
            raise user_error("ends of a line", repr(ends), f"one of {kinds}", "choose one of them")
        self.ends = ends
        self._fft = scipy.fft
        self._rest = np.zeros((_LINES, self.points))  # the last lines, filled up

    def eigenvalues(self, spacing: float) -> Array:
        """Those of minus the second difference, one per coefficient, in 1/spacing^2. Local.

        With n points 4/s^2 sin^2(a), where a is pi m / n for the waves m = 0, 1, 1, 2, 2, ... of a
        periodic line, pi m / (2 n) for m = 0 ... n-1 with neumann ends, and pi m / (2 (n+1)) for
        m = 1 ... n with dirichlet ends (Strang, The discrete cosine transform, SIAM Review 1999).
        """
        n = np.arange(self.points)
        if self.ends == "periodic":
            angle = np.pi * ((n + 1) // 2) / self.points
        elif self.ends == "neumann":
            angle = np.pi * n / (2 * self.points)
        else:
            angle = np.pi * (n + 1) / (2 * (self.points + 1))
        values: Array = (2.0 / spacing * np.sin(angle)) ** 2
        return values

    def forward(self, lines: Array) -> None:
        """Replace values [lines, points] by coefficients. Local.

        Of a periodic line these are the real part of wave 0, then real and imaginary part of each.
        """
        self._in_groups(lines, self._forward)

    def backward(self, lines: Array) -> None:
        """Replace coefficients [lines, points] by values. Local."""
        self._in_groups(lines, self._backward)

    def _in_groups(self, lines: Array, transform: Any) -> None:
        whole = len(lines) - len(lines) % _LINES
        for first in range(0, whole, _LINES):
            transform(lines[first : first + _LINES])
        rest = len(lines) - whole
        if rest:
            self._rest[:rest], self._rest[rest:] = lines[whole:], 0.0
            transform(self._rest)
            lines[whole:] = self._rest[:rest]

    def _forward(self, lines: Array) -> None:
        if self.ends == "neumann":
            lines[...] = self._fft.dct(lines, type=2, norm="ortho")
        elif self.ends == "dirichlet":
            lines[...] = self._fft.dst(lines, type=1, norm="ortho")
        else:
            waves = self._fft.rfft(lines).view(np.float64)
            lines[:, 0] = waves[:, 0]
            lines[:, 1:] = waves[:, 2 : self.points + 1]

    def _backward(self, lines: Array) -> None:
        if self.ends == "neumann":
            lines[...] = self._fft.idct(lines, type=2, norm="ortho")
        elif self.ends == "dirichlet":
            lines[...] = self._fft.idst(lines, type=1, norm="ortho")
        else:
            waves = np.zeros((len(lines), self.points // 2 + 1), np.complex128)
            parts = waves.view(np.float64)
            parts[:, 0] = lines[:, 0]
            parts[:, 2 : self.points + 1] = lines[:, 1:]
            lines[...] = self._fft.irfft(waves, self.points)


def slow_length(points: int, ends: Ends) -> str:
    """Why the transform of a line takes long, for a warning; empty where it does not. Local.

    The length of the FFT behind it, a point more with dirichlet ends, has a prime factor beyond 13.
    """
    more = 1 if ends == "dirichlet" else 0
    prime = _largest_prime(points + more)
    if prime <= _SLOW_PRIME:
        return ""
    better = points + 1
    while _largest_prime(better + more) > _SLOW_PRIME:
        better += 1
    return (
        f"lines of {points} points with {ends} ends: {points + more} has the prime factor {prime}, "
        f"for which an FFT takes longer; {better} points would be faster"
    )


def _largest_prime(number: int) -> int:
    largest, factor = 1, 2
    while number > 1:
        while number % factor == 0:
            largest, number = factor, number // factor
        factor += 1
    return largest
