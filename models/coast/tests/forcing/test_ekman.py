"""The Ekman spiral: a steady wind over deep water of constant viscosity."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from test_layered import CLOSED, SMALL, values

MakeSea = Callable[..., Any]  # see conftest.py

F, VISCOSITY, STRESS, DENSITY, DEPTH, LEVELS = 1.2e-4, 0.01, 0.1, 1025.0, 60.0, 40


def test_ekman_spiral(make_sea: MakeSea) -> None:
    """In the mean over inertial periods: 45 degrees to the right at the surface, then down.

    u + i v = tau/(rho sqrt(nu f)) exp(z/d + i (z/d - pi/4)),  d = sqrt(2 nu/f)
    """
    sea = make_sea(
        SMALL,
        *CLOSED,
        "grid.cells_x=6",
        "grid.cells_y=5",
        "grid.periodic_x=true",
        "grid.periodic_y=true",
        f"layers.levels={LEVELS}",
        "layers.turbulence=constant",
        f"layers.viscosity={VISCOSITY}",
        "layers.bottom_roughness=0",
        "physics.drag=0",
        f"forcing.wind_x={STRESS}",
        "forcing.heat=0",
        "initial.shape=uniform",
    )
    period = 2 * math.pi / F / sea.run.dt  # steps
    sea.run.advance(round(2 * period))
    steps = round(4 * period)
    mean = np.zeros(LEVELS, dtype=np.complex128)
    for _ in range(steps):
        sea.run.advance(1)
        flow = values(sea, "flow_x")[2, 2] + 1j * values(sea, "flow_y")[2, 2]
        mean += flow * LEVELS / DEPTH / steps
    z = DEPTH * ((np.arange(LEVELS) + 0.5) / LEVELS - 1)
    length = math.sqrt(2 * VISCOSITY / F)
    speed = STRESS / (DENSITY * math.sqrt(VISCOSITY * F))  # m/s
    exact = speed * np.exp(z / length + 1j * (z / length - math.pi / 4))
    off = np.abs(mean - exact).max() / speed
    print(f"Ekman spiral: off by {100 * off:.2f} % of {speed:.3f} m/s at the surface")
    assert 0 < off < 0.03
    transport = mean.sum() * DEPTH / LEVELS  # m2/s: a right angle to the right of the wind
    assert abs(transport * F * DENSITY / STRESS + 1j) < 0.02
