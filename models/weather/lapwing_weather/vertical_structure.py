"""The linear operators of the vertical for a reference state at rest.

After Simmons and Burridge (1981), of columns over flat ground with temperatures [levels] that are
the same everywhere. With D [levels] the divergence of wind, 1/s, and x = ln ps::

    d(D)/dt = -laplacian(gamma T + push x)
    dT/dt = -tau D
    dx/dt = -nu D

so that waves travel at the roots of the eigenvalues of gamma tau + push nu^T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing_weather.air import GAS_CONSTANT, KAPPA
from lapwing_weather.levels import HalfLevels

Array = NDArray[np.float64]


@dataclass(frozen=True)
class VerticalStructure:
    """The operators of one reference state."""

    gamma: Array  # [levels, levels], J/(kg K)
    push: Array  # [levels], J/kg
    tau: Array  # [levels, levels], K
    nu: Array  # [levels], 1

    @property
    def matrix(self) -> Array:
        """Return gamma tau + push nu^T [levels, levels], m2/s2. Local."""
        return np.asarray(self.gamma @ self.tau + np.outer(self.push, self.nu))

    def speeds(self) -> Array:
        """Return the speeds of gravity waves of all vertical modes, fastest first, m/s. Local."""
        values = np.linalg.eigvals(self.matrix)
        return np.asarray(np.sqrt(np.sort(np.real(values))[::-1]), np.float64)

    def external_mode(self) -> tuple[float, Array]:
        """Return speed (m/s) and temperature [levels] (K, for x = 1) of the fastest wave. Local.

        A standing wave x = cos(k s) cos(k c t) with this temperature, without wind at t = 0.
        """
        values, vectors = np.linalg.eig(self.matrix)
        n = int(np.argmax(np.real(values)))
        divergence = np.real(vectors[:, n])
        temperature = self.tau @ divergence / (self.nu @ divergence)
        return float(np.sqrt(np.real(values[n]))), np.asarray(temperature)


def vertical_structure(
    levels: HalfLevels, temperature: Array, pressure: float
) -> VerticalStructure:
    """Make the operators of layers at temperatures [levels] (K) under `pressure` (Pa). Local."""
    p = levels.halves(pressure)
    n, dp, db = levels.count, np.diff(p), np.diff(levels.b)
    open_top = p[0] == 0.0
    logs = np.log(p[1:] / np.where(p[:-1] > 0, p[:-1], p[1:]))  # of an open top: 0
    alpha = 1.0 - p[:-1] / dp * logs
    assert not open_top or alpha[0] == 1.0
    above = np.tri(n, k=-1)  # [k, r]: 1 where r lies above k
    gamma = GAS_CONSTANT * (np.diag(alpha) + above.T * logs)
    factor = (levels.b[:-1] * logs + alpha * db) / dp  # 1/Pa
    # what x does to the geopotential of layers that are no sigma layers, over R T
    slopes = levels.b / np.where(p > 0, p, 1.0) * pressure  # d ln(p) / dx of half levels
    log_slopes = np.where(p[:-1] > 0, np.diff(slopes), 0.0)
    share_slopes = pressure * (levels.b[:-1] * dp - p[:-1] * db) / dp**2
    lift = above.T @ (temperature * log_slopes)
    lift -= temperature * (share_slopes * logs + p[:-1] / dp * log_slopes)
    push = GAS_CONSTANT * (temperature * factor * pressure + lift)
    heat = KAPPA * (temperature / dp)[:, None] * (above * logs[:, None] + np.diag(alpha)) * dp
    down = np.outer(levels.b[1:], dp) - np.tri(n) * dp  # flow through lower ends, per divergence
    step = np.append(np.diff(temperature), 0.0)  # to the layer below, K
    carried = 0.5 * down * step[:, None]
    carried[1:] += 0.5 * down[:-1] * step[:-1, None]
    return VerticalStructure(gamma, push, heat + carried / dp[:, None], dp / pressure)
