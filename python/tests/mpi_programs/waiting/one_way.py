"""Rank 0 sends to rank 1 and gets nothing back; rank 1 comes late. Run by test_one_way.py.

Prints how far ahead rank 0 was, and by how much the memory of rank 1 has grown meanwhile.
"""

import re
import sys
import time
from pathlib import Path

from lapwing import Domain, Exchange, Grid, behind, block_partition
from lapwing.core.mpi_runtime import start


def memory() -> int:
    """The memory of this process, MB."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) // 1024


LATE = 2.0  # s
ROUNDS = 4_000  # of 4 KiB: 16 MB, and more with what MPI adds

world = start().COMM_WORLD
domain = Domain(block_partition(Grid((8, 512)), (2, 1)), world)
field = domain.field("depth", halo=behind("x"))
exchange = Exchange([field], transport=sys.argv[1])
world.Barrier()
began, before, ahead = time.monotonic(), memory(), 0
if world.rank == 1:
    while time.monotonic() - began < LATE:
        world.Iprobe()  # MPI takes up what comes
    print("GREW", memory() - before, flush=True)
for _ in range(ROUNDS):
    exchange.run()
    ahead += time.monotonic() - began < 0.8 * LATE
if world.rank == 0:
    print("AHEAD", ahead, flush=True)
domain.close()
