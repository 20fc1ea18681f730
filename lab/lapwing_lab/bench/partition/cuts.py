"""Ways to cut a sea for ranks that run: those of `lapwing partition`, and METIS's.

All end as boxes, several per rank where need be: METIS shares out small blocks or cells, and of the
latter rows that lie on each other make boxes. Kernels compute the land in a box like its water; to
leave it out, a box is cut again, into tiles with water.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from lapwing.base.error import outside_error
from lapwing.core.partition import (
    Box,
    CostModel,
    Grid,
    Mask,
    Partition,
    PartitionCost,
    Subdomain,
    balanced_partition,
    block_partition,
    ksection_partition,
    partition_cost,
    trimmed,
    with_node_order,
)
from lapwing.partition.methods import (
    METIS_INSTALL,
    METIS_VERSION,
    OwnerCost,
    Sea,
    find,
    metis_installed,
    owner_cost,
)
from numpy.typing import NDArray

OBJECTIVES = ("cut", "volume")  # in the order of METIS's numbers
TILE = 4  # cells along x and y
BLOCKS_PER_RANK = 16  # that METIS shares out: fewer leave it no choice, more have more halo
# how far above the mean METIS may fill a part, per mille: its default, which is half a block of
# BLOCKS_PER_RANK, and more, as parts that cannot be balanced so well fall to pieces
TOLERANCES = (30, 60, 100, 150, 200)

WET_BLOCKS = "wet blocks"  # the best that a search finds: what others are compared with
ALL_BLOCKS = "all blocks"
BALANCED = "ksection of computed cells"
OWN = ", own costs"
PARTS, METIS_BLOCKS = "metis parts", "metis blocks"


@dataclass(frozen=True)
class Cut:
    """A sea cut by one method."""

    method: str
    partition: Partition
    seed: int | None = None  # of METIS
    owners: NDArray[np.int64] | None = None  # of cells [nx, ny], where it shared out these

    def price(self, sea: Sea, ranks: int, model: CostModel) -> PartitionCost | OwnerCost:
        """Return its cost by a model. Local."""
        if self.owners is not None:
            return owner_cost(self.owners, sea.wet, ranks, model)
        return partition_cost(self.partition, sea.mask, model)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cells that each rank computes, including land in its boxes. Local."""
        cells = np.zeros(self.partition.ranks, dtype=np.int64)
        for one in self.partition.subdomains:
            cells[one.rank] += one.box.volume
        return cells

    @property
    def boxes(self) -> int:
        """The number of boxes of all ranks. Local."""
        return len(self.partition.subdomains)


def sea_of(wet: NDArray[np.bool_], model: CostModel) -> Sea:
    """A mask in the forms that methods take. Local."""
    return Sea(wet, Grid(wet.shape), Mask(wet), model)


def searched(sea: Sea, ranks: int) -> Iterator[Cut]:
    """Plain blocks, as a run has them by default, and what searches find by the costs of the sea.

    Local. Takes up to a minute for 720 ranks.
    """
    plain = block_partition(sea.grid, ranks=ranks)
    yield Cut(ALL_BLOCKS, with_node_order(plain, sea.model.ranks_per_node))
    yield Cut(WET_BLOCKS, _last(sea, ranks, "block"))
    yield Cut("assigned", _last(sea, ranks, "assigned"))
    for row, partition in find(sea, ranks, "ksection"):
        yield Cut(row.method, _boxed(partition))

    def search(mask: Mask) -> Partition:
        return ksection_partition(sea.grid, mask, ranks, sea.model, threads=sea.threads).partition

    yield Cut(BALANCED, balanced_partition(sea.grid, sea.wet, ranks, sea.model, search))


def by_own_costs(sea: Sea, ranks: int, own: CostModel) -> Iterator[Cut]:
    """Blocks and a k-section that are searched by the costs of a machine instead. Local."""
    known = replace(sea, model=own)
    yield Cut(f"{WET_BLOCKS}{OWN}", _last(known, ranks, "block"))
    row, partition = next(find(known, ranks, "ksection"))
    yield Cut(f"{row.method}{OWN}", _boxed(partition))


