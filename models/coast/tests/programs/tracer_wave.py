"""Two tracers in a standing wave on any number of ranks; rank 0 writes them: STRATEGY IN OUT.

IN holds flow and thicknesses by step, and the tracers; OUT gets the tracers in the end and how many
exchanges a step has, by split. With whole steps, water comes into the first row from outside.
"""

import sys

import numpy as np
from lapwing.domain import Domain, Field
from lapwing.partition import Box
from lapwing_coast import _kernels

SETUPS = (
    ("half_steps", "p2_pdm", False),
    ("whole_steps", "superbee", True),
    ("horizontal_together", "muscl", False),
)
FLOW = ("flow_x", "flow_y", "thickness", "thickness_after")

strategy, state, out = sys.argv[1:]
start = np.load(state)
size = start["tracers"].shape[1:]
domain = Domain(size[:2])
box = domain.box
mine = tuple(slice(box.lo[axis], box.hi[axis]) for axis in (0, 1))
depth = np.asfortranarray(np.full(size[:2], 60.0))
tracers_by_split, exchanges = [], []
for split, scheme, levels_fastest in SETUPS:
    settings = _kernels.TracerSettings()
    settings.levels, settings.levels_fastest = size[2], levels_fastest
    settings.scheme, settings.split = _kernels.scheme_from(scheme), _kernels.split_from(split)
    outside = 1.01 if split == "whole_steps" else 1.0  # of what there is in the end
    if outside > 1.0:
        settings.prescribed = [Box((0, 0, 0), (size[0], 1, 1))]
    settings.tracers, settings.moving_surface = len(start["tracers"]), True
    advection = _kernels.TracerAdvection(domain, settings, depth, strategy, "auto")
    tracers = [Field(domain, field) for field in advection.tracers]
    for field, values in zip(tracers, start["tracers"], strict=True):
        field[box] = values[mine]
    for step in range(len(start["flow_x"])):
        for name in FLOW:
            values = start[name][step].copy()
            if name == "thickness_after":
                values[:, 0] *= outside
            Field(domain, getattr(advection, name))[box] = values[mine]
        advection.set_flow()
        advection.advance(1)
    advection.check_limits(step)
    parts = domain.mpi.gather((mine, np.array([np.array(field[box]) for field in tracers])))
    if parts is not None:
        whole = np.empty((len(tracers), *size))
        for where, values in parts:
            whole[:, *where] = values
        tracers_by_split.append(whole)
        exchanges.append(advection.step.volume.exchanges)
if domain.rank == 0:
    np.savez(out, tracers=np.array(tracers_by_split), exchanges=np.array(exchanges))
domain.close()
