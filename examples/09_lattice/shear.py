"""A sheared flow slows down by viscosity: lattice Boltzmann, a field of nine values per cell.

mpiexec -n 2 python shear.py
prints: speed 0.008241695, 0.9994 of the theory
"""

import lapwing
import numpy as np

NX, NY, SPEED, TAU, STEPS = 16, 64, 0.01, 0.8, 200
E = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)])
WEIGHT = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36])


def equilibrium(density, u, v):
    along = E[:, 0] * u[..., None] + E[:, 1] * v[..., None]
    energy = (u * u + v * v)[..., None]
    return density[..., None] * WEIGHT * (1 + 3 * along + 4.5 * along**2 - 1.5 * energy)


def stream_and_collide(box, old, new):
    # each of the nine values comes from the cell that it left one step ago
    f = np.stack([old.at(x=-int(x), y=-int(y))[..., n] for n, (x, y) in enumerate(E)], axis=-1)
    density = f.sum(axis=-1)
    u, v = (f @ E[:, axis] / density for axis in (0, 1))
    new[...] = f - (f - equilibrium(density, u, v)) / TAU


domain = lapwing.Domain((NX, NY), periodic=True)
a, b = (domain.field(name, components=9) for name in "ab")
there = lapwing.Stage(stream_and_collide, [(a, lapwing.around(1))], [b], name="there")
back = lapwing.Stage(stream_and_collide, [(b, lapwing.around(1))], [a], name="back")
step = lapwing.Step(domain, [[there], [back]], strategy="edge-first")  # one, then the other

wave = 2 * np.pi / NY
for box in domain.boxes:
    i, j = np.meshgrid(*(np.arange(box.lo[n], box.hi[n]) for n in (0, 1)), indexing="ij")
    a[box] = equilibrium(np.ones(i.shape), SPEED * np.sin(wave * j), np.zeros(i.shape))
a.modified()
step.run(STEPS)

if (f := a.gather()) is not None:
    speed = (f @ E[:, 0] / f.sum(axis=-1)).max()
    theory = SPEED * np.exp(-(TAU - 0.5) / 3 * wave**2 * STEPS)
    print(f"speed {speed:.9f}, {speed / theory:.4f} of the theory")