def without_land(cut: Cut, sea: Sea) -> Cut:
    """The same with every box cut into tiles of TILE x TILE cells, of which those with water stay.

    Local. Tiles that make a rectangle are one box; all are trimmed to their water.
    """
    boxes = []
    for one in cut.partition.subdomains:
        (x, y), (nx, ny) = one.box.lo[:2], one.box.shape[:2]
        wet = np.zeros((-(-nx // TILE) * TILE, -(-ny // TILE) * TILE), dtype=np.bool_)
        wet[:nx, :ny] = sea.wet[x : x + nx, y : y + ny]
        tiles = wet.reshape(len(wet) // TILE, TILE, -1, TILE).any(axis=(1, 3))
        owners = np.where(tiles, one.rank, -1)
        ends = [
            np.minimum(np.arange(n + 1) * TILE, size)
            for n, size in zip(tiles.shape, (nx, ny), strict=True)
        ]
        boxes += _boxes(owners, (x + ends[0], y + ends[1]))
    partition = trimmed(Partition(sea.grid, cut.partition.ranks, boxes), sea.mask)
    return replace(cut, method=f"{cut.method}, tiles", partition=partition)


def _last(sea: Sea, ranks: int, method: str) -> Partition:
    """Of several numberings of the same boxes the last, in the order of nodes."""
    *_, (_, partition) = find(sea, ranks, method)
    return _boxed(partition)


def _boxed(partition: Partition | None) -> Partition:
    """Return the partition of a method that makes boxes."""
    assert partition is not None
    return partition


# ---- METIS


def seeds_of(count: int) -> range:
    """Return different seeds: METIS takes C's `srand`, for which 0 is 1. Local."""
    return range(1, count + 1)


def metis_blocks(sea: Sea, ranks: int, objective: str, seed: int) -> Cut:
    """Small blocks of about one size, which METIS k-way shares out among ranks. Local.

    The cheapest of the cuts with each of TOLERANCES. Blocks of a rank that make a rectangle are
    one box, and boxes are trimmed to their water.
    """
    side = np.sqrt(sea.wet.sum() / ranks / BLOCKS_PER_RANK)
    blocks = [int(np.clip(round(n / side), 1, n)) for n in sea.wet.shape]
    graph = graph_of(sea.wet, blocks)
    edges = [_edges(n, many) for n, many in zip(sea.wet.shape, blocks, strict=True)]

    def cut(tolerance: int) -> Cut:
        owners = kway(graph, ranks, objective, seed, tolerance)
        partition = trimmed(Partition(sea.grid, ranks, _boxes(owners, edges)), sea.mask)
        ordered = with_node_order(partition, sea.model.ranks_per_node)
        return Cut(f"{METIS_BLOCKS}, {objective}", ordered, seed)

    return min(map(cut, TOLERANCES), key=lambda one: one.price(sea, ranks, sea.model).cost)


def metis_parts(sea: Sea, ranks: int, objective: str, seed: int) -> Cut:
    """Cells, which METIS k-way shares out: parts of any shape, in many boxes. Local; seconds."""
    owners = kway(graph_of(sea.wet, sea.wet.shape), ranks, objective, seed)
    partition = Partition(sea.grid, ranks, _boxes(owners, [np.arange(n + 1) for n in owners.shape]))
    ordered = with_node_order(partition, sea.model.ranks_per_node)
    of_corner = {tuple(one.box.lo): one.rank for one in ordered.subdomains}
    number = np.full(ranks + 1, -1)  # the last: of land
    for one in partition.subdomains:
        number[one.rank] = of_corner[tuple(one.box.lo)]
    return Cut(f"{PARTS}, {objective}", ordered, seed, number[owners])


def _boxes(owners: NDArray[np.int64], edges: Sequence[NDArray[np.int64]]) -> list[Subdomain]:
    """Boxes of blocks, of which `edges` tells where they begin and end along x and y."""
    x, y = edges
    return [
        Subdomain(rank, Box((int(x[i]), int(y[j]), 0), (int(x[k]), int(y[m]), 1)))
        for rank, i, k, j, m in rectangles(owners)
    ]


@dataclass(frozen=True)
class BlockGraph:
    """Blocks of a mask as METIS takes them: each block with water is a vertex."""

    blocks: tuple[int, ...]  # along x and y
    weights: NDArray[np.int64]  # wet cells of all blocks, numbered along x first
    begins: NDArray[np.int64]  # where the neighbors of each vertex begin, and the end of all
    neighbors: NDArray[np.int64]
    faces: NDArray[np.int64]  # wet faces between a vertex and each neighbor


def graph_of(wet: NDArray[np.bool_], blocks: Sequence[int]) -> BlockGraph:
    """Make the graph of m x n blocks of a mask.

    Local. A vertex weighs the wet cells of its block, an edge the wet faces between two.
    """
    weights, (low, high, faces) = _vertices_and_edges(wet, blocks)
    number = np.cumsum(weights > 0) - 1
    source, target = number[np.concatenate([low, high])], number[np.concatenate([high, low])]
    order = np.argsort(source, kind="stable")
    degrees = np.bincount(source, minlength=int(np.count_nonzero(weights)))
    begins = np.concatenate([[0], np.cumsum(degrees)])
    return BlockGraph(
        tuple(blocks), weights, begins, target[order], np.concatenate([faces, faces])[order]
    )


def kway(
    graph: BlockGraph, parts: int, objective: str, seed: int, tolerance: int = TOLERANCES[0]
) -> NDArray[np.int64]:
    """The part of each of m x n blocks of a mask, -1 where it is dry, as METIS k-way cuts them.

    Local. The volume is that of wet faces too, as pymetis has no sizes of vertices. `tolerance`:
    how far above the mean a part may be, per mille. OutsideError where pymetis is missing.
    """
    if not metis_installed():
        remedy = f"{METIS_INSTALL}, or give --seeds 0"
        raise outside_error("package pymetis", "none", f"version {METIS_VERSION}", remedy)
    pymetis = importlib.import_module("pymetis")
    wet = graph.weights > 0
    _, found = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(graph.begins, graph.neighbors),
        vweights=graph.weights[wet],
        eweights=graph.faces,
        recursive=False,
        options=pymetis.Options(seed=seed, objtype=OBJECTIVES.index(objective), ufactor=tolerance),
    )
    owners = np.full(graph.weights.size, -1, dtype=np.int64)
    owners[wet] = found
    return owners.reshape(graph.blocks, order="F")


Edges = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _vertices_and_edges(
    wet: NDArray[np.bool_], blocks: Sequence[int]
) -> tuple[NDArray[np.int64], Edges]:
    """Wet cells of each block, numbered along x first; pairs of blocks, and wet faces between."""
    places = [
        np.searchsorted(_edges(n, many), np.arange(n), side="right") - 1
        for n, many in zip(wet.shape, blocks, strict=True)
    ]
    number = places[0][:, None] + blocks[0] * places[1][None, :]
    total = blocks[0] * blocks[1]
    pairs = []
    for lower, upper in ((np.s_[:-1, :], np.s_[1:, :]), (np.s_[:, :-1], np.s_[:, 1:])):
        meet = wet[lower] & wet[upper] & (number[lower] != number[upper])
        pairs.append(number[lower][meet] * total + number[upper][meet])
    codes, faces = np.unique(np.concatenate(pairs), return_counts=True)
    return np.bincount(number[wet], minlength=total), (codes // total, codes % total, faces)


def _edges(cells: int, many: int) -> NDArray[np.int64]:
    """The first cell of each block along an axis, and the end; sizes differ by at most one."""
    return np.arange(many + 1) * cells // many


def rectangles(owners: NDArray[np.int64]) -> Iterator[tuple[int, int, int, int, int]]:
    """Owner, [first, last) along x and along y of rectangles that cover what is owned. Local.

    Runs of one owner along x, which go on along y as long as the same run follows.
    """
    going: dict[tuple[int, int, int], int] = {}  # a run, and where it began
    for j, line in enumerate([*owners.T, np.full(len(owners), -1)]):
        here = set(_runs(line))
        for run in sorted(set(going) - here):
            yield (*run, going.pop(run), j)
        for run in here:
            going.setdefault(run, j)


def _runs(line: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Owner, first and behind the last of each run of one owner."""
    ends = [0, *(np.flatnonzero(np.diff(line)) + 1), len(line)]
    for first, last in pairwise(ends):
        if line[first] >= 0:
            yield int(line[first]), int(first), int(last)
