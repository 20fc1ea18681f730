"""The methods in Python: `mpi4py`, as a user writes it by hand with NumPy, and `ghex-python`.

By hand all views and buffers are made beforehand; one message per neighbour rank carries all
fields; what a rank gets from itself is copied directly, and never through a message. GHEX exchanges
through its Python interface. Arrays are in the memory order of a work.
"""

from __future__ import annotations

from importlib import import_module
from itertools import product
from math import prod
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.measure.method import MethodMissingError, missing_together

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


Copy = tuple[Array, Array]  # to, from


class NumpyExchange:
    """Halo exchange of NumPy arrays."""

    def __init__(self, comm: MPI.Comm, work: ExchangeWork) -> None:
        """Make arrays, buffers and all views. Local."""
        self.comm, self.work = comm, work
        self.arrays = [new_array(work) for _ in range(work.fields)]
        cut = [blocks > 1 for blocks in work.blocks]
        self.before = [copy for axis in (0, 1) if not cut[axis] for copy in self._wraps(axis)]
        self.after: list[Copy] = []
        self.sends = self._messages(1, self.before)
        self.receives = self._messages(-1, self.after)

    def exchange(self) -> None:
        """Fill the halos of all fields."""
        comm = self.comm
        requests = [comm.Irecv(buffer, peer) for peer, buffer in self.receives]
        for to, value in self.before:
            np.copyto(to, value)
        requests += [comm.Isend(buffer, peer) for peer, buffer in self.sends]
        MPI.Request.Waitall(requests)
        for to, value in self.after:
            np.copyto(to, value)

    def _range(self, axis: int, direction: int, halo: bool) -> slice:
        """Cells sent in a direction along an axis, or the halo where they arrive."""
        n, w = (self.work.nx, self.work.ny)[axis], self.work.width
        if direction == 0:
            # an axis that is not cut was wrapped before: its halos travel along
            return slice(w, n + w) if self.work.blocks[axis] > 1 else slice(0, n + 2 * w)
        if halo:
            return slice(n + w, n + 2 * w) if direction < 0 else slice(0, w)
        return slice(w, 2 * w) if direction < 0 else slice(n, n + w)

    def _wraps(self, axis: int) -> list[Copy]:
        """Both halos of an axis from the other end, for all fields."""
        copies = []
        # along y with the halos in x, where these were wrapped before; along x without halos
        whole = axis == 1 and self.work.blocks[0] == 1
        w = self.work.width
        across = slice(None) if whole else slice(w, -w)
        for array in self.arrays:
            for direction in (-1, 1):
                ends = (self._range(axis, direction, halo) for halo in (True, False))
                to, value = ((end, across) if axis == 0 else (across, end) for end in ends)
                copies.append((array[to], array[value]))
        return copies

    def _messages(self, sign: int, copies: list[Copy]) -> list[tuple[int, Array]]:
        """Peers and buffers; adds the copies between arrays and buffers. Sign -1: receives."""
        reach = [(-1, 0, 1) if blocks > 1 else (0,) for blocks in self.work.blocks]
        strips: dict[int, list[Array]] = {}
        for array, dy, dx in product(self.arrays, reach[1], reach[0]):
            if dx or dy:
                cells = array[self._range(0, dx, sign < 0), self._range(1, dy, sign < 0)]
                strips.setdefault(self._neighbour(sign * dx, sign * dy), []).append(cells)
        messages = []
        for peer, cells_of_peer in sorted(strips.items()):
            buffer = np.empty(sum(cells.size for cells in cells_of_peer))
            ends = np.cumsum([cells.size for cells in cells_of_peer])
            for values, cells in zip(np.split(buffer, ends[:-1]), cells_of_peer, strict=True):
                part = in_memory_order(values, cells.shape, self.work)
                copies.append((part, cells) if sign > 0 else (cells, part))
            messages.append((peer, buffer))
        return messages

    def _neighbour(self, dx: int, dy: int) -> int:
        blocks_x, blocks_y = self.work.blocks
        y, x = divmod(self.comm.rank, blocks_x)
        return (y + dy) % blocks_y * blocks_x + (x + dx) % blocks_x


class GhexPython:
    """Halo exchange of NumPy arrays by GHEX."""

    def __init__(self, comm: MPI.Comm, work: ExchangeWork) -> None:
        """Make arrays, pattern and communication object. Collective.

        MethodMissingError on all ranks where the package is missing on one.
        """
        ghex, sets, regular = missing_together(comm, _ghex_modules)
        self.arrays = [new_array(work) for _ in range(work.fields)]
        (blocks_x, blocks_y), width = work.blocks, work.width
        y, x = divmod(comm.rank, blocks_x)
        layers = sets.UnitRange(0, max(1, work.levels))
        all_rows = sets.UnitRange(0, blocks_x * work.nx)
        whole = all_rows * sets.UnitRange(0, blocks_y * work.ny) * layers
        rows = sets.UnitRange(x * work.nx, (x + 1) * work.nx)
        mine = rows * sets.UnitRange(y * work.ny, (y + 1) * work.ny) * layers
        self.context = ghex.make_context(comm, thread_safe=False)
        domain = regular.DomainDescriptor(comm.rank, mine)
        halos = regular.HaloGenerator(whole, (width, width, 0), (True, True, False))
        self.pattern = regular.make_pattern(self.context, halos, [domain])
        self.communication = regular.make_communication_object(self.context)
        # one pattern per field: all travel in one message per neighbour
        self.bound: list[Any] = [
            self.pattern(
                regular.make_field_descriptor(domain, array, (width, width, 0), array.shape)
            )
            for array in self.arrays
        ]

    def exchange(self) -> None:
        """Fill the halos of all fields."""
        self.communication.exchange(self.bound).wait()


def _ghex_modules() -> list[Any]:
    parts = ("context", "structured.cartesian_sets", "structured.regular")
    try:
        return [import_module(f"ghex.{part}") for part in parts]
    except ImportError as problem:
        raise MethodMissingError(f"not installed ({problem})") from problem
