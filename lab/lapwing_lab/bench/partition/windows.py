"""What every rank of a cut does in a step, found in a window of the grid around its boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lapwing.core.partition import Box, Extent, Grid, Partition, Subdomain
from lapwing_coast.simulation import works

from lapwing_lab.predict.outlines import Outlines, outline_of_rank

REACH = 8  # cells: no halo of a step is as wide


def laid_out(partition: Partition, strategy: str, ranks_per_node: int) -> Outlines:
    """What every rank does in a step of a closed sea, whose tides would cost nothing. Local.

    Each is laid out in a window of the grid around its boxes, which is much faster.
    """
    on_domain = works["coast"].on_domain
    assert on_domain is not None
    outlines = []
    every = partition.subdomains  # a copy
    for rank in range(partition.ranks):
        window = window_of(partition, every, rank)
        make = on_domain(Grid(window.grid.size[:2]))
        outlines.append(outline_of_rank(window, make, strategy, rank, ranks_per_node))
    peers = [np.array(outline.peers, dtype=np.intp) for outline in outlines]
    return Outlines(outlines, np.arange(partition.ranks), peers)


def window_of(
    partition: Partition, every: Sequence[Subdomain], rank: int, reach: int = REACH
) -> Partition:
    """The boxes of a partition that the messages of a rank may reach, `every` one given. Local.

    Boxes lie between one set of cuts there if they do in the whole: halos then travel along one
    axis after the other.
    """
    mine = [every[n].box for n in partition.subdomains_of(rank)] or [every[0].box]
    whole = partition.grid.box
    around = [box.grow(Extent.horizontal(reach)).intersect(whole) for box in mine]
    lo, hi = np.min([box.lo for box in around], axis=0), np.max([box.hi for box in around], axis=0)
    near = sorted({n for box in around for n in partition.overlapping(box)})
    parts = []
    for n in near:
        low, high = (np.clip(end, lo, hi) - lo for end in (every[n].box.lo, every[n].box.hi))
        parts.append(Subdomain(every[n].rank, Box(low.tolist(), high.tolist())))
    found = Partition(Grid((hi - lo)[:2].tolist()), partition.ranks, parts)
    if found.aligned == partition.aligned:
        return found
    return window_of(partition, every, rank, 4 * reach)
