"""A tide in a rectangular sea: a model of your own, run as lapwing runs those that it brings.

lapwing run tide.py:Tide --ranks 2 --set duration=6h --set output.every=1h --out sea
lapwing run tide.py:Tide --ranks 1 --set duration=9h --restart sea/restart.lapwing --out later
lapwing verify tide.py:Tide --ranks 2 --after 50 --transport p2p

The linear shallow-water equations on a C-grid, forward-backward in time:
    du/dt = f v - g dh/dx,   dv/dt = -f u - g dh/dy,   dh/dt = -D (du/dx + dv/dy)
"""

from dataclasses import dataclass

import lapwing
import numpy as np
from lapwing import Box, ahead, behind
from lapwing.model import Axis, Duration, Geometry

GRAVITY, CORIOLIS = 9.81, 1.2e-4  # m/s2, 1/s


@dataclass(frozen=True)
class Tide:
    """A tide enters a rectangular sea from the west."""

    nx: int = 120  # cells along x
    ny: int = 160  # cells along y
    spacing: float = 5000.0  # of cells, m
    depth: float = 60.0  # m
    height: float = 1.0  # of the tide, m
    period: Duration = 44714.0  # of the tide, s
    dt: Duration = 60.0  # s

    case = {"run": {"duration": "2 d"}, "output": {"variables": ["level", "u", "v"]}}

    @property
    def geometry(self):
        x, y = (self.spacing * (np.arange(n) + 0.5) for n in (self.nx, self.ny))
        return Geometry(
            lapwing.Grid((self.nx, self.ny)),
            np.ones((self.nx, self.ny), bool),
            Axis(x, "m", "distance from the west side", "projection_x_coordinate"),
            Axis(y, "m", "distance from the south side", "projection_y_coordinate"),
        )

    def create(self, domain, **options):
        nx, ny, dt, dx = self.nx, self.ny, self.dt, self.spacing
        h = domain.field("level", units="m", long_name="height of the water")
        u = domain.field("u", units="m s-1", long_name="velocity along x", location="xface")
        v = domain.field("v", units="m s-1", long_name="velocity along y", location="yface")

        # no flow through the face that ends the grid, so there is a wall; before the first all is 0
        @lapwing.stage(
            reads=[(v, ahead("x"), behind("y")), (h, ahead("x"))],
            updates=[u],
            on=Box((0, 0), (nx - 1, ny)),
        )
        def momentum_x(box, v, h, u):
            across = 0.25 * (v.at() + v.at(x=+1) + v.at(y=-1) + v.at(x=+1, y=-1))
            u += dt * (CORIOLIS * across - GRAVITY * (h.at(x=+1) - h.at()) / dx)

        @lapwing.stage(
            reads=[(u, behind("x"), ahead("y")), (h, ahead("y"))],
            updates=[v],
            on=Box((0, 0), (nx, ny - 1)),
        )
        def momentum_y(box, u, h, v):
            across = 0.25 * (u.at() + u.at(x=-1) + u.at(y=+1) + u.at(x=-1, y=+1))
            v -= dt * (CORIOLIS * across + GRAVITY * (h.at(y=+1) - h.at()) / dx)

        @lapwing.stage(reads=[(u, behind("x")), (v, behind("y"))], updates=[h])
        def continuity(box, u, v, h):
            h -= dt * self.depth * (u.at() - u.at(x=-1) + v.at() - v.at(y=-1)) / dx

        @lapwing.stage(writes=[h], on=Box((0, 0), (1, ny)))  # the open side
        def tide(box, h, *, step_number):
            h[...] = self.height * np.sin(2 * np.pi * dt * step_number / self.period)

        return lapwing.Step(domain, [momentum_x, momentum_y, continuity, tide], **options)
