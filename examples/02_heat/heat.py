# mpiexec -n 2 python heat.py
import lapwing
import numpy as np

domain = lapwing.Domain((240, 160), periodic=True)
heat = domain.field("heat")
heat.set(lambda i, j: np.exp(-((i - 120) ** 2 + (j - 80) ** 2) / 400))
box = domain.box
for _ in range(500):
    heat.exchange()
    around = sum(heat[box.shift(x, y)] for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    heat[box] += 0.2 * (around - 4 * heat[box])
if (field := heat.gather()) is not None:
    print(f"heat {field.sum():.6f}, peak {field.max():.6f}, on {domain.ranks} ranks")
