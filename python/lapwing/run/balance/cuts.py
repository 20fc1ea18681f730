"""Partitions whose boxes cost about the same, by the cost of every column."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError
from lapwing.core.partition import Box, Mask, Partition, Subdomain, trimmed

Costs = NDArray[np.float64]

_NARROW = 8  # cells; narrower blocks have more halo than cells
_ROUNDS = 4  # along x, then along y: later ones hardly change a cut
_HALVINGS = 20  # of the interval that holds the least cost: known to a millionth


def blocks_by_cost(partition: Partition, costs: Costs) -> Partition:
    """The same blocks with other cuts, which still go through the whole grid. Local.

    `partition`: blocks between one set of cuts per axis, one per rank; `costs`: [nx, ny] of the
    columns. Cuts along z stay. Cost: some sums over the costs.
    """
    former = [sorted({one.box.lo[axis] for one in partition.subdomains}) for axis in (0, 1)]
    cuts = [[*begins, cells] for begins, cells in zip(former, costs.shape, strict=True)]
    best, cheapest = cuts, _most(costs, cuts)
    for _ in range(_ROUNDS):
        for axis in (0, 1):
            lines = np.add.reduceat(costs, cuts[1 - axis][:-1], axis=1 - axis)
            lines = lines.T if axis == 0 else lines
            cuts = [*cuts]
            cuts[axis] = even_cuts(lines, len(former[axis]))
        if (most := _most(costs, cuts)) < cheapest:
            best, cheapest = cuts, most
    moved = []
    for one in partition.subdomains:
        lo, hi = [*one.box.lo], [*one.box.hi]
        for axis in (0, 1):
            number = former[axis].index(lo[axis])
            lo[axis], hi[axis] = best[axis][number : number + 2]
        moved.append(Subdomain(one.rank, Box(lo, hi)))
    return Partition(partition.grid, partition.ranks, moved)


def _most(costs: Costs, cuts: list[list[int]]) -> float:
    """The cost of the most expensive block between cuts."""
    strips = np.add.reduceat(costs, cuts[0][:-1], axis=0)
    return float(np.add.reduceat(strips, cuts[1][:-1], axis=1).max())


def even_cuts(lines: Costs, parts: int) -> list[int]:
    """The ends of intervals, such that the most expensive one of any line costs least. Local.

    `lines`: the costs [line, cell]; all lines are cut at the same cells. Returns 0, `parts` - 1
    cuts and the number of cells; no interval is narrower than 8 cells or, where they are too few
    for that, their mean.
    """
    sums = np.pad(np.cumsum(lines, axis=1), ((0, 0), (1, 0)))
    most = float(sums[:, -1].max())
    least, best = most / parts, _cuts_below(sums, parts, most)
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        found = _cuts_below(sums, parts, middle)
        if max(float((sums[:, b] - sums[:, a]).max()) for a, b in pairwise(found)) <= middle:
            most, best = middle, found
        else:
            least = middle
    return best


def _cuts_below(sums: Costs, parts: int, bound: float) -> list[int]:
    """Intervals as long as the bound on their costs allows; the last ones may exceed it."""
    cells = sums.shape[1] - 1
    narrowest = min(_NARROW, cells // parts)
    cuts = [0]
    for left in range(parts - 1, 0, -1):
        before = sums[:, cuts[-1]]
        ends = range(cuts[-1], cells + 1)
        reached = (
            cuts[-1] + bisect_right(ends, bound, key=lambda end: (sums[:, end] - before).max()) - 1
        )
        cuts.append(min(max(reached, cuts[-1] + narrowest), cells - left * narrowest))
    return [*cuts, cells]


def rectangles_by_cost(partition: Partition, costs: Costs, water: Mask) -> Partition | None:
    """Rectangles of about the same cost, cut in two again and again, or None. Local.

    As many as `partition` has ranks, one each, trimmed to their water; `costs`: [nx, ny] of the
    columns. None where a rank would get no water.
    """
    grid, (nx, ny) = partition.grid, costs.shape
    boxes = _cut_in_two(costs, (0, nx), (0, ny), partition.ranks)
    if boxes is None:
        return None
    owned = [
        Subdomain(rank, Box((x[0], y[0], 0), (x[1], y[1], grid.size[2])))
        for rank, (x, y) in enumerate(boxes)
    ]
    try:
        return trimmed(Partition(grid, partition.ranks, owned), water)
    except UserError:
        return None


_Range = tuple[int, int]


def _cut_in_two(
    costs: Costs, x: _Range, y: _Range, ranks: int
) -> list[tuple[_Range, _Range]] | None:
    """The rectangles of a rectangle, along its longer side first; None where cells are too few."""
    if ranks == 1:
        return [(x, y)]
    axis = 0 if x[1] - x[0] >= y[1] - y[0] else 1
    (begin, end), across = (x, y) if axis == 0 else (y, x)
    first = ranks // 2
    width = across[1] - across[0]
    least, most = begin - (-first // width), end + (-(ranks - first) // width)
    if least > most:
        return None
    sums = np.cumsum(costs[slice(*x), slice(*y)].sum(axis=1 - axis))
    cut = begin + 1 + int(np.abs(sums - sums[-1] * first / ranks).argmin())
    cut = min(max(cut, least), most)
    halves = [(begin, cut), (cut, end)]
    places = [(half, y) if axis == 0 else (x, half) for half in halves]
    found = [
        _cut_in_two(costs, *place, count)
        for place, count in zip(places, (first, ranks - first), strict=True)
    ]
    if found[0] is None or found[1] is None:
        return None
    return found[0] + found[1]
