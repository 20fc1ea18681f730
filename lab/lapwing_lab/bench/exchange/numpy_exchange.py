"""The method `mpi4py`: the exchange as a Python user writes it by hand, with NumPy and mpi4py.

All views and buffers are made beforehand; one message per neighbour rank carries all fields; what a
rank gets from itself is copied directly, and never through a message.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from mpi4py import MPI

from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.exchange.arrays import Array, in_memory_order, new_array

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
