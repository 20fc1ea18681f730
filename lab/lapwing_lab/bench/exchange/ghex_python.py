"""The method `ghex-python`: Generic Halo Exchanges through its Python interface."""

from __future__ import annotations

from typing import Any

from ghex.context import make_context
from ghex.structured.cartesian_sets import UnitRange
from ghex.structured.regular import (
    DomainDescriptor,
    HaloGenerator,
    make_communication_object,
    make_field_descriptor,
    make_pattern,
)
from mpi4py import MPI

from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.exchange.arrays import new_array


class GhexPython:
    """Halo exchange of NumPy arrays by GHEX."""

    def __init__(self, comm: MPI.Comm, work: ExchangeWork) -> None:
        """Make arrays, pattern and communication object. Collective."""
        self.arrays = [new_array(work) for _ in range(work.fields)]
        (blocks_x, blocks_y), width = work.blocks, work.width
        y, x = divmod(comm.rank, blocks_x)
        layers = UnitRange(0, max(1, work.levels))
        whole = UnitRange(0, blocks_x * work.nx) * UnitRange(0, blocks_y * work.ny) * layers
        rows = UnitRange(x * work.nx, (x + 1) * work.nx)
        mine = rows * UnitRange(y * work.ny, (y + 1) * work.ny) * layers
        self.context = make_context(comm, thread_safe=False)
        domain = DomainDescriptor(comm.rank, mine)
        halos = HaloGenerator(whole, (width, width, 0), (True, True, False))
        self.pattern = make_pattern(self.context, halos, [domain])
        self.communication = make_communication_object(self.context)
        # one pattern per field: all travel in one message per neighbour
        self.bound: list[Any] = [
            self.pattern(make_field_descriptor(domain, array, (width, width, 0), array.shape))
            for array in self.arrays
        ]

    def exchange(self) -> None:
        """Fill the halos of all fields."""
        self.communication.exchange(self.bound).wait()
