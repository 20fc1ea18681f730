"""Partitions of one mask by several methods, each with its price and the time that it took."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import outside_error
from lapwing.core import _core
from lapwing.core.partition import (
    CostModel,
    Grid,
    Mask,
    Partition,
    PartitionCost,
    Search,
    assigned_block_partition,
    ksection_partition,
    partition_cost,
    wet_block_partition,
    with_node_order,
)

Result = TypeVar("Result")

METHODS = ("block", "assigned", "ksection", "metis")

METIS_VERSION = "2025.2.2"
METIS_INSTALL = f"{sys.executable} -m pip install pymetis=={METIS_VERSION}"


@dataclass(frozen=True)
class Row:
    """The result of one method for one number of ranks."""

    ranks: int  # as requested
    method: str
    imbalance: float  # largest over mean of the wet points of a rank, by its speed
    halo_on: int  # wet halo points from the same node, of all ranks
    halo_off: int  # from other nodes
    messages: int  # sum over all ranks
    max_messages: int  # points of the rank that gets most
    cost: float  # cost of the slowest rank, in units of the work on one wet point
    seconds: float  # seconds that the search took
    ranks_used: int
    blocks: tuple[int, int] | None = None  # along x and y
    candidates: int | None = None  # candidates of a k-section
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

    Local. If a node has several ranks, blocks come twice, numbered by rows and by nodes, and so
    does the k-section: the cheapest, and the k-section that is cut between nodes first. UserError
    if the method has no partition into that many ranks; OutsideError for "metis" if pymetis is
    missing.
    """
    if method == "metis":
        yield _metis(sea, ranks)
    elif method == "ksection":
        yield _ksection(sea, ranks, "ksection")
        if sea.model.ranks_per_node > 1:
            yield _ksection(sea, ranks, "ksection, nodes first", Search.NODES_FIRST)
    else:
        yield from _blocks(sea, ranks, method)


def _timed(search: Callable[[], Result]) -> tuple[Result, float]:
    """The result of a search, and the seconds that it took."""
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


def _ksection(sea: Sea, ranks: int, name: str, how: Search = Search.FULL) -> Found:
    search = partial(ksection_partition, threads=sea.threads, search=how)
    found, seconds = _timed(lambda: search(sea.grid, sea.mask, ranks, sea.model))
    extra = {"candidates": found.candidates, "searched": found.searched}
    return _priced(sea, ranks, name, found.partition, seconds, **extra)


def _metis(sea: Sea, ranks: int) -> Found:
    owners, seconds = _timed(lambda: kway_owners(sea.wet, ranks, sea.model))
    cost = owner_cost(owners, sea.wet, ranks, sea.model)
    used, most = int(np.count_nonzero(cost.wet)), int(cost.messages.max())
    return _row(ranks, "metis", cost, seconds, ranks_used=used, max_messages=most), None


def _priced(
    sea: Sea, ranks: int, method: str, partition: Partition, seconds: float, **extra: Any
) -> Found:
    cost = partition_cost(partition, sea.mask, sea.model)
    most = max(one.messages for one in cost.ranks)
    used = {"ranks_used": partition.ranks, "max_messages": most}
    return _row(ranks, method, cost, seconds, **used, **extra), partition


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


# ---- METIS k-way: parts of any shape, which no loop over a box can compute


def metis_installed() -> bool:
    """True if the package pymetis is installed. Local."""
    return importlib.util.find_spec("pymetis") is not None and hasattr(_pymetis(), "CSRAdjacency")


def kway_owners(wet: NDArray[np.bool_], parts: int, model: CostModel) -> NDArray[np.int64]:
    """The part [nx, ny] of every wet cell, -1 where it is dry, as METIS k-way cuts them.

    Local. Cells are vertices, common faces of wet cells are edges; shares follow the model's
    speeds. Takes seconds for a million cells. OutsideError where pymetis is missing.
    """
    pymetis = _pymetis()
    rows = wet.T  # vertices in the order of memory, x fastest
    graph = pymetis.CSRAdjacency(*_graph(rows))
    shares = list(np.asarray(model.speeds) / np.sum(model.speeds)) if model.speeds else None
    _, found = pymetis.part_graph(parts, graph, tpwgts=shares, recursive=False)
    owners = np.full(rows.shape, -1, dtype=np.int64)
    owners[rows] = found
    return owners.T


