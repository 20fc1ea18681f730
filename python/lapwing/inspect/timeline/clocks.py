"""Clocks of several nodes, brought to one time."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

_BOOT = Path("/proc/sys/kernel/random/boot_id")  # one per running kernel, as its clock is
_ROUND_TRIPS = 200


def clock_offset(comm: Comm) -> float:
    """Seconds to add to this rank's time.monotonic() to get rank 0's.

    Collective. Ranks under one kernel have one clock, so it is 0 on a single computer, exactly;
    to others some hundred messages go and return, and the quickest tells.
    """
    kernels = comm.allgather(_kernel())
    offsets = {kernels[0]: 0.0}
    for rank, kernel in enumerate(kernels):
        if kernel in offsets:
            continue
        offset = 0.0
        if comm.rank == 0:
            offset = best_offset([_round_trip(comm, rank) for _ in range(_ROUND_TRIPS)])
        elif comm.rank == rank:
            for _ in range(_ROUND_TRIPS):
                comm.recv(source=0)
                comm.send(time.monotonic(), dest=0)
        offsets[kernel] = comm.bcast(offset)
    return offsets[kernels[comm.rank]]


def best_offset(round_trips: Sequence[tuple[float, float, float]]) -> float:
    """Seconds to add to the other's clock, from moments of sending, there and back. Local.

    The quickest round trip bounds the error by half its time.
    """
    sent, there, back = min(round_trips, key=lambda trip: trip[2] - trip[0])
    return 0.5 * (sent + back) - there


def _round_trip(comm: Comm, rank: int) -> tuple[float, float, float]:
    sent = time.monotonic()
    comm.send(None, dest=rank)
    there = comm.recv(source=rank)
    return sent, there, time.monotonic()


def _kernel() -> str:
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()
