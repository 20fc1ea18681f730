"""miniWeather's rising thermal: numbers, background, first state, and what must stay.

After the description of the mini app of Oak Ridge National Laboratory: a warm bubble in air of one
potential temperature, 20 km along x and 10 km along z. All in SI units.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from lapwing.core.partition import Box
from numpy.typing import NDArray

from lapwing_lab import _core

Array = NDArray[np.float64]

LENGTH, HEIGHT = 2e4, 1e4
GRAVITY = 9.8
CP, CV, RD = 1004.0, 717.0, 287.0  # heat capacities and gas constant of dry air, J/(kg K)
P0 = 1e5
GAMMA = CP / CV
C0 = 27.5629410929725921310572974482  # RD**GAMMA * P0 ** (-RD / CV), with GAMMA = 1 + RD / CV
THETA = 300.0  # of the background
WARMER, CENTRE, RADIUS = 3.0, (LENGTH / 2, 2e3), 2e3  # the thermal
COURANT, FASTEST = 1.5, 450.0
BEYOND = 2  # cells of the background below the ground and above the top

# Gauss and Legendre's, from 0 to 1
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(3)
PLACES: Array = np.asarray((_PLACES + 1) / 2, np.float64)
WEIGHTS: Array = np.asarray(_WEIGHTS / 2, np.float64)


def at_rest(z: NDArray[Any]) -> tuple[Array, Array]:
    """Density and density times potential temperature of the background. Local."""
    exner = 1 - GRAVITY * z / (CP * THETA)
    density_theta: Array = (P0 * exner ** (CP / RD) / C0) ** (1 / GAMMA)
    return density_theta / THETA, density_theta


def _columns(density: Array, density_theta: Array) -> dict[str, Array]:
    pressure = C0 * density_theta**GAMMA
    return {"density": density, "density_theta": density_theta, "pressure": pressure}


@dataclass(frozen=True)
class ThermalModel:
    """A grid, and the numbers of the equations."""

    cells: tuple[int, int]  # along x and z

    @property
    def widths(self) -> tuple[float, float]:
        """The size of a cell along x and z, m."""
        return LENGTH / self.cells[0], HEIGHT / self.cells[1]

    @property
    def dt(self) -> float:
        """Time step, s."""
        return COURANT * min(self.widths) / FASTEST

    def box(self) -> Box:
        """The whole grid."""
        return Box((0, 0, 0), (*self.cells, 1))

    def means(self, low: int, high: int) -> tuple[Array, Array]:
        """The background as means over cells from level `low` to `high`. Local."""
        z = (np.arange(low, high)[:, None] + PLACES) * self.widths[1]
        density, density_theta = at_rest(z)
        return density @ WEIGHTS, density_theta @ WEIGHTS

    def numbers(self) -> _core.MiniweatherModel:
        """The numbers that a step needs. Local."""
        levels = self.cells[1]
        beyond, _ = self.means(-BEYOND, levels + BEYOND)
        _, inside = self.means(0, levels)
        density, density_theta = at_rest(np.arange(levels + 1) * self.widths[1])
        background = _core.Background(
            {name: one.tolist() for name, one in _columns(beyond, inside).items()},
            {name: one.tolist() for name, one in _columns(density, density_theta).items()},
        )
        return _core.MiniweatherModel(self.cells, self.widths, self.dt, background)

    def first(self, box: Box) -> Array:
        """The thermal at rest, in a box: rho', rho u, rho w and (rho theta)', [4, z, x]. Local."""
        state = np.zeros((4, box.hi[1] - box.lo[1], box.hi[0] - box.lo[0]))
        for place_z, weight_z in zip(PLACES, WEIGHTS, strict=True):
            z = (np.arange(box.lo[1], box.hi[1])[:, None] + place_z) * self.widths[1]
            for place_x, weight_x in zip(PLACES, WEIGHTS, strict=True):
                x = (np.arange(box.lo[0], box.hi[0])[None, :] + place_x) * self.widths[0]
                far = np.hypot(x - CENTRE[0], z - CENTRE[1]) / RADIUS
                warmer = WARMER * np.where(far < 1, np.cos(pi / 2 * far) ** 2, 0)
                state[3] += weight_z * weight_x * at_rest(z)[0] * warmer
        return state

    def totals(self, box: Box, state: Array) -> Array:
        """Mass, kg, and energy, J, of a box per metre along y. Local.

        The energy is miniWeather's, rho (u^2 + w^2) + rho cv T: its change can be compared.
        """
        density, density_theta = (one[:, None] for one in self.means(box.lo[1], box.hi[1]))
        rho, rho_theta = state[0] + density, state[3] + density_theta
        pressure = C0 * rho_theta**GAMMA
        temperature = rho_theta / rho * (pressure / P0) ** (RD / CP)
        moving = (state[1] ** 2 + state[2] ** 2) / rho
        area = self.widths[0] * self.widths[1]
        return area * np.array([rho.sum(), (moving + rho * CV * temperature).sum()])
