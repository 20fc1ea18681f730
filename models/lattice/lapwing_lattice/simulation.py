"""A case of the lattice model as the program behind `lapwing simulate` reads it."""

from __future__ import annotations

import numpy as np

from lapwing_lattice.geometry import LatticeGeometry
from lapwing_lattice.settings import LatticeSettings


def simulation_lines(settings: LatticeSettings, geometry: LatticeGeometry) -> list[str]:
    """Return the lines that tell the simulation of a case: the fluid, sides and obstacles. Local.

    The flow at the start is the simulation's own, as its time depends on no value.
    """
    tau, tau_minus = settings.relaxation_times
    flow, table = settings.flow, settings.lattice
    lines = [
        "work lattice",
        f"tau {tau!r}",
        f"tau_minus {tau_minus!r}",
        f"force {flow.force_x!r} {flow.force_y!r} {flow.force_z!r}",
        f"in_place {int(table.kernel == 'in-place')}",
        f"single {int(table.precision == 'single')}",
    ]
    for number, side in enumerate(settings.sides.all):
        if side.kind != "periodic":
            velocity = " ".join(map(repr, side.velocity))
            lines.append(f"side {number} {side.kind} {velocity} {side.density!r}")
    if geometry.solid is not None:
        digits = geometry.solid.ravel(order="F").astype(np.uint8) + ord("0")
        lines.append("solid " + digits.tobytes().decode("ascii"))
    return lines
