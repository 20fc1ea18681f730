"""The pictures of the layers at the end of a run."""

from __future__ import annotations

import numpy as np
from lapwing.model import Gathered, Geometry, Picture
from numpy.typing import NDArray

from lapwing_coast.layers.stretching import interfaces
from lapwing_coast.settings import CoastSettings

Array = NDArray[np.float64]


def layer_pictures(settings: CoastSettings, geometry: Geometry) -> list[Picture]:
    """Return maps of the sea level and of the flow at the surface, and a section along x. Local.

    The section is one of temperature, or of the velocity in it where temperature is the same
    everywhere.
    """
    row = section_row(geometry)

    def at_surface(gathered: Gathered) -> tuple[Array, Array]:
        return (
            to_centres(gathered["velocity_x"][:, :, -1], 0),
            to_centres(gathered["velocity_y"][:, :, -1], 1),
        )

    def along(gathered: Gathered) -> Array:
        return to_centres(gathered["velocity_x"], 0)[:, row]

    flow = ("velocity_x", "velocity_y")
    section = (
        ("temperature", "temperature", "°C", lambda gathered: gathered["temperature"][:, row])
        if temperature_varies(settings)
        else ("velocity_x", "velocity along x", "m/s", along)
    )
    needed, title, units, values = section
    return [
        Picture(
            "sea_level",
            "map",
            "sea level above its undisturbed height",
            "m",
            ("sea_level",),
            lambda gathered: gathered["sea_level"],
        ),
        Picture(
            "surface_speed",
            "map",
            "speed of the uppermost layer",
            "m/s",
            flow,
            lambda gathered: np.hypot(*at_surface(gathered)),
            arrows=at_surface,
        ),
        Picture(
            f"{needed}_section",
            "section",
            title,
            units,
            (needed, "sea_level", "depth"),
            values,
            row=row,
            heights=lambda gathered: layer_heights(
                gathered["sea_level"][:, row],
                gathered["depth"][:, row],
                interfaces(settings.vertical, settings.layers.levels),
            ),
        ),
    ]


def temperature_varies(settings: CoastSettings) -> bool:
    """True if temperature can differ from place to place during a run. Local."""
    initial = settings.initial
    two = initial.shape != "uniform" and initial.temperature != initial.other_temperature
    return two or settings.forcing.heat != 0.0


def section_row(geometry: Geometry) -> int:
    """Return the middle row of cells along x, or the wettest where that one is dry. Local."""
    wet = np.asarray(geometry.wet, dtype=bool)
    middle = wet.shape[1] // 2
    return middle if wet[:, middle].any() else int(np.argmax(wet.sum(axis=0)))


def to_centres(values: Array, axis: int) -> Array:
    """Return the mean of both faces of each cell; beyond a closed grid nothing flows. Local."""
    before = np.roll(values, 1, axis)  # of a closed grid the last face holds 0
    return np.asarray(0.5 * (values + before))


def layer_heights(level: Array, depth: Array, sigma: Array) -> Array:
    """Return the heights [n, levels + 1] (m) of sigma at levels and depths [n] (m). Local."""
    return np.asarray(level[:, None] + sigma * (level + depth)[:, None])
