"""Eady's problem in pressure coordinates: a zonal wind that grows with height, and its waves.

Between a rigid top and the surface at pressures p_t and p_s, D = p_s - p_t, on an f-plane between
walls L apart, with U = wind_difference (p_s - p) / D and constant
stability S = -(R T / p) d ln(theta)/dp:

    T(y, p) = C p^kappa - S p^2 / (R (2 - kappa)) - (f p / R) (wind_difference / D) (y - L/2)

Waves k along x, l = pi / L across, have mu = L_d (k^2 + l^2)^(1/2) with the radius of deformation
L_d = S^(1/2) D / f, and grow at

    k (wind_difference / mu) [(coth(mu/2) - mu/2) (mu/2 - tanh(mu/2))]^(1/2)

(Eady 1949; Vallis 2017, section 9.5, with z / H = (p_s - p) / D and N H = S^(1/2) D).
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing_weather.air import GAS_CONSTANT, KAPPA

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Eady:
    """The flow that waves grow on."""

    cells: tuple[int, int]
    spacing_x: float  # m
    spacing_y: float  # m
    coriolis: float  # 1/s
    wind_difference: float  # between top and surface, m/s
    stability: float  # m2/(s2 Pa2)
    bottom: float  # Pa
    top: float  # Pa
    surface_temperature: float  # in the middle, K

    @property
    def depth(self) -> float:
        """Pressure between top and surface, Pa. Local."""
        return self.bottom - self.top

    @property
    def width(self) -> float:
        """Distance of the walls, m. Local."""
        return self.cells[1] * self.spacing_y

    @property
    def deformation_radius(self) -> float:
        """L_d, m. Local."""
        return math.sqrt(self.stability) * self.depth / abs(self.coriolis)

    def wind(self, p: Array) -> Array:
        """Return the zonal wind at pressures (Pa), m/s. Local."""
        return np.asarray(self.wind_difference * (self.bottom - p) / self.depth)

    def temperature(self, y: Array, p: Array) -> Array:
        """Return the temperature (K) at y [1, ny] (m) and pressures [..., levels] (Pa). Local."""
        curved = self.stability / (GAS_CONSTANT * (2.0 - KAPPA))
        scale = (self.surface_temperature + curved * self.bottom**2) / self.bottom**KAPPA
        shear = self.coriolis / GAS_CONSTANT * self.wind_difference / self.depth
        away = y - 0.5 * self.width
        return np.asarray(scale * p**KAPPA - curved * p**2 - shear * p * away[..., None])

    def mu(self, waves: int = 1) -> float:
        """Return mu for that many waves along x. Local."""
        return self.deformation_radius * math.hypot(self.wavenumber(waves), math.pi / self.width)

    def wavenumber(self, waves: int = 1) -> float:
        """Return k for that many waves along x, 1/m. Local."""
        return 2.0 * math.pi * waves / (self.cells[0] * self.spacing_x)

    def phase_speed(self, waves: int = 1) -> complex:
        """Return the phase speed of the growing wave, its imaginary part above 0, m/s. Local."""
        mu = self.mu(waves)
        product = (1.0 / math.tanh(mu / 2) - mu / 2) * (mu / 2 - math.tanh(mu / 2))
        return complex(self.wind_difference * (0.5 + 1j * cmath.sqrt(product) / mu))

    def growth(self, waves: int = 1) -> float:
        """Return the growth rate of amplitudes, 0 for a wave that does not grow, 1/s. Local."""
        return self.wavenumber(waves) * self.phase_speed(waves).imag


class EadyWave:
    """The growing wave, one along x, by the strength of its wind along y at the surface (m/s)."""

    def __init__(self, flow: Eady, strength: float) -> None:
        """Find its structure. Local."""
        self.flow = flow
        self.k, self.l = flow.wavenumber(), math.pi / flow.width
        self.mu, self.amplitude = flow.mu(), strength / flow.wavenumber()  # 1, m2/s
        self._slope = -flow.wind_difference / (self.mu * flow.phase_speed())

    def _structure(self, p: Array) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """Streamfunction over its amplitude, and its slope with height (p_s - p) / D."""
        height = self.mu * (self.flow.bottom - p) / self.flow.depth
        cosh, sinh = np.cosh(height), np.sinh(height)
        return cosh + self._slope * sinh, self.mu * (sinh + self._slope * cosh)

    def _along(self, x: Array, shape: NDArray[np.complex128]) -> Array:
        return np.asarray(np.real(shape * np.exp(1j * self.k * x)[..., None]))

    def wind_x(self, x: Array, y: Array, p: Array) -> Array:
        """Return its wind along x [nx, ny, levels], m/s. Local."""
        across = -self.l * np.cos(self.l * y)[..., None]
        return self.amplitude * across * self._along(x, self._structure(p)[0])

    def wind_y(self, x: Array, y: Array, p: Array) -> Array:
        """Return its wind along y [nx, ny, levels], m/s. Local."""
        across = np.sin(self.l * y)[..., None]
        return self.amplitude * across * self._along(x, 1j * self.k * self._structure(p)[0])

    def temperature(self, x: Array, y: Array, p: Array) -> Array:
        """Return its temperature [nx, ny, levels], K: hydrostatic. Local."""
        flow = self.flow
        per_slope = p * flow.coriolis / (GAS_CONSTANT * flow.depth)
        across = np.sin(self.l * y)[..., None]
        return self.amplitude * across * per_slope * self._along(x, self._structure(p)[1])

    def pressure(self, x: Array, y: Array) -> Array:
        """Return its surface pressure [nx, ny], Pa, from its geopotential there. Local."""
        flow = self.flow
        density = flow.bottom / (GAS_CONSTANT * flow.surface_temperature)  # kg/m3
        surface = self._structure(np.asarray([flow.bottom]))[0]
        across = np.sin(self.l * y)
        return density * flow.coriolis * self.amplitude * across * self._along(x, surface)[..., 0]
