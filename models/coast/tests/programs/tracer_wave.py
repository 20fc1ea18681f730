"""Two tracers in a standing wave on any number of ranks; rank 0 writes them: STRATEGIES IN OUT.

IN holds flow and thicknesses by step, and the tracers; OUT gets, by strategy and split, the tracers
in the end, how many exchanges a step has, and what is said of a flow that is too strong. With whole
steps, water comes into the first row from outside.
"""

from __future__ import annotations

import sys

import numpy as np
from lapwing.base.error import UserError
from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Box
from lapwing.model import StateError
from lapwing_coast import _kernels

SETUPS = (
    ("half_steps", "p2_pdm", False),
    ("whole_steps", "superbee", True),
    ("horizontal_together", "muscl", False),
)
FLOW = ("flow_x", "flow_y", "thickness", "thickness_after")

strategies, state, out = sys.argv[1:]
start = np.load(state)
size = start["tracers"].shape[1:]
domain = Domain(size[:2])
box = domain.box
mine = tuple(slice(box.lo[axis], box.hi[axis]) for axis in (0, 1))


def make(strategy: str, split: str, scheme: str, levels_fastest: bool) -> _kernels.TracerAdvection:
    """Two tracers at rest. Collective."""
    settings = _kernels.TracerSettings()
    settings.levels, settings.levels_fastest = size[2], levels_fastest
    settings.scheme, settings.split = scheme, split
    settings.tracers, settings.moving_surface = len(start["tracers"]), True
    if split == "whole_steps":
        settings.prescribed = [Box((0, 0, 0), (size[0], 1, 1))]
    depth = np.asfortranarray(np.full(size[:2], 60.0))
    return _kernels.TracerAdvection(domain, settings, depth, strategy, "auto")


def swing(advection: _kernels.TracerAdvection, more: float) -> None:
    """Carry the tracers by all steps of the wave; the first row ends with `more`. Collective."""
    for field, values in zip(advection.tracers, start["tracers"], strict=True):
        Field(domain, field)[box] = values[mine]
    for step in range(len(start["flow_x"])):
        for name in FLOW:
            values = start[name][step].copy()
            if name == "thickness_after":
                values[:, 0] *= more
            Field(domain, getattr(advection, name))[box] = values[mine]
        advection.set_flow()
        advection.advance(1)
        advection.check_limits(step)


def whole(advection: _kernels.TracerAdvection) -> np.ndarray | None:
    """All cells of the tracers, on rank 0. Collective."""
    fields = [Field(domain, field) for field in advection.tracers]
    parts = domain.mpi.gather((mine, np.array([np.array(field[box]) for field in fields])))
    if parts is None:
        return None
    cells = np.empty((len(fields), *size))
    for where, values in parts:
        cells[:, *where] = values
    return cells


def complaints(advection: _kernels.TracerAdvection) -> list[str]:
    """The error when a hundred times as much flows. Collective."""
    Field(domain, advection.flow_x)[box] = 100.0 * start["flow_x"][0][mine]
    said = []
    for check in (advection.set_flow, lambda: advection.check_limits(4)):
        try:
            check()
        except (UserError, StateError) as error:
            said.append(str(error))
    return said


tracers, exchanges, said = [], [], []
for strategy in strategies.split(","):
    for setup in SETUPS:
        advection = make(strategy, *setup)
        swing(advection, more=1.01 if "whole_steps" in setup else 1.0)
        tracers.append(whole(advection))
        exchanges.append(advection.step.report.volume.exchanges)
        said.append(complaints(advection))
if domain.rank == 0:
    np.savez(out, tracers=np.array(tracers), exchanges=np.array(exchanges), said=np.array(said))
domain.close()
