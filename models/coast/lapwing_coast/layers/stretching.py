"""How the depth of a column is shared among its layers: stretched sigma coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lapwing_coast.layers.layer_settings import VerticalSettings

Array = NDArray[np.float64]


def interfaces(vertical: VerticalSettings, levels: int) -> Array:
    """Return sigma between the layers, [levels + 1], from -1 at the bottom to 0 at the surface.

    Local. Each has the formula of its model.
    """
    even = -1.0 + np.arange(levels + 1) / levels
    stretched = {
        "equal": lambda: even,
        "getm": lambda: _getm(even, vertical.ddl, vertical.ddu),
        "song_haidvogel": lambda: _song_haidvogel(even, vertical.theta_s, vertical.theta_b),
        "shchepetkin": lambda: _shchepetkin(even, vertical.theta_s, vertical.theta_b),
    }[vertical.stretching]()
    return np.concatenate(([-1.0], stretched[1:-1], [0.0]))


def shares(vertical: VerticalSettings, levels: int) -> Array:
    """Return the share of the depth of each layer, [levels], from the bottom. Local."""
    if vertical.stretching == "equal":
        return np.full(levels, 1.0 / levels)
    return np.diff(interfaces(vertical, levels))


def centres_below(vertical: VerticalSettings, levels: int) -> Array:
    """Return how far layers' centres are below the surface, in shares of the depth. Local."""
    if vertical.stretching == "equal":
        return np.asarray(1.0 - (np.arange(levels) + 0.5) / levels)
    tops = interfaces(vertical, levels)
    return np.asarray(-0.5 * (tops[1:] + tops[:-1]))


def _getm(sigma: Array, ddl: float, ddu: float) -> Array:
    """Zoom with tanh towards the bottom (ddl) and the surface (ddu)."""
    if ddl + ddu == 0.0:
        return sigma
    zoomed = np.tanh((ddl + ddu) * (sigma + 1.0) - ddl) + np.tanh(ddl)
    return np.asarray(zoomed / (np.tanh(ddl) + np.tanh(ddu)) - 1.0)


def _song_haidvogel(sigma: Array, theta_s: float, theta_b: float) -> Array:
    """Stretch as Y. Song and D. Haidvogel, J. Comput. Phys. 115, 1994."""
    if theta_s == 0.0:
        return sigma
    surface = np.sinh(theta_s * sigma) / np.sinh(theta_s)
    both = np.tanh(theta_s * (sigma + 0.5)) / (2.0 * np.tanh(0.5 * theta_s)) - 0.5
    return np.asarray((1.0 - theta_b) * surface + theta_b * both)


def _shchepetkin(sigma: Array, theta_s: float, theta_b: float) -> Array:
    """Stretch as A. Shchepetkin's function of 2010, number 4 in ROMS."""
    if theta_s > 0.0:
        surface = (1.0 - np.cosh(theta_s * sigma)) / (np.cosh(theta_s) - 1.0)
    else:
        surface = -(sigma**2)
    if theta_b == 0.0:
        return np.asarray(surface)
    return np.asarray(np.expm1(theta_b * surface) / -np.expm1(-theta_b))
