"""A tracer crosses the Arctic on a tripolar grid of one degree, over the fold, and keeps its mass.

mpiexec -n 2 python tripolar.py
prints: mass kept: True, beyond the fold: 0.680981624
"""

import sys

import lapwing
import numpy as np

NX, NY, CAP = 360, 170, 26  # columns; rows, the last of them in a cap with two poles on land
JOIN, POLE = 64.0, -107.0  # degrees north where the cap begins; degrees east of its first pole


def corners():
    """Points of the sphere [NX + 1, NY + 1, 3]: corners of cells, the first at the lower left."""
    east = np.radians(np.linspace(0, 360, NX + 1))
    below = np.linspace(JOIN - NY + CAP, JOIN, NY - CAP + 1)
    far = [np.tan(np.radians(90 - below) / 2) * np.exp(1j * e) for e in east]  # stereographic
    rim = np.tan(np.radians(90 - JOIN) / 2)
    # in the cap: arcs through the poles at +-rim, and the circles that cross them
    along = np.log((np.abs(np.cos(east / 2)) + 1e-9) / (np.abs(np.sin(east / 2)) + 1e-9))
    inward = np.tan(np.radians(np.linspace(90 - JOIN, 0, CAP + 1)[1:]) / 2) / rim
    turn = 2 * np.arctan2(1, inward)
    side = np.where(east < np.pi, -1, 1)
    w = np.exp(along[:, None] + 1j * side[:, None] * turn)
    plane = np.concatenate([far, rim * (w + 1) / (w - 1)], axis=1)
    r, angle = np.abs(plane), np.angle(plane) + np.radians(POLE)
    south = 2 * np.arctan(r)
    return np.stack([np.sin(south) * f(angle) for f in (np.cos, np.sin)] + [np.cos(south)], -1)


def sea(points):
    """Where cells are wet: continents are ellipses of longitude and latitude, degrees."""
    middle = points[:-1, :-1] + points[1:, 1:] + points[1:, :-1] + points[:-1, 1:]
    x, y, z = np.moveaxis(middle / np.linalg.norm(middle, axis=-1, keepdims=True), -1, 0)
    east, north = np.degrees(np.arctan2(y, x)), np.degrees(np.arcsin(z))
    wet = north > -72
    for e, n, width, height in [
        *((-100, 48, 30, 23), (-95, 70, 24, 6), (-42, 72, 14, 10), (-60, -15, 17, 36)),
        *((20, 5, 24, 32), (30, 55, 35, 14), (90, 48, 60, 27), (134, -25, 19, 12)),
    ]:
        wet &= (((east - e + 180) % 360 - 180) / width) ** 2 + ((north - n) / height) ** 2 > 1
    return wet, east, north


points = corners()
wet, east, north = sea(points)
area = 0.5 * np.linalg.norm(
    np.cross(points[1:, 1:] - points[:-1, :-1], points[1:, :-1] - points[:-1, 1:]), axis=-1
)
domain = lapwing.Domain((NX, NY), periodic=(True, False), north_fold="F")
tracer, land = domain.field("tracer"), domain.field("land")
flux_x = domain.field("flux_x", location="xface", vector=True)
flux_y = domain.field("flux_y", location="yface", vector=True)
psi, smooth = (domain.field(name, location="corner") for name in ("psi", "smooth"))


def taper(box, old, land, new):
    coast = land.at() + land.at(x=1) + land.at(y=1) + land.at(x=1, y=1)
    mean = sum(old.at(**n) for n in ({"x": -1}, {"x": 1}, {"y": -1}, {"y": 1}))
    new[...] = np.where(coast > 0, 0.0, 0.5 * old.at() + 0.125 * mean)


def flow(box, psi, tracer, flux_x, flux_y):
    u, v = psi.at(y=-1) - psi.at(), psi.at() - psi.at(x=-1)  # nothing gathers anywhere
    flux_x[...] = u * np.where(u > 0, tracer.at(), tracer.at(x=1))
    flux_y[...] = v * np.where(v > 0, tracer.at(), tracer.at(y=1))


def advance(box, tracer, flux_x, flux_y):
    gain = flux_x.at(x=-1) - flux_x.at() + flux_y.at(y=-1) - flux_y.at()
    tracer[...] = tracer.at() + gain / area[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]


around, behind = lapwing.around(1), lapwing.behind
smoothing = [
    lapwing.Stage(taper, [(old, around), (land, around)], [new], name=new.name)
    for old, new in ((psi, smooth), (smooth, psi))
]
fluxes = [(flux_x, behind("x")), (flux_y, behind("y"))]
moving = [
    lapwing.Stage(flow, [(psi, around), (tracer, around)], [flux_x, flux_y]),
    lapwing.Stage(advance, [tracer, *fluxes], [tracer]),
]
off_coast, step = lapwing.Step(domain, smoothing), lapwing.Step(domain, moving)
away = np.hypot((east - 5) * np.cos(np.radians(north)), north - 79)
tracer.set(lambda i, j: 1.0 * (away[i, j] < 5))
land.set(lambda i, j: 1.0 - wet[i, j])
psi.set(lambda i, j: 0.0012 * points[i + 1, j + 1, 1])  # the whole sea turns over the pole
off_coast.run(200)
before = tracer.gather()
step.run(300)
after = tracer.gather()
if after is not None:
    mass, beyond = (after * area).sum(), (after * area)[NX // 2 :].sum()
    error = abs(mass / (before * area).sum() - 1)
    print(f"mass kept: {error < 1e-13}, beyond the fold: {beyond / mass:.9f}")
    if len(sys.argv) > 1:
        np.savez(sys.argv[1], points=points, wet=wet, before=before, after=after)
