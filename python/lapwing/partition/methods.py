"""Partitions of one mask by several methods, each with its price and the time that it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
from lapwing.partition.owner_cost import OwnerCost, owner_cost

Result = TypeVar("Result")


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


@dataclass(frozen=True)
class Found:
    """A row of the table, and its partition where the parts are boxes."""

    row: Row
    partition: Partition | None = None


@dataclass(frozen=True)
class Sea:
    """The mask in the forms that the methods take, and what a partition of it costs."""

    wet: NDArray[np.bool_]
    model: CostModel
    threads: int = 1
    grid: Grid = field(init=False)
    mask: Mask = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", Grid(self.wet.shape))
        object.__setattr__(self, "mask", Mask(self.wet))


def with_speeds(model: CostModel, speeds: list[float]) -> CostModel:
    """The same model with other speeds; with none all ranks are alike. Local."""
    return CostModel(
        wet=model.wet,
        dry=model.dry,
        off=model.off,
        on=model.on,
        latency=model.latency,
        width=model.width,
        ranks_per_node=model.ranks_per_node,
        speeds=speeds,
    )


def find(sea: Sea, ranks: int, method: str) -> Iterator[Found]:
    """Partition the sea by one of `partition_request.METHODS`.

    Local. Where a node has several ranks, blocks come twice, numbered by rows and by nodes, and so
    does the k-section: the cheapest, and the one that is cut between nodes first.
    UserError where the method has no partition into so many ranks; OutsideError for "metis" where
    pymetis is missing.
    """
    ways = {"block": _block, "assigned": _assigned, "ksection": _ksection, "metis": _metis}
    return ways[method](sea, ranks)


def _timed(search: Callable[[], Result]) -> tuple[Result, float]:
    """What a search found, and the seconds that it took."""
    began = time.perf_counter()
    return search(), time.perf_counter() - began


def _block(sea: Sea, ranks: int) -> Iterator[Found]:
    found, seconds = _timed(lambda: wet_block_partition(sea.grid, sea.mask, ranks, sea.model))
    extra = {"blocks": tuple(found.blocks[:2]), "searched": found.searched}
    yield _priced(sea, ranks, "block", found.partition, seconds, **extra)
    if sea.model.ranks_per_node > 1:
        ordered, more = _timed(lambda: with_node_order(found.partition, sea.model.ranks_per_node))
        yield _priced(sea, ranks, "block, node order", ordered, seconds + more, **extra)


def _assigned(sea: Sea, ranks: int) -> Iterator[Found]:
    found, seconds = _timed(lambda: assigned_block_partition(sea.grid, sea.mask, ranks, sea.model))
    extra = {"blocks": tuple(found.blocks[:2]), "searched": found.searched}
    yield _priced(sea, ranks, "assigned", found.partition, seconds, **extra)


def _ksection(sea: Sea, ranks: int) -> Iterator[Found]:
    ways = {"ksection": False, "ksection, nodes first": True}
    for name, nodes_first in ways.items():
        if nodes_first and sea.model.ranks_per_node == 1:
            return
        search = partial(
            ksection_partition,
            *(sea.grid, sea.mask, ranks, sea.model),
            threads=sea.threads,
            nodes_first=nodes_first,
        )
        found, seconds = _timed(search)
        extra = {"candidates": found.candidates, "searched": found.searched}
        yield _priced(sea, ranks, name, found.partition, seconds, **extra)


def _metis(sea: Sea, ranks: int) -> Iterator[Found]:
    owners, seconds = _timed(lambda: metis.kway_owners(sea.wet, ranks, sea.model))
    cost = owner_cost(owners, sea.wet, ranks, sea.model)
    used = int(np.count_nonzero(cost.wet))
    yield Found(_row(ranks, "metis", cost, seconds, ranks_used=used))


def _priced(
    sea: Sea, ranks: int, method: str, partition: Partition, seconds: float, **extra: Any
) -> Found:
    cost = partition_cost(partition, sea.mask, sea.model)
    row = _row(ranks, method, cost, seconds, ranks_used=partition.ranks, **extra)
    return Found(row, partition)


def _row(
    ranks: int, method: str, cost: PartitionCost | OwnerCost, seconds: float, **extra: Any
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
