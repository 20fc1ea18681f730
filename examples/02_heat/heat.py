# mpiexec -n 2 python heat.py
import lapwing
import numpy as np

domain = lapwing.Domain((240, 160), periodic=True)
heat, new = domain.field("heat"), domain.field("new")


@lapwing.stage(reads=[(heat, lapwing.cross(1))], writes=[new])
def spread(box, heat, new):
    around = heat.at(x=-1) + heat.at(x=+1) + heat.at(y=-1) + heat.at(y=+1)
    new[...] = heat.at() + 0.2 * (around - 4 * heat.at())


@lapwing.stage(reads=[new], writes=[heat])
def keep(box, new, heat):
    heat[...] = new


step = lapwing.Step(domain, [spread, keep])
heat.set(lambda i, j: np.exp(-((i - 120) ** 2 + (j - 80) ** 2) / 400))
step.run(500)
if (field := heat.gather()) is not None:
    print(f"heat {field.sum():.6f}, peak {field.max():.6f}, on {domain.ranks} ranks")
