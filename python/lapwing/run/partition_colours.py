"""The colours of cells in the picture of a partition."""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from lapwing.core.partition import Box, Mask, Partition

_LAND = np.array(to_rgb("#c9c5bd"))
_UNOWNED = np.array(to_rgb("#ffffff"))  # wet, without an owner
# Distinguishable for colour-blind readers, and light enough for lines and numbers on top.
_PALETTE = np.array(
    [to_rgb(c) for c in ("#7fb2d9", "#f2b45c", "#8fca8f", "#d690bd", "#efe272", "#9fd8d3")]
)
_PALEST = 0.25  # share of the colour for a rank with hardly a wet cell
_MOST_CELLS = 2000  # along an axis: twice the pixels of a picture
_REACH = 2  # cells between boxes that are neighbours still: boxes end where land begins


class PartitionPicture:
    """The colours of the cells of a partition, and its fullest rank. Local.

    A large mask is coarsened: a cell of the picture then stands for several of the grid, is wet
    where at least half of them are, and has the colour of the cell in its middle.
    """

    def __init__(self, partition: Partition, wet: NDArray[np.bool_], ranks_per_node: int) -> None:
        """`wet`: array [nx, ny]. Shows the boxes of the first layer."""
        self.partition = partition
        self.lines = tuple(_lines(cells) for cells in wet.shape)  # between cells of the picture
        self.wet = _coarse(wet, *self.lines)
        middles = [(lines[:-1] + lines[1:]) // 2 for lines in self.lines]
        self.owners: NDArray[np.int64] = np.full(self.wet.shape, -1, dtype=np.int64)
        self.wet_cells = np.zeros(len(partition.subdomains), dtype=np.int64)
        for number, subdomain in enumerate(partition.subdomains):
            ranges = list(zip(subdomain.box.lo[:2], subdomain.box.hi[:2], strict=True))
            shown = (
                np.searchsorted(middle, ends) for middle, ends in zip(middles, ranges, strict=True)
            )
            self.owners[tuple(slice(*ends) for ends in shown)] = subdomain.rank
            cells = tuple(slice(*ends) for ends in ranges)
            self.wet_cells[number] = np.count_nonzero(wet[cells])
        self.ranks_per_node = ranks_per_node
        self.loads = np.zeros(partition.ranks)
        ranks = [subdomain.rank for subdomain in partition.subdomains]
        np.add.at(self.loads, ranks, self.wet_cells)

    @property
    def owned(self) -> NDArray[np.int64]:
        """The rank of every owned wet cell of the picture, -1 elsewhere."""
        return np.where(self.wet, self.owners, -1)

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The node of every owned wet cell of the picture, -1 elsewhere."""
        return np.where(self.owned >= 0, self.owners // self.ranks_per_node, -1)

    def fullest(self) -> list[Any]:
        """The subdomains of the rank with the most wet cells, where ranks differ."""
        if self.loads.max() == self.loads.min():
            return []
        rank = int(self.loads.argmax())
        return [self.partition.subdomains[n] for n in self.partition.subdomains_of(rank)]

    def colours(self) -> NDArray[np.float64]:
        """Red, green and blue of every cell of the picture, along its last axis."""
        nodes = self._node_colours()
        hues = _PALETTE[nodes[np.arange(self.partition.ranks) // self.ranks_per_node]]
        strength = _PALEST + (1 - _PALEST) * self.loads / self.loads.max()
        table = 1 - (1 - hues) * strength[:, None]
        table = np.concatenate([table, [_LAND, _UNOWNED]])
        shown = np.where(self.owners < 0, len(table) - 1, self.owners)
        return table[np.where(self.wet, shown, len(table) - 2)]

    def _node_colours(self) -> NDArray[np.int64]:
        """The number of a colour for every node that the nodes around it do not have."""
        neighbors = self._neighbors()
        colours = np.full(len(neighbors), -1)
        uses = np.zeros(len(_PALETTE), dtype=np.int64)
        for node in reversed(_loneliest_first(neighbors)):
            taken = {colours[other] for other in neighbors[node]}
            free = [c for c in range(len(_PALETTE)) if c not in taken] or range(len(_PALETTE))
            colours[node] = min(free, key=lambda c: (uses[c], c))  # all of them appear this way
            uses[colours[node]] += 1
        return colours

    def _neighbors(self) -> list[set[int]]:
        """For each node, the nodes whose boxes touch or almost touch its own."""
        count = -(-self.partition.ranks // self.ranks_per_node)
        neighbors: list[set[int]] = [set() for _ in range(count)]
        subdomains = self.partition.subdomains
        for subdomain in subdomains:
            node = subdomain.rank // self.ranks_per_node
            for number in self.partition.overlapping(_grown(subdomain.box)):
                neighbors[node].add(subdomains[number].rank // self.ranks_per_node)
        return [others - {node} for node, others in enumerate(neighbors)]


def _lines(cells: int) -> NDArray[np.int64]:
    """The first cells of those that each cell of a picture stands for, and the end."""
    shown = min(cells, _MOST_CELLS)
    return np.arange(shown + 1) * cells // shown


def _coarse(
    wet: NDArray[np.bool_], x: NDArray[np.int64], y: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """True where at least half of the cells between two lines along both axes are wet."""
    if wet.shape == (len(x) - 1, len(y) - 1):
        return wet
    counts = Mask(wet).counts(list(pairwise(x.tolist())), list(pairwise(y.tolist())))
    return np.asarray(2 * counts >= np.multiply.outer(np.diff(x), np.diff(y)))


def _loneliest_first(neighbors: list[set[int]]) -> list[int]:
    """All nodes, each with the fewest neighbours among the nodes that come after it.

    In the reverse order no node of a map has more than five neighbours before it, so that six
    colours are enough.
    """
    left = [len(others) for others in neighbors]
    queue = [(count, node) for node, count in enumerate(left)]
    heapq.heapify(queue)
    order: list[int] = []
    done: set[int] = set()
    while queue:
        count, node = heapq.heappop(queue)
        if node in done or count != left[node]:
            continue  # an older entry
        done.add(node)
        order.append(node)
        for other in neighbors[node] - done:
            left[other] -= 1
            heapq.heappush(queue, (left[other], other))
    return order


def _grown(box: Box) -> Box:
    lo, hi = list(box.lo), list(box.hi)
    return Box([n - _REACH for n in lo[:2]] + lo[2:], [n + _REACH for n in hi[:2]] + hi[2:])
