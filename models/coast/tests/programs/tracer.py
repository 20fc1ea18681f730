"""A tracer advanced by 20 steps on any number of ranks; rank 0 writes it: STRATEGY IN OUT."""

import sys

import numpy as np
from lapwing.core.domain import Domain, Field
from lapwing_coast import _kernels

strategy, state, out = sys.argv[1:]
start = np.load(state)
size = start["tracer"].shape
domain = Domain(size[:2])
settings = _kernels.TracerSettings()
settings.levels = size[2]
depth = np.asfortranarray(np.full(size[:2], 60.0))
advection = _kernels.TracerAdvection(domain, settings, depth, strategy, "auto")
box = domain.box
mine = tuple(slice(box.lo[axis], box.hi[axis]) for axis in (0, 1))
for name in ("flow_x", "flow_y", "tracer"):
    Field(domain, getattr(advection, name))[box] = start[name][mine]
advection.set_flow()
advection.advance(20)
parts = domain.mpi.gather((mine, np.array(Field(domain, advection.tracer)[box])))
if parts is not None:
    whole = np.empty(size)
    for where, values in parts:
        whole[where] = values
    np.save(out, whole)
domain.close()
