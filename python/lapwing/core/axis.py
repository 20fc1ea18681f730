"""Coordinates of the cells along an axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Axis:
    """A horizontal coordinate of the cell centres: values [n], its unit and its CF names."""

    values: NDArray[np.float64]
    units: str  # "m", "degrees_east", "degrees_north"
    long_name: str
    standard_name: str | None = None

    @property
    def edges(self) -> NDArray[np.float64]:
        """The coordinates [n + 1] of the faces around the cells, between the centres. Local."""
        centres = np.asarray(self.values, dtype=np.float64)
        if len(centres) == 1:
            return np.array([centres[0] - 0.5, centres[0] + 0.5])
        ahead = np.append(centres[1:], 2 * centres[-1] - centres[-2])
        faces = 0.5 * (centres + ahead)
        return np.insert(faces, 0, 2 * centres[0] - faces[0])
