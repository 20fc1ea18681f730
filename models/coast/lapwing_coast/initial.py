"""Temperature and salinity at the start."""

from __future__ import annotations

import numpy as np
from lapwing.domain import Domain, Field
from lapwing.partition import Box
from numpy.typing import NDArray

from lapwing_coast.layer_settings import InitialSettings


def fill_tracers(
    temperature: Field, salinity: Field, settings: InitialSettings, domain: Domain
) -> None:
    """Give every owned cell, land too, the water that the case begins with. All ranks alike."""
    levels = int(temperature.spec.levels)
    columns = domain.partition.grid.size[0]
    for field, here, other in (
        (temperature, settings.temperature, settings.other_temperature),
        (salinity, settings.salinity, settings.other_salinity),
    ):
        for box in domain.boxes:
            far = _on_the_other_side(settings.shape, box, columns, levels)
            field[box] = np.where(far, other, here)
        field.modified()


def _on_the_other_side(shape: str, box: Box, columns: int, levels: int) -> NDArray[np.bool_]:
    """Where the other water is, [nx, ny, levels] or what broadcasts to it."""
    if shape == "two_sides":
        return np.arange(box.lo[0], box.hi[0])[:, None, None] >= columns // 2
    if shape == "two_layers":
        return np.arange(levels) < levels // 2
    return np.zeros(1, dtype=np.bool_)
