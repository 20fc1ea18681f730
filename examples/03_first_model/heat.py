"""The heat of heat.cpp in Python: two stages, and no communication code.

mpiexec -n 2 python heat.py
prints: heat 18556.592295258
"""

import lapwing
import numpy as np

domain = lapwing.Domain((240, 160), periodic=True)
a, b = domain.field("a"), domain.field("b")


def spread(box, heat, new):
    around = heat.at(x=-1) + heat.at(x=+1) + heat.at(y=-1) + heat.at(y=+1)
    new[...] = heat.at() + 0.2 * (around - 4.0 * heat.at())


there = lapwing.Stage(spread, [(a, lapwing.cross(1))], [b], name="there")
back = lapwing.Stage(spread, [(b, lapwing.cross(1))], [a], name="back")
step = lapwing.Step(domain, [there, back], strategy="dataflow")
a.set(lambda i, j: np.exp(-0.01 * np.hypot(i - 120, j - 80)))
step.run(200)

if (whole := a.gather()) is not None:
    print(f"heat {whole.sum():.9f}")
