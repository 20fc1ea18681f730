"""The work of every rank, from the few that differ: their steps are made once, in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing.core._core import Box, RankOutline, outline_of
from lapwing.core.domain import Domain
from lapwing.core.mpi_runtime import start as start_mpi
from lapwing.core.partition import Extent, Partition
from lapwing_lab.predict.subject import Cut, MakeStep

_REACH = 2  # blocks on each side that messages may reach
_WIDEST_RIM = 64  # cells around its box that a rank computes under `deep`, at most


@dataclass(frozen=True)
class Outlines:
    """Outlines of alike ranks: which one each rank follows, and its peers in their order."""

    outlines: list[RankOutline]
    of_rank: NDArray[np.intp]
    peers: list[NDArray[np.intp]]  # of each rank
    # of each outline: cells of the grid that a rank owns, and the rows that they lie in
    owned: list[tuple[int, int]]


def outlines_of(cut: Cut, make: MakeStep, strategy: str, ranks_per_node: int) -> Outlines:
    """The outlines of all ranks under a strategy. Local.

    Ranks are alike where their boxes, those around them, the edges of the grid and the land near
    them and the regions of stages in them are: a step is made for one of each. UserError for what the model
    refuses.
    """
    place, ranks = _places(cut)
    if cut.pattern is not None:
        small = outlines_of(cut.pattern, make, strategy, ranks_per_node)
        alike = _in_pattern(place, cut.blocks, cut.pattern.blocks)
        kinds, numbers = _places(cut.pattern)
        of_rank = small.of_rank[numbers[tuple(alike.T)]]
        peers = _peers(cut, small.outlines, of_rank, kinds)
        return Outlines(small.outlines, of_rank, peers, small.owned)
    first = outline_of_rank(cut.partition, make, strategy, 0, ranks_per_node)
    keys = [_axis_keys(cut, axis, first.regions) for axis in range(3)]
    code = np.zeros(len(place), dtype=np.intp)
    for axis in range(3):
        code = code * (1 + keys[axis].max()) + keys[axis][place[:, axis]]
    if cut.wet is not None:
        code = code * cut.partition.ranks + _coasts(cut.partition, cut.wet)
    _, chosen, of_rank = np.unique(code, return_index=True, return_inverse=True)
    outlines = [
        first if rank == 0 else outline_of_rank(cut.partition, make, strategy, int(rank), ranks_per_node)
        for rank in chosen
    ]
    owned = [owned_by(cut.partition, outline.rank) for outline in outlines]
    return Outlines(outlines, of_rank, _peers(cut, outlines, of_rank, place), owned)


def _coasts(partition: Partition, wet: NDArray[np.bool_]) -> NDArray[np.intp]:
    """A number for each rank, the same for those that may compute the same water and land."""
    numbers: dict[bytes, int] = {}
    of_rank = np.zeros(partition.ranks, dtype=np.intp)
    for one in partition.subdomains:
        around = one.box.grow(Extent.horizontal(_WIDEST_RIM)).intersect(partition.grid.box)
        (x, y), (end_x, end_y) = around.lo[:2], around.hi[:2]
        coast = np.packbits(wet[x:end_x, y:end_y]).tobytes()
        of_rank[one.rank] = numbers.setdefault(coast, len(numbers))
    return of_rank


def _peers(
    cut: Cut,
    outlines: Sequence[RankOutline],
    of_rank: NDArray[np.intp],
    outlined: NDArray[np.intp],
) -> list[NDArray[np.intp]]:
    """For each rank, the ranks in place of its outline's; `outlined`: places of the ranks there."""
    place, ranks = _places(cut)
    peers: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * len(place)
    for number, outline in enumerate(outlines):
        mine = np.flatnonzero(of_rank == number)
        offsets = outlined[outline.peers] - outlined[outline.rank]
        beyond = (place[mine][:, None, :] + offsets[None, :, :]) % np.array(cut.blocks)
        for rank, row in zip(mine, ranks[tuple(np.moveaxis(beyond, -1, 0))], strict=True):
            peers[rank] = row
    return peers


def owned_by(partition: Partition, rank: int) -> tuple[int, int]:
    """Cells of the grid in all boxes of a rank, and the rows that they lie in. Local."""
    boxes = [one.box for one in partition.subdomains if one.rank == rank]
    return sum(b.volume for b in boxes), sum(b.volume // (b.hi[0] - b.lo[0]) for b in boxes)


def _in_pattern(
    place: NDArray[np.intp], blocks: Sequence[int], few: Sequence[int]
) -> NDArray[np.intp]:
    """Places of blocks in the pattern: counted from the nearer end, or the middle."""
    from_end = np.array(blocks) - place
    half = np.array(few) // 2
    return np.where(from_end <= half, np.array(few) - from_end, np.minimum(place, half))


def outline_of_rank(
    partition: Partition, make: MakeStep, strategy: str, rank: int, ranks_per_node: int
) -> RankOutline:
    """The work of a rank of any partition. Local. UserError for what the model refuses."""
    alone = start_mpi().COMM_SELF
    domain = Domain(partition, alone, ranks_per_node=ranks_per_node, in_place_of=rank)
    try:
        step, _holds_it = make(domain, strategy)
        return outline_of(step, domain)
    finally:
        domain.close()


def _places(cut: Cut) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of every rank's block along the axes, and the rank of every block."""
    lows = np.empty((cut.partition.ranks, 3), dtype=np.intp)
    for subdomain in cut.partition.subdomains:
        lows[subdomain.rank] = subdomain.box.lo
    place = np.stack([np.unique(column, return_inverse=True)[1] for column in lows.T], axis=1)
    ranks = np.empty(cut.blocks, dtype=np.intp)
    ranks[tuple(place.T)] = np.arange(len(place))
    return place, ranks


def _axis_keys(cut: Cut, axis: int, regions: Sequence[Box]) -> NDArray[np.intp]:
    """A number for each block along an axis, the same for those that are alike along it."""
    count, cells = cut.blocks[axis], cut.grid.size[axis]
    ends = sorted({(s.box.lo[axis], s.box.hi[axis]) for s in cut.partition.subdomains})
    numbers: dict[tuple[object, ...], int] = {}
    keys = np.empty(count, dtype=np.intp)
    for n, (low, high) in enumerate(ends):
        sizes: list[int] = []
        for other in range(n - _REACH, n + _REACH + 1):
            there = 0 <= other < count or cut.grid.periodic[axis]
            lo, hi = ends[other % count]
            sizes.append(hi - lo if there else 0)
        near = sum(sizes[:_REACH]), sum(sizes[_REACH + 1 :])
        clips = [_clip(box.lo[axis], box.hi[axis], low, high, near, cells) for box in regions]
        keys[n] = numbers.setdefault((*sizes, *clips), len(numbers))
    return keys


def _clip(
    first: int, last: int, low: int, high: int, near: tuple[int, int], cells: int
) -> tuple[int, int] | None:
    """The part of a region in or near a block, from its first cell on; None: nothing."""
    begin, end = max(first, low - near[0]), min(last, high + near[1])
    return (begin - low, end - low) if begin < end or cells == 1 else None
