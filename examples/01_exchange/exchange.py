"""A random walk in your own arrays and loops: lapwing only fills the halos.

mpiexec -n 2 python exchange.py
prints: home after 10 steps: 0.060562133789
"""

import lapwing
import numpy as np

domain = lapwing.Domain((32, 24), periodic=True)  # or with the communicator of your model
box = domain.box  # the cells of this rank, in indices of the whole grid
nx, ny = box.shape[:2]

here = np.zeros((nx + 2, ny + 2), order="F")  # with one cell of halo on each side
field = domain.wrap("here", here, halo=1)
halos = lapwing.Exchange([field])  # made once: one message per neighbour

if box.contains(lapwing.Box((5, 7), (6, 8))):
    here[5 - box.lo[0] + 1, 7 - box.lo[1] + 1] = 1.0  # the walker is surely at home
for _ in range(10):
    halos.run()
    around = here[2:, 1:-1] + here[:-2, 1:-1] + here[1:-1, 2:] + here[1:-1, :-2]
    here[1:-1, 1:-1] = 0.25 * around

if (whole := field.gather()) is not None:
    print(f"home after 10 steps: {whole[5, 7]:.12f}")
