"""A heated point on a plate, relaxed until the largest change on all ranks is small.

mpiexec -n 2 python relax.py
prints: heat at (25, 20): 0.196297353913
"""

import lapwing
import numpy as np

domain = lapwing.Domain((50, 40))  # beyond the grid all is 0
a, b, source = (domain.field(name) for name in ("a", "b", "source"))
change = lapwing.Reduction("maximum")


def there(box, a, source, b):
    b[...] = 0.25 * (a.at(x=-1) + a.at(x=+1) + a.at(y=-1) + a.at(y=+1) + source.at())


def back(box, b, source, a):
    a[...] = 0.25 * (b.at(x=-1) + b.at(x=+1) + b.at(y=-1) + b.at(y=+1) + source.at())
    return np.abs(a - b.at()).max()  # keeps NaN, which Python's max may drop


cross = lapwing.cross(1)
stages = [
    lapwing.Stage(there, [(a, cross), source], [b]),
    lapwing.Stage(back, [(b, cross), source], [a], reduction=change),
]
loop = lapwing.repeated(stages, lapwing.while_above(1e-7))
step = lapwing.Step(domain, loop, strategy="dataflow")
source.set(lambda i, j: 1.0 * ((i == 20) & (j == 15)))
step.run(1)

if (whole := a.gather()) is not None:
    print(f"heat at (25, 20): {whole[25, 20]:.12f}")
