"""Density and velocity at the start."""

from __future__ import annotations

import numpy as np
from lapwing.core.partition import Box
from numpy.typing import NDArray

from lapwing_lattice.settings import LatticeSettings

Array = NDArray[np.float64]


def initial_flow(settings: LatticeSettings, box: Box) -> tuple[Array, Array, Array, Array]:
    """Return density and velocity along x, y and z of the cells of a box. Local.

    `taylor-green`: u = -U cos(a x) sin(b y), v = U (a/b) sin(a x) cos(b y) with a = 2 pi / nx and
    b = 2 pi / ny, and the pressure that goes with it, p = p0 - rho U^2 / 4 (cos 2 a x + (a/b)^2
    cos 2 b y); p = rho / 3.
    """
    shape, speed = settings.initial.shape, settings.initial.speed
    rho, u, v, w = (np.full(box.shape, value) for value in (1.0, 0.0, 0.0, 0.0))
    if shape == "uniform":
        u[...] = speed
    if shape == "taylor-green":
        nx, ny, _ = settings.grid.size
        a, b = 2.0 * np.pi / nx, 2.0 * np.pi / ny
        x = (np.arange(box.lo[0], box.hi[0]) + 0.5)[:, None, None]
        y = (np.arange(box.lo[1], box.hi[1]) + 0.5)[None, :, None]
        u[...] = -speed * np.cos(a * x) * np.sin(b * y)
        v[...] = speed * (a / b) * np.sin(a * x) * np.cos(b * y)
        rho[...] = 1.0 - 0.75 * speed**2 * (np.cos(2 * a * x) + (a / b) ** 2 * np.cos(2 * b * y))
    return rho, u, v, w
