"""Heat that spreads over a sheet, with a kernel in Python that Numba compiles.

lapwing run heat.py:Heat --ranks 2 --set output.every=200
lapwing verify heat.py:Heat --ranks 2 --strategy dataflow,deep:2 --after 5
"""

import lapwing
import numpy as np
from lapwing import row
from numba import njit


@njit(cache=True)
def spread(box, heat, new):
    columns, rows = new.shape
    for j in range(rows):
        # rows of cells along x: Numba knows that they are contiguous, which makes loops fast
        south, here, north, out = row(heat, j), row(heat, j + 1), row(heat, j + 2), row(new, j)
        for i in range(columns):
            around = here[i] + here[i + 2] + south[i + 1] + north[i + 1]
            out[i] = here[i + 1] + 0.2 * (around - 4.0 * here[i + 1])


class Heat:
    """Heat that spreads over a periodic sheet."""

    grid = lapwing.Grid((360, 180), periodic=True)
    case = {"run": {"duration": 400}, "output": {"every": 100, "variables": ["heat"]}}

    def create(self, domain, **options):
        heat = domain.field("heat", units="K", long_name="temperature")
        other = domain.field("other", units="K", long_name="temperature after every other step")
        there = lapwing.Stage(spread, [(heat, lapwing.cross(1))], [other], name="there")
        back = lapwing.Stage(spread, [(other, lapwing.cross(1))], [heat], name="back")
        step = lapwing.Step(domain, [there, back], **options)
        heat.set(lambda i, j: np.exp(-((i - 180) ** 2 + (j - 90) ** 2) / 400))
        return step
