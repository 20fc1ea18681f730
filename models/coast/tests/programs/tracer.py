"""A tracer in gyres on as many ranks as there are; rank 0 writes it: STRATEGY FILE."""

import sys
from pathlib import Path

import numpy as np
from lapwing.domain import Domain, Field
from lapwing_coast import _kernels

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from test_tracer import SIZE, gyres

domain = Domain(SIZE[:2])
settings = _kernels.TracerSettings()
settings.levels = SIZE[2]
depth = np.asfortranarray(np.full(SIZE[:2], 60.0))
advection = _kernels.TracerAdvection(domain, settings, depth, sys.argv[1], "auto")
box = domain.box
mine = tuple(slice(box.lo[axis], box.hi[axis]) for axis in (0, 1))
x, y = gyres(SIZE)
start = np.random.default_rng(1).random(SIZE)
for name, values in (("flow_x", x), ("flow_y", y), ("tracer", start)):
    Field(domain, getattr(advection, name))[box] = values[mine]
advection.set_flow()
advection.advance(20)
parts = domain.mpi.gather((mine, np.array(Field(domain, advection.tracer)[box])))
if parts is not None:
    whole = np.empty(SIZE)
    for where, values in parts:
        whole[where] = values
    np.save(sys.argv[2], whole)
domain.close()
