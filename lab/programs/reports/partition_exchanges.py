"""Exchanges of a sea on real ranks, cut in every way, against what the search says that they cost.

lapwing netlab run --nodes 2 -- mpiexec -n 2 python lab/programs/reports/partition_exchanges.py
    [--regions guinea,shelf] [--levels 20] [--rounds 9]

A field of levels and one without are exchanged together and without land; the cuts of a sea
alternate. The cost is the number of wet halo points that the rank with most receives.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from lapwing import Domain, Exchange
from lapwing.core import mpi_runtime
from lapwing.core.partition import CostModel, Grid, Mask, Partition, block_partition, partition_cost
from lapwing.partition.methods import Sea, find
from lapwing.partition.regions import cut_mask, find_region

WIDTH = 2  # cells of a halo
SEARCHED = ("block", "assigned", "ksection")


def cuts_of(sea: Sea, ranks: int) -> Iterator[tuple[str, Partition]]:
    """Plain blocks of every shape, and what each search finds. Local; seconds."""
    for x in range(1, ranks + 1):
        if ranks % x == 0:
            yield f"{x}x{ranks // x}", block_partition(sea.grid, (x, ranks // x, 1))
    for method in SEARCHED:
        for row, partition in find(sea, ranks, method):
            if partition is not None:
                yield f"searched {row.method}", partition


def exchange_on(partition: Partition, sea: Sea, levels: int, comm: Any) -> Exchange:
    """The exchange of a field of levels and one without. Collective."""
    domain = Domain(partition, comm)
    fields = [domain.field(f"f{n}", halo=WIDTH, levels=n) for n in (levels, 0)]
    return Exchange(fields, transport="p2p", wet=sea.mask, wet_form="clip")


def seconds_of(
    exchanges: dict[str, Exchange], comm: Any, rounds: int, each: int
) -> dict[str, float]:
    """Seconds of an exchange on the slowest rank, the median of alternating rounds. Collective."""
    found: dict[str, list[float]] = {name: [] for name in exchanges}
    for _ in range(rounds):
        for name, exchange in exchanges.items():
            exchange.run()
            comm.Barrier()
            began = perf_counter()
            for _ in range(each):
                exchange.run()
            found[name].append(max(comm.allgather(perf_counter() - began)) / each)
    return {name: median(seconds) for name, seconds in found.items()}


def main() -> None:
    """Measure and print a table for each sea. Collective."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--regions", default="guinea,northsea,shelf")
    parser.add_argument("--levels", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--exchanges", type=int, default=10)
    words = parser.parse_args()
    comm = mpi_runtime.start().COMM_WORLD
    for region in words.regions.split(","):
        wet = cut_mask(find_region(region, None, None)).wet
        sea = Sea(wet, Grid(wet.shape), Mask(wet), CostModel())
        cuts = dict(cuts_of(sea, comm.size))
        exchanges = {name: exchange_on(cut, sea, words.levels, comm) for name, cut in cuts.items()}
        seconds = seconds_of(exchanges, comm, words.rounds, words.exchanges)
        if comm.rank == 0:
            print_table(region, {name: points_of(cut, sea) for name, cut in cuts.items()}, seconds)


def points_of(cut: Partition, sea: Sea) -> int:
    """The wet halo points that the rank with most receives. Local."""
    ranks = partition_cost(cut, sea.mask, sea.model).ranks
    return max(one.halo_on + one.halo_off for one in ranks)


def print_table(region: str, points: dict[str, int], seconds: dict[str, float]) -> None:
    """Print the cuts of a sea, and how their times go with their points. Local."""
    r = np.corrcoef([list(points.values()), [seconds[name] for name in points]])[0, 1]
    slowest, fastest = max(seconds.values()), min(seconds.values())
    print(f"\n{region}: r = {r:.3f}, slowest over fastest {slowest / fastest:.2f}")
    for name in sorted(points, key=seconds.__getitem__):
        print(f"{name} | {points[name]} points | {1e6 * seconds[name]:.0f} us", flush=True)


if __name__ == "__main__":
    main()
