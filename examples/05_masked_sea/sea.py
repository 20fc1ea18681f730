"""A tracer spreads in a round sea with an island: boxes hold about as much water each.

mpiexec -n 2 python sea.py
prints: tracer 485.000000000, at the island 0.088442954671
"""

import lapwing
import numpy as np
from lapwing.core.partition import ksection_partition

i, j = np.meshgrid(np.arange(60), np.arange(40), indexing="ij")
wet = ((i - 30) ** 2 + (j - 20) ** 2 < 324) & ((i - 36) ** 2 + (j - 22) ** 2 >= 16)

ranks = lapwing.Domain(wet.shape).ranks
cut = ksection_partition(lapwing.Grid(wet.shape), lapwing.Mask(wet), ranks)
domain = lapwing.Domain(cut.partition)
water, a, b = (domain.field(name) for name in ("water", "a", "b"))


def spread(box, water, old, new):
    # nothing flows from or to land, which is 0 as all is beyond the grid
    flows = sum(water.at(**n) * (old.at(**n) - old.at()) for n in sides)
    new[...] = old.at() + 0.125 * water.at() * flows


sides = {"x": -1}, {"x": +1}, {"y": -1}, {"y": +1}
cross = lapwing.cross(1)
there = lapwing.Stage(spread, [(water, cross), (a, cross)], [b], name="there")
back = lapwing.Stage(spread, [(water, cross), (b, cross)], [a], name="back")
step = lapwing.Step(domain, [there, back], strategy="dataflow")
water.set(lambda i, j: 1.0 * wet[i, j])
a.set(lambda i, j: 1.0 * (wet[i, j] & (i < 30)))
step.run(6)

if (whole := a.gather()) is not None:
    print(f"tracer {whole.sum():.9f}, at the island {whole[32, 20]:.12f}")
