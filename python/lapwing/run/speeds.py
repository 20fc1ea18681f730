"""The relative speeds of the ranks: weights for a partition on uneven machines."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

_SWEEPS = 15  # of which the median counts
_CELLS = 512  # along each side: 2 MB, as a subdomain of a model


def measured_speeds(comm: Comm) -> list[float]:
    """Measure the speed of every rank at a five-point sweep, relative to their mean.

    Collective; all ranks work at once, as they do in a model. Two measurements differ by some
    per cent, so keep the list if runs are to be cut alike. Takes some milliseconds.
    """
    field = np.ones((_CELLS, _CELLS))
    result = np.empty((_CELLS - 2, _CELLS - 2))
    samples = []
    comm.Barrier()
    for _ in range(_SWEEPS):
        start = perf_counter()
        np.add(field[1:-1, :-2], field[1:-1, 2:], out=result)
        result += field[:-2, 1:-1]
        result += field[2:, 1:-1]
        result *= 0.25
        samples.append(perf_counter() - start)
    speeds = [1.0 / seconds for seconds in comm.allgather(float(np.median(samples)))]
    mean = sum(speeds) / len(speeds)
    return [speed / mean for speed in speeds]
