# A tide that enters a rectangular sea from the west: the linear shallow-water equations on a
# C-grid, forward-backward,
#   du/dt = f v - g dh/dx,   dv/dt = -f u - g dh/dy,   dh/dt = -D (du/dx + dv/dy).
# u lives on the east face of a cell, v on its north face.
#
# mpiexec -n 2 python tide.py
# prints: south-east corner -1.889753741572 m
import math
import sys

import lapwing
from lapwing import Box, Stage, ahead, behind

NX, NY = 120, 160
SPACING, DEPTH, GRAVITY, CORIOLIS = 5000.0, 60.0, 9.81, 1.2e-4  # m, m, m/s2, 1/s
DT, PERIOD, HEIGHT = 60.0, 44714.0, 1.0  # s, s, m: the tide M2


def momentum_x(box, v, h, u):
    across = 0.25 * (v.at() + v.at(x=+1) + v.at(y=-1) + v.at(x=+1, y=-1))
    u += DT * (CORIOLIS * across - GRAVITY * (h.at(x=+1) - h.at()) / SPACING)


def momentum_y(box, u, h, v):
    across = 0.25 * (u.at() + u.at(x=-1) + u.at(y=+1) + u.at(x=-1, y=+1))
    v -= DT * (CORIOLIS * across + GRAVITY * (h.at(y=+1) - h.at()) / SPACING)


def continuity(box, u, v, h):
    h -= DT * DEPTH * (u.at() - u.at(x=-1) + v.at() - v.at(y=-1)) / SPACING


def tide(box, h, *, step_number):
    h[...] = HEIGHT * math.sin(2.0 * math.pi * step_number * DT / PERIOD)


with lapwing.Domain((NX, NY)) as domain:
    u = domain.field("u", location="xface")
    v = domain.field("v", location="yface")
    h = domain.field("h")
    # no flow through the east and the north wall; beyond the grid all is 0, so none through the
    # south either
    in_x, in_y, west = Box((0, 0), (NX - 1, NY)), Box((0, 0), (NX, NY - 1)), Box((0, 0), (1, NY))
    u_around, v_around = (v, ahead("x"), behind("y")), (u, behind("x"), ahead("y"))
    stages = [
        Stage(momentum_x, reads=[u_around, (h, ahead("x"))], updates=[u], on=in_x),
        Stage(momentum_y, reads=[v_around, (h, ahead("y"))], updates=[v], on=in_y),
        Stage(continuity, reads=[(u, behind("x")), (v, behind("y"))], updates=[h]),
        Stage(tide, writes=[h], on=west),
    ]
    strategy = sys.argv[1] if len(sys.argv) > 1 else "dataflow"
    step = lapwing.Step(domain, stages, strategy=strategy)
    step.run(math.ceil(2.0 * PERIOD / DT))
    if (levels := h.gather()) is not None:
        print(f"south-east corner {levels[NX - 1, 0]:.12f} m")
