"""Ranks on cores of their own while they are measured.

A rank that the system moves finds its caches empty, and a neighbour at another distance.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mpi4py import MPI

# When the kernel was started, alike for all nodes that `netlab` emulates: each of them has names,
# networks and a boot_id of its own.
_STATISTICS = Path("/proc/stat")
_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


@contextmanager
def bound_to_cores(world: MPI.Comm, wanted: bool = True) -> Iterator[bool]:
    """Bind each rank to a core of its own, where the machine has as many; gives whether it did.

    Collective. Ranks that their launcher has bound to different cores stay where they are, and all
    do where it is not `wanted`.
    """
    before = os.sched_getaffinity(0)
    core = _core_of_this_rank(world, sorted(before)) if wanted else None
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        yield core is not None
    finally:
        os.sched_setaffinity(0, before)


def cores_of_ranks(comm: MPI.Comm) -> list[int]:
    """The core of each rank, where each is bound to one of its own, else nothing. Collective."""
    bound = comm.allgather(sorted(os.sched_getaffinity(0)))
    cores = [mine[0] for mine in bound]
    alone = all(len(mine) == 1 for mine in bound) and len(set(cores)) == len(cores)
    return cores if alone else []


def _core_of_this_rank(world: MPI.Comm, mine: list[int]) -> int | None:
    machine = _machine()
    there: list[tuple[str, list[int]]] = world.allgather((machine, mine))
    mates = [rank for rank, (where, _) in enumerate(there) if where == machine]
    offered = [there[rank][1] for rank in mates]
    place = mates.index(world.rank)
    if all(len(cores) == 1 for cores in offered) and len({cores[0] for cores in offered}) == len(
        mates
    ):
        return offered[place][0]
    if any(cores != mine for cores in offered) or len(mine) < len(mates):
        return None
    return spread(mine, [_siblings(core) for core in mine])[place]


def _machine() -> str:
    """The facts that ranks of one machine share. Local."""
    lines = _STATISTICS.read_text().splitlines() if _STATISTICS.exists() else []
    return next((line for line in lines if line.startswith("btime ")), MPI.Get_processor_name())


def spread(cores: Sequence[int], siblings: Sequence[str]) -> list[int]:
    """The cores in the order in which ranks get them: threads that share a core come last. Local.

    `siblings`: what the system says about each, the same text for those that share a core.
    """
    first: list[int] = []
    others: list[int] = []
    seen: set[str] = set()
    for core, text in zip(cores, siblings, strict=True):
        (others if text in seen else first).append(core)
        seen.add(text)
    return first + others


def _siblings(core: int) -> str:
    path = Path(_SIBLINGS.format(core))
    return path.read_text().strip() if path.exists() else str(core)
