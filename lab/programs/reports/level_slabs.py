"""Transposes of a solver by level slabs, as HIRLAM had them first, against its swaps.

lapwing netlab run --nodes 2 -- mpiexec -n 2 python lab/programs/reports/level_slabs.py
    [--grid 202x190x40] [--methods p2p] [--rounds 9]

Slabs: from blocks to whole levels, shared among all ranks, and back; lines along x and y are there
at once. Swaps: to whole lines along x, then along y, within rows and columns of ranks, and back.
Both carry one field there and back; the methods alternate.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from lapwing import (
    Distribution,
    Domain,
    Grid,
    Transpose,
    fft_partition,
    level_slab_partition,
    tri_partition,
    twod_partition,
)
from lapwing.core import mpi_runtime
from lapwing.core.partition import Partition, block_partition


def blocks_of(ranks: int) -> tuple[int, int]:
    """The blocks along x and y that are nearest to a square. Local."""
    across = max(n for n in range(1, int(ranks**0.5) + 1) if ranks % n == 0)
    return across, ranks // across


def round_trip(domain: Domain, partitions: Sequence[Partition], method: str) -> list[Transpose]:
    """The transposes through distributions and back, one after the other. Collective."""
    fields = [Distribution(domain, one).field(f"f{n}") for n, one in enumerate(partitions)]
    first = fields[0]
    for box in Distribution(domain, partitions[0]).boxes:
        first[box][...] = np.arange(box.volume, dtype=float).reshape(first[box].shape)
    way = [*fields, *fields[-2::-1]]
    return [Transpose(a, b, method=method) for a, b in pairwise(way)]


def main() -> None:
    """Measure and print a line for each way and method. Collective."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", default="202x190x40")
    parser.add_argument("--methods", default="p2p,alltoallv,alltoallw")
    parser.add_argument("--rounds", type=int, default=9)
    words = parser.parse_args()
    comm: Any = mpi_runtime.start().COMM_WORLD
    grid = Grid(tuple(int(n) for n in words.grid.split("x")))
    blocks = blocks_of(comm.size)
    domain = Domain(block_partition(Grid(grid.size[:2]), (*blocks, 1)), comm)
    twod = twod_partition(grid, blocks)
    ways = {
        "slabs": [twod, level_slab_partition(twod)],
        "swaps": [twod, fft_partition(twod), tri_partition(twod)],
    }
    trips = {
        (way, method): round_trip(domain, partitions, method)
        for method in words.methods.split(",")
        for way, partitions in ways.items()
    }
    seconds: dict[tuple[str, str], list[float]] = {name: [] for name in trips}
    for _ in range(words.rounds):
        for name, transposes in trips.items():
            comm.Barrier()
            began = perf_counter()
            for one in transposes:
                one.run()
            seconds[name].append(max(comm.allgather(perf_counter() - began)))
    for (way, method), taken in seconds.items():
        if comm.rank == 0:
            print(f"{way} by {method}: {1e3 * median(taken):.2f} ms", flush=True)


if __name__ == "__main__":
    main()
