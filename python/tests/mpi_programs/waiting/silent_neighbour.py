"""Rank 0 waits for a neighbour that never starts its exchange. Run by test_domain.py."""

import time

from lapwing import Domain, Exchange
from lapwing.core.mpi_runtime import start

world = start().COMM_WORLD
domain = Domain((9, 8), periodic=True)
exchange = Exchange([domain.field("depth")])
if world.rank == 0:
    exchange.run()
time.sleep(20)
