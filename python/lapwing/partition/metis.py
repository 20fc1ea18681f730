"""METIS k-way, to compare with: parts of any shape, which no loop over a box can compute.

They are priced as `partition_cost` prices boxes, but a rank gets a point that several of its cells
read only once.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import dataclass
from itertools import product
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import outside_error
from lapwing.core import _core
from lapwing.core.partition import CostModel

VERSION = "2025.2.2"
INSTALL = f"{sys.executable} -m pip install pymetis=={VERSION}"


def installed() -> bool:
    """Whether the package pymetis is there. Local."""
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
    """Where the neighbours of each wet cell [y, x] begin, and all of them behind one another."""
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
        raise outside_error(
            "package pymetis", str(problem), f"version {VERSION}, for --method metis", INSTALL
        ) from None


# ---- what they cost

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
        """Of the slowest part. Local."""
        return float(self.costs.max())


def owner_cost(owners: Owners, wet: NDArray[np.bool_], parts: int, model: CostModel) -> OwnerCost:
    """Price every part of a grid without periodic axes.

    Local. `owners`: array [nx, ny] of parts from 0, below 0 where nobody owns; `wet`: array
    [nx, ny]. The halo of a part is what is wet, of others, and within the model's width of one of
    its cells along both axes. UserError for speeds that are not one per part. Takes (2 width + 1)^2
    comparisons per cell.
    """
    _core.check_cost_model(model, parts)
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
