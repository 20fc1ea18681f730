"""The work of every rank of a cut in a step, found in a window of the grid around its boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lapwing.core.domain import Domain, set_land
from lapwing.core.partition import Box, Extent, Grid, Mask, Partition, Subdomain
from lapwing_coast.simulation import works
from numpy.typing import NDArray

from lapwing_lab.predict.outlines import Outlines, outline_of_rank, owned_by
from lapwing_lab.predict.subject import MakeStep

REACH = 8  # cells: no halo of a step is as wide


def laid_out(
    partition: Partition,
    strategy: str,
    ranks_per_node: int,
    wet: NDArray[np.bool_] | None = None,
) -> Outlines:
    """Return each rank's work in a step of a closed sea, whose tides would cost nothing. Local.

    Each is laid out in a window of the grid around its boxes, which is much faster. `wet` [nx, ny]:
    land that steps leave out; none: they compute all.
    """
    on_domain = works["coast"].on_domain
    assert on_domain is not None
    outlines = []
    every = partition.subdomains  # a copy
    for rank in range(partition.ranks):
        window, begin = window_of(partition, every, rank)
        make = on_domain(Grid(window.grid.size[:2]))
        if wet is not None:
            end = np.add(begin, window.grid.size)
            make = _without_land(make, wet[begin[0] : end[0], begin[1] : end[1]])
        outlines.append(outline_of_rank(window, make, strategy, rank, ranks_per_node))
    peers = [np.array(outline.peers, dtype=np.intp) for outline in outlines]
    owned = [owned_by(partition, rank) for rank in range(partition.ranks)]
    return Outlines(outlines, np.arange(partition.ranks), peers, owned)


def _without_land(make: MakeStep, wet: NDArray[np.bool_]) -> MakeStep:
    """The same step, which leaves out land. Local."""

    def step(domain: Domain, strategy: str) -> Any:
        if wet.any():
            set_land(domain, Mask(wet), "off")
        return make(domain, strategy)

    return step


def window_of(
    partition: Partition, every: Sequence[Subdomain], rank: int, reach: int = REACH
) -> tuple[Partition, list[int]]:
    """The boxes of a partition that the messages of a rank may reach, `every` one given. Local.

    With the first cell of the window.

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
        return found, [int(cell) for cell in lo]
    return window_of(partition, every, rank, 4 * reach)
