"""When a run cuts its grid again, and how: by the times that its ranks took to compute."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from lapwing.base.agreement import all_values, made_at_root
from lapwing.core.partition import Partition
from lapwing.run.balance.cost_map import CostMap, require_box_per_rank
from lapwing.run.balance.cuts import blocks_by_cost, rectangles_by_cost
from lapwing.run.request import Setup

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.core._core import Step

_WORTH = 0.05  # share of a step that a cut must save: two measurements differ by less


class Rebalance:
    """The moments to look at a run, the times of its ranks, and what cutting again has cost.

    Local, except where a method says otherwise; the moments are the same on all ranks.
    """

    def __init__(self, setup: Setup, every: int, making: float) -> None:
        """Prepare to look at the times. UserError where a rank has several boxes.

        `every`: steps from one look to the next; `making`: seconds that it took to put the model on
        its domain, on this rank.
        """
        require_box_per_rank(setup.partition)
        self.every, self.making = every, making
        self.cuts, self.spent = 0, 0.0  # s
        self._geometry, self._blocks = setup.geometry, setup.blocks is not None
        self._map: CostMap | None = None  # on rank 0
        self._computed = 0.0  # s of all stages, up to the last sample
        self._samples: list[float] = []  # s of a step

    def until(self, step: int) -> int:
        """The number of steps from one to the next moment."""
        return self.every - step % self.every

    def is_due(self, step: int) -> bool:
        """True at such a moment, once there are times to look at."""
        return bool(self._samples) and step % self.every == 0

    def sample(self, step: Step, steps: int) -> None:
        """Note what the last few steps took on this rank to compute."""
        computed = float(sum(step.report.times.compute))
        self._samples.append((computed - self._computed) / steps)
        self._computed = computed

    def better(self, comm: Comm, partition: Partition, left: int) -> Partition | None:
        """The partition that pays over the steps that are left; None if none does.

        Collective over the ranks of the model. Forgets the samples. Cost: one message from each
        rank, some sums over the columns on rank 0, and a broadcast.
        """
        own = median(self._samples) if self._samples else 0.0
        self._samples.clear()
        told = all_values(comm, (own, self.making), "the times of the other ranks")
        seconds, making = [times[0] for times in told], max(times[1] for times in told)
        find = lambda: self.found(partition, seconds, making, left)  # noqa: E731
        return made_at_root(comm, find, "the partition to go on with")

    def found(
        self, partition: Partition, seconds: list[float], making: float, left: int
    ) -> Partition | None:
        """What `better` returns, by the seconds of a step on each rank. Rank 0."""
        if self._map is None:
            self._map = CostMap(self._geometry.wet)
        if sum(seconds) <= 0:
            return None
        self._map.learn(partition, seconds)
        cut = self._cut(partition, self._map)
        if cut is None:
            return None
        slowest, hoped = (float(self._map.of_ranks(one).max()) for one in (partition, cut))
        saved = slowest - hoped
        return cut if saved > _WORTH * slowest and saved * left > making else None

    def _cut(self, partition: Partition, known: CostMap) -> Partition | None:
        if self._blocks:
            return blocks_by_cost(partition, known.costs)
        return rectangles_by_cost(partition, known.costs, self._geometry.mask)

    def note_cut(self, seconds: float) -> None:
        """Count a cut that took so long; the new step's times begin at 0."""
        self.cuts, self.spent, self.making = self.cuts + 1, self.spent + seconds, seconds
        self._computed = 0.0
