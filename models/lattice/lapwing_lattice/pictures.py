"""The pictures of the flow at the end of a run."""

from __future__ import annotations

import numpy as np
from lapwing.model import Gathered, Picture
from numpy.typing import NDArray

from lapwing_lattice.geometry import LatticeGeometry

Array = NDArray[np.float64]


def lattice_pictures(geometry: LatticeGeometry) -> list[Picture]:
    """Return maps of speed and density in the layer half-way along z. Local."""
    layer = geometry.grid.size[2] // 2
    fluid = np.ones(geometry.grid.size[:2], dtype=np.bool_)
    if geometry.solid is not None:
        fluid = ~geometry.solid[:, :, layer]

    def of(gathered: Gathered, name: str) -> Array:
        values = np.asarray(gathered[name], dtype=np.float64)
        return values if values.ndim == 2 else values[:, :, layer]

    def speed(gathered: Gathered) -> Array:
        parts = (of(gathered, f"velocity_{axis}") for axis in "xyz")
        return np.where(fluid, np.sqrt(sum(part**2 for part in parts)), np.nan)

    def arrows(gathered: Gathered) -> tuple[Array, Array]:
        return of(gathered, "velocity_x"), of(gathered, "velocity_y")

    def density(gathered: Gathered) -> Array:
        return np.where(fluid, of(gathered, "density") - 1.0, np.nan)

    at = f"in layer {layer} along z"
    return [
        Picture(
            "speed",
            "map",
            f"speed {at}",
            "cells/step",
            ("velocity_x", "velocity_y", "velocity_z"),
            speed,
            arrows=arrows,
        ),
        Picture("density", "map", f"density less 1 {at}", "1", ("density",), density),
    ]
