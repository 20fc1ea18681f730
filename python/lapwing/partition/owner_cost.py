"""What an array of owners costs, priced like `partition_cost`; each rank gets a point once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.core.partition import CostModel

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


def owner_cost(
    owners: Owners, wet: NDArray[np.bool_], parts: int, model: CostModel | None = None
) -> OwnerCost:
    """Price every part of a grid without periodic axes.

    Local. `owners`: array [nx, ny] of parts from 0, below 0 where nobody owns; `wet`: array
    [nx, ny]. The halo of a part is what is wet, of others, and within the model's width of one of
    its cells along both axes. UserError for speeds that are not one per part. Takes (2 width + 1)^2
    comparisons per cell.
    """
    model = CostModel() if model is None else model
    speeds = _speeds(model, parts)
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


def _speeds(model: CostModel, parts: int) -> NDArray[np.float64]:
    speeds = np.asarray(model.speeds or [1.0] * parts, dtype=np.float64)
    if speeds.size != parts:
        raise user_error(
            "speeds", f"{speeds.size} numbers", f"{parts}, one per rank", "give one per rank"
        )
    return np.asarray(speeds / speeds.mean())


def _halo_points(
    owners: Owners, wet: NDArray[np.bool_], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Reader and owner of every halo point; a point that several parts read is there for each."""
    shape = owners.shape
    numbers = np.arange(owners.size).reshape(shape)
    reads = [np.empty(0, dtype=np.int64)]
    for dx in range(-width, width + 1):
        for dy in range(-width, width + 1):
            here = tuple(_overlap(n, step) for n, step in zip(shape, (dx, dy), strict=True))
            there = tuple(_overlap(n, -step) for n, step in zip(shape, (dx, dy), strict=True))
            reader, owner = owners[here], owners[there]
            meets = (reader >= 0) & (owner >= 0) & (reader != owner) & wet[there]
            reads.append(reader[meets].astype(np.int64) * owners.size + numbers[there][meets])
    distinct = np.unique(np.concatenate(reads))
    return distinct // owners.size, owners.ravel()[distinct % owners.size].astype(np.int64)


def _overlap(n: int, step: int) -> slice:
    """The cells of an axis that have a cell `step` further on."""
    return slice(min(max(0, -step), n), max(0, n - max(0, step)))
