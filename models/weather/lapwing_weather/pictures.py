"""The pictures of the air at the end of a run."""

from __future__ import annotations

import numpy as np
from lapwing.model import Gathered, Geometry, Picture
from numpy.typing import NDArray

from lapwing_weather.air import GRAVITY
from lapwing_weather.levels import make_levels
from lapwing_weather.settings import WeatherSettings

Array = NDArray[np.float64]


def weather_pictures(settings: WeatherSettings, geometry: Geometry) -> list[Picture]:
    """Return maps of surface pressure and lowest temperature, and a section of the wind. Local."""
    row = geometry.grid.size[1] // 2

    def lowest_wind(gathered: Gathered) -> tuple[Array, Array]:
        return (
            to_centres(gathered["wind_x"][:, :, -1], 0),
            to_centres(gathered["wind_y"][:, :, -1], 1),
        )

    def across(gathered: Gathered) -> Array:  # a section has its lowest layer first
        return to_centres(gathered["wind_y"], 1)[:, row, ::-1]

    def heights(gathered: Gathered) -> Array:
        return layer_ends(settings, gathered, row)[:, ::-1]

    return [
        Picture(
            "surface_pressure",
            "map",
            "pressure at the surface, wind of the lowest layer",
            "hPa",
            ("surface_pressure", "wind_x", "wind_y"),
            lambda gathered: gathered["surface_pressure"] / 100.0,
            arrows=lowest_wind,
        ),
        Picture(
            "lowest_temperature",
            "map",
            "temperature of the lowest layer",
            "K",
            ("temperature",),
            lambda gathered: gathered["temperature"][:, :, -1],
        ),
        Picture(
            "wind_section",
            "section",
            "wind along y",
            "m/s",
            ("wind_y", "surface_pressure", "geopotential"),
            across,
            row=row,
            heights=heights,
        ),
    ]


def to_centres(values: Array, axis: int) -> Array:
    """Return the mean of both faces of each cell; through walls nothing flows. Local."""
    return np.asarray(0.5 * (values + np.roll(values, 1, axis)))  # the last face is a wall's


def layer_ends(settings: WeatherSettings, gathered: Gathered, row: int) -> Array:
    """Return the heights [nx, levels + 1] (m) between layers of a row, from the top down. Local.

    Half-way between layers in the logarithm of pressure; the top as far above its layer as the
    layer is above its lower end.
    """
    levels = make_levels(settings.levels)
    pressure = np.asarray(gathered["surface_pressure"])[:, row]
    centres = np.asarray(gathered["geopotential"])[:, row] / GRAVITY
    p, ends = levels.centres(pressure), levels.halves(pressure)[:, 1:-1]
    share = np.log(ends / p[:, :-1]) / np.log(p[:, 1:] / p[:, :-1])
    between = centres[:, :-1] + share * (centres[:, 1:] - centres[:, :-1])
    if levels.count == 1:
        between = centres[:, :0]
    top = 2.0 * centres[:, :1] - (between[:, :1] if levels.count > 1 else 0.0)
    return np.concatenate([top, between, np.zeros((len(pressure), 1))], axis=1)
