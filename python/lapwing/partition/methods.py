"""Partitions of one mask by several methods, each with its price and the time that it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lapwing.core.partition import (
    CostModel,
    Grid,
    Mask,
    Partition,
    PartitionCost,
    assigned_block_partition,
    ksection_partition,
    partition_cost,
    wet_block_partition,
    with_node_order,
)
from lapwing.partition import metis

Result = TypeVar("Result")

METHODS = ("block", "assigned", "ksection", "metis")


@dataclass(frozen=True)
class Row:
    """What one method came to, for one number of ranks."""

    ranks: int  # asked for
    method: str
    imbalance: float  # largest over mean of the wet points of a rank, by its speed
    halo_on: int  # wet halo points from the same node, of all ranks
    halo_off: int  # from other nodes
    messages: int
    cost: float  # of the slowest rank, in units of the work on one wet point
    seconds: float  # that the search took
    ranks_used: int
    blocks: tuple[int, int] | None = None  # along x and y
    candidates: int | None = None  # of a k-section
    searched: int | None = None


Found = tuple[Row, Partition | None]  # and the partition, where the parts are boxes


@dataclass(frozen=True)
class Sea:
    """The mask in the forms that the methods take, and what a partition of it costs."""

    wet: NDArray[np.bool_]
    grid: Grid
    mask: Mask
    model: CostModel
    threads: int = 1


def find(sea: Sea, ranks: int, method: str) -> Iterator[Found]:
    """Partition the sea by one of METHODS.

    Local. Where a node has several ranks, blocks come twice, numbered by rows and by nodes, and so
    does the k-section: the cheapest, and the one that is cut between nodes first.
    UserError where the method has no partition into so many ranks; OutsideError for "metis" where
    pymetis is missing.
    """
    if method == "metis":
        yield _metis(sea, ranks)
    elif method == "ksection":
        yield _ksection(sea, ranks, "ksection")
        if sea.model.ranks_per_node > 1:
            yield _ksection(sea, ranks, "ksection, nodes first", nodes_first=True)
    else:
        yield from _blocks(sea, ranks, method)


def _timed(search: Callable[[], Result]) -> tuple[Result, float]:
    """What a search found, and the seconds that it took."""
    began = time.perf_counter()
    return search(), time.perf_counter() - began


def _blocks(sea: Sea, ranks: int, method: str) -> Iterator[Found]:
    search = wet_block_partition if method == "block" else assigned_block_partition
    found, seconds = _timed(lambda: search(sea.grid, sea.mask, ranks, sea.model))
    extra = {"blocks": tuple(found.blocks[:2]), "searched": found.searched}
    yield _priced(sea, ranks, method, found.partition, seconds, **extra)
    if method == "block" and sea.model.ranks_per_node > 1:
        ordered, more = _timed(lambda: with_node_order(found.partition, sea.model.ranks_per_node))
        yield _priced(sea, ranks, "block, node order", ordered, seconds + more, **extra)


def _ksection(sea: Sea, ranks: int, name: str, nodes_first: bool = False) -> Found:
    search = partial(ksection_partition, threads=sea.threads, nodes_first=nodes_first)
    found, seconds = _timed(lambda: search(sea.grid, sea.mask, ranks, sea.model))
    extra = {"candidates": found.candidates, "searched": found.searched}
    return _priced(sea, ranks, name, found.partition, seconds, **extra)


def _metis(sea: Sea, ranks: int) -> Found:
    owners, seconds = _timed(lambda: metis.kway_owners(sea.wet, ranks, sea.model))
    cost = metis.owner_cost(owners, sea.wet, ranks, sea.model)
    used = int(np.count_nonzero(cost.wet))
    return _row(ranks, "metis", cost, seconds, ranks_used=used), None


def _priced(
    sea: Sea, ranks: int, method: str, partition: Partition, seconds: float, **extra: Any
) -> Found:
    cost = partition_cost(partition, sea.mask, sea.model)
    return _row(ranks, method, cost, seconds, ranks_used=partition.ranks, **extra), partition


def _row(
    ranks: int, method: str, cost: PartitionCost | metis.OwnerCost, seconds: float, **extra: Any
) -> Row:
    return Row(
        ranks=ranks,
        method=method,
        imbalance=cost.imbalance,
        halo_on=int(np.sum(cost.halo_on)),
        halo_off=int(np.sum(cost.halo_off)),
        messages=int(np.sum(cost.messages)),
        cost=cost.cost,
        seconds=seconds,
        **extra,
    )
