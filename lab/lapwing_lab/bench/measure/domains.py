"""Work on a domain of its own, or on the first ranks only."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

from lapwing.base.agreement import together
from lapwing.core.domain import Domain
from lapwing.core.partition import Partition
from mpi4py import MPI

Result = TypeVar("Result")

_PAUSE = 1e-3  # s between looks of a rank that takes no part


def on_domain(
    partition: Partition | tuple[int, ...],
    work: Callable[[Domain], Result],
    comm: MPI.Comm | None = None,
) -> Result:
    """Return what `work` gives on a domain, which is closed when all that worked on it is gone.

    Collective. `partition`, `comm`: as the Domain takes them.
    """
    domain = Domain(partition, comm)
    found = work(domain)
    gc.collect()
    domain.close()
    return found


def on_first_ranks(
    world: MPI.Comm, count: int, work: Callable[[MPI.Comm], Result]
) -> Result | None:
    """Return what `work` gives on the first ranks; None on the others, which sleep.

    Collective over `world`; who sleeps leaves processors and memory alone. All raise what one of
    them raises; `work` is collective over what it is given, and its ranks must raise together.
    """
    member = world.rank < count
    group = world.Split(0 if member else MPI.UNDEFINED, world.rank)

    def part() -> Result | None:
        try:
            return work(group) if member else None
        finally:
            _wait(world.Ibarrier(), asleep=not member)

    try:
        return together(world, part)
    finally:
        if member:
            group.Free()


def _wait(request: MPI.Request, *, asleep: bool) -> None:
    """Without turning round and round, as MPI_Wait does, on ranks that are asleep."""
    while not request.Test():
        if asleep:
            time.sleep(_PAUSE)
