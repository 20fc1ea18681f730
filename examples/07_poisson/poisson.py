"""The potential of two charges: a Poisson solver, which transposes fields to whole lines and back.

mpiexec -n 2 python poisson.py
prints: potential at (16, 12): 0.274196147
"""

import lapwing
from lapwing.core.solvers.helmholtz import Helmholtz

ranks = lapwing.Domain((47, 31)).ranks
# whole rows, as there are no levels that could be spread over ranks
domain = lapwing.Domain(lapwing.block_partition(lapwing.Grid((47, 31)), (1, ranks)))
p = domain.field("p")
p.set(lambda i, j: 1.0 * ((i == 15) & (j == 10)) - 1.0 * ((i == 31) & (j == 20)))

# 0 p - d2p/dx2 - d2p/dy2 = charge, and p = 0 one cell beyond the grid; p held the charge
Helmholtz(p, 0.0, (1.0, 1.0), ends=("dirichlet", "dirichlet")).solve()

if (whole := p.gather()) is not None:
    print(f"potential at (16, 12): {whole[16, 12]:.9f}")
domain.close()
