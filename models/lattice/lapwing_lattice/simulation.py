"""A case of the lattice model as the program behind `lapwing simulate` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from lapwing.model import SimulatedWork
from lapwing.model.structs import plain

from lapwing_lattice.geometry import LatticeGeometry
from lapwing_lattice.lattice_run import numbers
from lapwing_lattice.settings import LatticeSettings

works: Mapping[str, SimulatedWork] = {
    "lattice": SimulatedWork(stages=("stream_and_collide", "collide_around", "collide_within"))
}


def simulation(settings: LatticeSettings, geometry: LatticeGeometry) -> dict[str, Any]:
    """Return what tells the simulation of a case: the fluid, sides and obstacles. Local.

    The flow at the start is the simulation's own, as its time depends on no value.
    """
    document: dict[str, Any] = {"settings": plain(numbers(settings, geometry))}
    if geometry.solid is not None:  # a digit per cell: a list would take far more memory
        digits = geometry.solid.ravel(order="F").astype(np.uint8) + ord("0")
        document["solid"] = digits.tobytes().decode("ascii")
    return document
