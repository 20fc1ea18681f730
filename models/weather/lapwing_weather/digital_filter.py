"""Low-pass filters of steps in time: their weights, and what they leave of an oscillation.

A filter of 2 N + 1 steps of length dt turns x(n dt), n = -N to N, into the sum of h(n) x(n dt). Of
an oscillation of frequency w it leaves the share H(w dt) = sum of h(n) cos(n w dt).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def lanczos_weights(half: int, cutoff: float) -> Array:
    """Return the weights [2 half + 1] of a sinc cut off at `cutoff` (rad per step). Local.

    h(n) = sin(n c) / (n pi) times Lanczos' window sin(n pi / (N + 1)) / (n pi / (N + 1)), over
    their sum (Lynch and Huang 1992). H is a half at the cutoff, about.
    """
    n = np.arange(-half, half + 1)
    weights = np.sinc(n * cutoff / np.pi) * np.sinc(n / (half + 1))
    return np.asarray(weights / weights.sum())


def dolph_weights(half: int, edge: float) -> Array:
    """Return the weights [2 half + 1] of the Dolph-Chebyshev filter. Local.

    `edge` (rad per step): beyond it H is at most `dolph_ripple`. They are the cosine sums of
    `dolph_response` at the 2 half + 1 frequencies of that many steps (Lynch 1997).
    """
    count = 2 * half + 1
    m = np.arange(1, half + 1)
    frequencies = 2.0 * np.pi * m / count
    share = dolph_response(half, edge, frequencies)
    n = np.arange(-half, half + 1)
    sums = np.array([np.sum(share * np.cos(frequencies * one)) for one in n])
    weights = (1.0 + 2.0 * sums) / count
    return np.asarray(weights / weights.sum())  # 1 to rounding before that


def dolph_response(half: int, edge: float, frequency: ArrayLike) -> Array:
    """Return H = T(2N, x0 cos(w/2)) / T(2N, x0), x0 = 1 / cos(edge/2), by formula. Local."""
    x0 = 1.0 / np.cos(0.5 * edge)
    inside = x0 * np.cos(0.5 * np.asarray(frequency))
    return np.asarray(_chebyshev(2 * half, inside) * dolph_ripple(half, edge))


def dolph_ripple(half: int, edge: float) -> float:
    """Return the largest share of what is beyond the edge that the filter leaves. Local."""
    return float(1.0 / _chebyshev(2 * half, 1.0 / np.cos(0.5 * edge)))


def response(weights: Array, frequency: ArrayLike) -> Array:
    """Return H of weights at frequencies (rad per step). Local."""
    half = len(weights) // 2
    n = np.arange(-half, half + 1)
    return np.asarray(np.cos(np.multiply.outer(np.asarray(frequency), n)) @ weights)


def _chebyshev(degree: int, x: ArrayLike) -> Array:
    """Return Chebyshev's polynomial of an even degree. Local."""
    size = np.abs(np.asarray(x, dtype=np.float64))
    inside = np.cos(degree * np.arccos(np.minimum(size, 1.0)))
    outside = np.cosh(degree * np.arccosh(np.maximum(size, 1.0)))
    return np.asarray(np.where(size <= 1.0, inside, outside))
