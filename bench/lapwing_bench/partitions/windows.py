"""What every rank of a cut does in a step, found in a window of the grid around its boxes."""

from __future__ import annotations

import numpy as np
from lapwing.core.partition import Box, Grid, Partition, Subdomain
from lapwing.machine.predict.outlines import Outlines, outline_of_rank
from lapwing_coast.simulation import works

REACH = 8  # cells: no halo of a step is as wide


def laid_out(partition: Partition, strategy: str, ranks_per_node: int) -> Outlines:
    """What every rank does in a step of a closed sea, whose tides would cost nothing. Local.

    Each is laid out in a window of the grid around its boxes, which is much faster.
    """
    on_domain = works["coast"].on_domain
    assert on_domain is not None
    outlines = []
    for rank in range(partition.ranks):
        window = window_of(partition, rank)
        make = on_domain(window.grid)
        outlines.append(outline_of_rank(window, make, strategy, rank, ranks_per_node))
    peers = [np.array(outline.peers, dtype=np.intp) for outline in outlines]
    return Outlines(outlines, np.arange(partition.ranks), peers)


def window_of(partition: Partition, rank: int, reach: int = REACH) -> Partition:
    """The part of a partition that the messages of a rank may reach. Local.

    Boxes lie between one set of cuts there if they do in the whole: halos then travel along one
    axis after the other.
    """
    every, size = partition.subdomains, partition.grid.size
    mine = [every[n].box for n in partition.subdomains_of(rank)] or [every[0].box]
    lo = [max(min(box.lo[axis] for box in mine) - reach, 0) for axis in range(2)]
    hi = [min(max(box.hi[axis] for box in mine) + reach, size[axis]) for axis in range(2)]
    window = Box((*lo, 0), (*hi, 1))
    parts = []
    for n in partition.overlapping(window):
        part = every[n].box.intersect(window)
        low, high = ([int(end[axis]) - lo[axis] for axis in range(2)] for end in (part.lo, part.hi))
        parts.append(Subdomain(every[n].rank, Box((*low, 0), (*high, 1))))
    grid = Grid([last - first for first, last in zip(lo, hi, strict=True)])
    found = Partition(grid, partition.ranks, parts)
    return found if found.aligned == partition.aligned else window_of(partition, rank, 4 * reach)
