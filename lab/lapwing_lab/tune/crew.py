"""The ranks of a job that run a model while their threads have the cores of the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mpi4py.MPI import COMM_TYPE_SHARED

if TYPE_CHECKING:
    from mpi4py.MPI import Comm


def thread_counts(comm: Comm) -> list[int]:
    """The numbers of threads, from 2, that divide the ranks of each node. Collective."""
    node = comm.Split_type(COMM_TYPE_SHARED)
    ranks = math.gcd(*comm.allgather(node.size))
    node.Free()
    return [threads for threads in range(2, ranks + 1) if ranks % threads == 0]


def crew_of(comm: Comm, share: int) -> Comm | None:
    """Every `share`-th rank of each node, None on the others. Collective; all ranks for 1."""
    if share == 1:
        return comm
    node = comm.Split_type(COMM_TYPE_SHARED)
    member = node.rank % share == 0
    node.Free()
    crew = comm.Split(0 if member else 1, comm.rank)
    if member:
        return crew
    crew.Free()
    return None
