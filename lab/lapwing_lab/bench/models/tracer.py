"""The tracer of the coast model (P2-PDM, five steps along x, y, z, y and x) in gyres."""

from __future__ import annotations

import numpy as np
from lapwing.core.domain import Domain, Field
from lapwing_coast import _kernels

DEPTH = 60.0  # m
TURNING = 100.0  # m2/s, of the gyres


def tracer_in_gyres(
    domain: Domain, layers: int, strategy: str, transport: str, levels_fastest: bool = False
) -> _kernels.TracerAdvection:
    """A tracer of random values in gyres that fill the grid. Collective.

    UserError where the strategy does not fit. `levels_fastest`: in memory.
    """
    nx, ny, _ = domain.partition.grid.size
    settings = _kernels.TracerSettings()
    settings.levels, settings.levels_fastest = layers, levels_fastest
    depth = np.asfortranarray(np.full((nx, ny), DEPTH))
    tracer = _kernels.TracerAdvection(domain, settings, depth, strategy, transport)
    i, j = np.ogrid[: nx + 1, : ny + 1]
    stream = TURNING * np.sin(2 * np.pi * i / nx) * np.sin(2 * np.pi * j / ny)
    values = {
        "flow_x": np.diff(stream, axis=1)[1:, :, None],
        "flow_y": -np.diff(stream, axis=0)[:, 1:, None],
        "tracer": np.random.default_rng(1).random((nx, ny, layers)),
    }
    for name, whole in values.items():
        cells = Field(domain, getattr(tracer, name))
        for box in domain.boxes:
            cells[box] = whole[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
    tracer.tracer.modified()
    tracer.set_flow()
    return tracer
