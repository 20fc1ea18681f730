"""What a step costs in each column of a grid, learned from the times of ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.core.partition import Partition

_DRY = 0.05  # of the work on a wet column, as partition searches count it
_TICK = 1e-9  # s, the least that a rank takes, so that a share of its time is a number
_FORGET = 0.25  # share of what is known about the inside of a box that each measurement drops


class CostMap:
    """The seconds that a step takes in every column. Local, in one process.

    A measurement says what the box of a rank costs as a whole, and nothing about its inside. What
    former partitions have told about the inside is kept in part, so that it gets sharper with each
    partition, and yet follows a load that moves. Holds two numbers per column.
    """

    costs: NDArray[np.float64]  # [nx, ny], s of a step; before a measurement in units of work

    def __init__(self, wet: NDArray[np.bool_]) -> None:
        """Begin with water that costs the same everywhere; `wet`: [nx, ny]."""
        self._even = np.where(wet, 1.0, _DRY)
        self.costs = self._even.copy()

    def learn(self, partition: Partition, seconds: list[float]) -> None:
        """Take what a step took on each rank of a partition, which has one box for each."""
        boxes: dict[tuple[int, ...], float] = {}  # of columns; several ranks share those cut in z
        for one in partition.subdomains:
            ends = (*one.box.lo[:2], *one.box.hi[:2])
            boxes[ends] = boxes.get(ends, 0.0) + max(_TICK, seconds[one.rank])
        columns = [(np.s_[a:c, b:d], took) for (a, b, c, d), took in boxes.items()]
        even, work = self._even, sum(float(self._even[there].sum()) for there, _ in columns)
        known, self.costs = self.costs, even * (sum(seconds) / work)  # land that has no owner
        for there, took in columns:
            shape = (1 - _FORGET) * known[there] / known[there].sum()
            shape += _FORGET * even[there] / even[there].sum()
            self.costs[there] = took * shape

    def of_ranks(self, partition: Partition) -> NDArray[np.float64]:
        """The seconds that a step takes on each rank of a partition, by what is known."""
        found = np.zeros(partition.ranks)
        layers = partition.grid.size[2]
        for one in partition.subdomains:
            x, y, z = map(slice, one.box.lo, one.box.hi)
            found[one.rank] += self.costs[x, y].sum() * (z.stop - z.start) / layers
        return found


def require_box_per_rank(partition: Partition) -> None:
    """Raise UserError unless every rank has one box, which is what a time tells about. Local."""
    counts = [len(partition.subdomains_of(rank)) for rank in range(partition.ranks)]
    if set(counts) != {1}:
        raise user_error(
            "run.rebalance",
            f"a partition with {min(counts)} to {max(counts)} boxes on a rank",
            "one on each, so that its time says what the box costs",
            "leave run.rebalance out, or take as many ranks as there are boxes",
        )
