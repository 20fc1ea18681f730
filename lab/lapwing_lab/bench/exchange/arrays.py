"""Arrays of NumPy in the memory order of a work, from which methods in Python exchange."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from lapwing_lab._core import ExchangeWork

Array = NDArray[np.float64]
LINE = 8  # values of a cache line


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