def _graph(wet: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The start of the neighbours of each wet cell [y, x], and all neighbours in one list."""
    vertices = np.cumsum(wet).reshape(wet.shape) - 1
    along_x, along_y = wet[:, :-1] & wet[:, 1:], wet[:-1, :] & wet[1:, :]
    low = np.concatenate([vertices[:, :-1][along_x], vertices[:-1, :][along_y]])
    high = np.concatenate([vertices[:, 1:][along_x], vertices[1:, :][along_y]])
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    degrees = np.bincount(source, minlength=int(wet.sum()))
    neighbors = target[np.argsort(source, kind="stable")]
    return np.concatenate([[0], np.cumsum(degrees)]), neighbors


def _pymetis() -> ModuleType:
    try:
        return importlib.import_module("pymetis")
    except ImportError as problem:
        expected = f"version {METIS_VERSION}, for --method metis"
        raise outside_error("package pymetis", str(problem), expected, METIS_INSTALL) from None


Owners = NDArray[np.integer]


@dataclass(frozen=True)
class OwnerCost:
    """Shares [parts] of the parts, and what `PartitionCost` says of all of them."""

    wet: NDArray[np.int64]
    dry: NDArray[np.int64]
    halo_on: NDArray[np.int64]
    halo_off: NDArray[np.int64]
    messages: NDArray[np.int64]
    costs: NDArray[np.float64]
    imbalance: float

    @property
    def cost(self) -> float:
        """Cost of the slowest part. Local."""
        return float(self.costs.max())


def owner_cost(owners: Owners, wet: NDArray[np.bool_], parts: int, model: CostModel) -> OwnerCost:
    """Price every part of a grid without periodic axes, as `partition_cost` does boxes.

    Local. `owners`: array [nx, ny] of parts from 0, below 0 where there is no owner; `wet`: array
    [nx, ny]. The halo of a part has the wet cells of other parts within the model's width of one of
    its cells along both axes. UserError for another number of speeds than parts. Takes (2 width +
    1)^2 comparisons per cell.
    """
    _core.check_cost_model(model, Grid(wet.shape), parts)
    speeds = np.asarray(model.speeds or [1.0] * parts)
    speeds = speeds / speeds.mean()
    wet_count = np.bincount(owners[wet & (owners >= 0)], minlength=parts)
    dry_count = np.bincount(owners[~wet & (owners >= 0)], minlength=parts)
    reader, owner = _halo_points(owners, wet, model.width)
    on_node = reader // model.ranks_per_node == owner // model.ranks_per_node
    on = np.bincount(reader[on_node], minlength=parts)
    off = np.bincount(reader[~on_node], minlength=parts)
    messages = np.bincount(np.unique(reader * parts + owner) // parts, minlength=parts)
    costs = (model.wet * wet_count + model.dry * dry_count) / speeds
    costs = costs + model.off * off + model.on * on + model.latency * messages
    imbalance = float((wet_count / speeds).max() * parts / wet_count.sum())
    return OwnerCost(wet_count, dry_count, on, off, messages, costs, imbalance)


def _halo_points(
    owners: Owners, wet: NDArray[np.bool_], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Reader and owner of every halo point; a point that several parts read is there for each."""
    around = np.pad(np.where(wet, owners, -1), width, constant_values=-1)
    numbers = np.pad(np.arange(owners.size).reshape(owners.shape), width)
    reads = []
    for corner in product(range(2 * width + 1), repeat=2):
        there = tuple(slice(n, n + size) for n, size in zip(corner, owners.shape, strict=True))
        meets = (owners >= 0) & (around[there] >= 0) & (around[there] != owners)
        reads.append(owners[meets].astype(np.int64) * owners.size + numbers[there][meets])
    distinct = np.unique(np.concatenate(reads))
    return distinct // owners.size, owners.ravel()[distinct % owners.size].astype(np.int64)
