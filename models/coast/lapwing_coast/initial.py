"""Temperature and salinity at the start."""

from __future__ import annotations

import numpy as np
from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Box
from numpy.typing import NDArray

from lapwing_coast.layers.layer_settings import InitialSettings


def fill_tracers(
    temperature: Field,
    salinity: Field,
    settings: InitialSettings,
    depth: NDArray[np.float64],
    below: NDArray[np.float64],
    domain: Domain,
) -> None:
    """Give every owned cell, land too, the water that the case begins with. Called on all ranks.

    `depth` [nx, ny] is that of the whole grid, m; `below` [levels] is how far the centres of layers
    are below the surface, in shares of the depth.
    """
    for field, here, other in (
        (temperature, settings.temperature, settings.other_temperature),
        (salinity, settings.salinity, settings.other_salinity),
    ):
        for box in domain.boxes:
            far = _on_the_other_side(settings, box, depth, below)
            field[box] = np.where(far, other, here)
        field.modified()


def _on_the_other_side(
    settings: InitialSettings, box: Box, depth: NDArray[np.float64], below: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return a mask of the other water, [nx, ny, levels] or a shape that broadcasts to it."""
    if settings.shape == "two_sides":
        far = np.arange(box.lo[0], box.hi[0])[:, None, None] >= depth.shape[0] // 2
    elif settings.shape == "two_layers" and settings.interface == 0:
        far = below > 0.5
    elif settings.shape == "two_layers":
        owned = depth[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1], None]
        far = owned * below > settings.interface
    else:
        far = np.zeros(1, dtype=np.bool_)
    return np.asarray(far)
