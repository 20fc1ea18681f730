"""Gravity waves stepped implicitly: the vertical modes."""

from __future__ import annotations

import numpy as np
from lapwing.base.error import user_error
from threadpoolctl import threadpool_limits

from lapwing_weather import _kernels
from lapwing_weather.levels import make_levels
from lapwing_weather.settings import WeatherSettings
from lapwing_weather.vertical_structure import vertical_structure


def vertical_modes(settings: WeatherSettings) -> _kernels.VerticalModes:
    """Return operators and modes of isothermal air at rest, as warm as the settings say. Local.

    Implicit steps are stable where that is not colder than the air (Simmons, Hoskins and Burridge
    1978). UserError for a grid that the solver of lines cannot take.
    """
    if settings.grid.periodic_y:
        raise user_error(
            "grid.periodic_y",
            "true with time.scheme = semi-implicit",
            "walls along y, whose lines are solved by elimination",
            "let the other axis close on itself, or choose the explicit scheme",
        )
    with threadpool_limits(1, user_api="blas"):  # bits must not depend on the cores of a rank
        return _modes(settings)


def _modes(settings: WeatherSettings) -> _kernels.VerticalModes:
    levels = make_levels(settings.levels)
    reference = np.full(levels.count, settings.time.reference)
    pressure = settings.initial.pressure
    structure = vertical_structure(levels, reference, pressure)
    squares, vectors = np.linalg.eig(structure.matrix)
    order = np.argsort(np.real(squares))[::-1]
    vectors = np.real(vectors[:, order])
    return _kernels.VerticalModes(
        gamma=structure.gamma.ravel().tolist(),
        push=structure.push.tolist(),
        tau=structure.tau.ravel().tolist(),
        nu=structure.nu.tolist(),
        to_modes=np.linalg.inv(vectors).ravel().tolist(),
        from_modes=vectors.ravel().tolist(),
        speeds=np.sqrt(np.real(squares)[order]).tolist(),
        pressure=pressure,
    )
