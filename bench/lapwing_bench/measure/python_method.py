"""A method that is written in Python, timed as those in C++ are."""

from __future__ import annotations

from abc import abstractmethod
from math import prod

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from lapwing_bench._core import ExchangeWork, WorkArrays
from lapwing_bench.measure.method import Method, slowest

Array = NDArray[np.float64]
LINE = 8  # values of a cache line


class PythonMethod(Method):
    """Arrays, and what fills their halos."""

    def __init__(self, comm: MPI.Comm, work: ExchangeWork, arrays: list[Array]) -> None:
        """Take the arrays [x, y, z] with halo, one per field. Local."""
        self.comm = comm
        self.work = work
        self.views = arrays
        self.arrays = WorkArrays(work, arrays)

    @abstractmethod
    def exchange(self) -> None:
        """Fill the halos of all fields."""

    def sample(self, rounds: int) -> tuple[float, float]:
        """Seconds per round of rewriting and exchanging, and of rewriting alone. Collective."""
        touch, exchange = self.arrays.touch, self.exchange

        def both() -> None:
            for _ in range(rounds):
                touch()
                exchange()

        def rewriting() -> None:
            for _ in range(rounds):
                touch()

        return slowest(self.comm, both) / rounds, slowest(self.comm, rewriting) / rounds

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""
        self.arrays.fill(self.comm.rank)
        self.comm.Barrier()
        self.exchange()
        return int(self.comm.allreduce(self.arrays.wrong_cells(self.comm.rank)))


def new_array(work: ExchangeWork) -> Array:
    """Zeros [x, y, z] with halo in the memory order of the work, from a cache line on. Local."""
    shape = work.nx + 2 * work.width, work.ny + 2 * work.width, max(1, work.levels)
    memory = np.zeros(prod(shape) + LINE)
    begin = -(memory.ctypes.data // memory.itemsize) % LINE
    return in_memory_order(memory[begin : begin + prod(shape)], shape, work)


def in_memory_order(values: Array, shape: tuple[int, ...], work: ExchangeWork) -> Array:
    """Contiguous values as [x, y, z] of a shape, levels or x fastest as in the work. Local."""
    nx, ny, nz = shape
    if work.levels_fastest:
        return values.reshape(ny, nx, nz).transpose(1, 0, 2)
    return values.reshape(nz, ny, nx).T
