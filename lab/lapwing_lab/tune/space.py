"""The candidates that there are for a case, and those that a prediction leaves to be measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from lapwing.base.agreement import at_root, of_root
from lapwing.base.error import UserError
from lapwing.core import _core
from lapwing.core.names import strategy_names, transport_names
from lapwing.core.partition import (
    CostModel,
    Mask,
    best_blocks,
    block_partition,
    partition_cost,
    read_costs,
)
from lapwing.run.request import Setup, searched_setup

from lapwing_lab.machine.machine import load_machine
from lapwing_lab.predict.entry import PredictionRequest
from lapwing_lab.predict.events import by_events
from lapwing_lab.predict.subject import cut_into, subject_of
from lapwing_lab.tune.candidate import Candidate
from lapwing_lab.tune.crew import thread_counts
from lapwing_lab.tune.request import TuneRequest

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

MARGIN = 1.25  # times the least that is predicted, up to which a prediction may be wrong
_MOST_CUTS = 4
# shares of the middle behind the first phase, around the 6s:0.3 that stands for all of them
_ALPHAS = ("6s:0.1", "6s:0.5", "6s:0.7", "6s:0.9")

Steps = Mapping[tuple[str, str], float]  # predicted seconds by cut and strategy


@dataclass(frozen=True)
class Space:
    """All candidates: each cut with each transport and each strategy. The same on every rank.

    A cut is for all ranks, or for fewer ranks with threads.
    """

    own: Candidate  # as the case itself says
    cuts: Mapping[str, Setup]  # by its words
    transports: tuple[str, ...]
    strategies: tuple[str, ...]
    notes: list[str] = field(default_factory=list)  # on what a prediction left out

    @property
    def crews(self) -> list[str]:
        """The cuts for fewer ranks, whose threads have the cores of the others. Local."""
        most = self.cuts[self.own.cut].partition.ranks
        return [name for name, one in self.cuts.items() if one.partition.ranks < most]

    @property
    def size(self) -> int:
        """The number of candidates. Local."""
        return len(self.cuts) * len(self.transports) * len(self.strategies)

    def candidates(self) -> Iterator[Candidate]:
        """All candidates, the case's own first. Local."""
        yield self.own
        for cut in self.cuts:
            for transport in self.transports:
                for strategy in self.strategies:
                    candidate = Candidate(cut, transport, strategy)
                    if candidate != self.own:
                        yield candidate


def words_of_cut(setup: Setup) -> str:
    """The name of a cut with the threads of each rank, where there are several. Local."""
    threads = setup.case.run.threads
    return f"{setup.cut} of {threads} threads" if threads > 1 else setup.cut


def space_of(request: TuneRequest, setup: Setup, comm: Comm) -> Space:
    """All candidates to run a case on the ranks of `comm`. Collective."""
    run = setup.case.run
    strategy = "blocking" if run.strategy == "auto" else run.strategy
    own = Candidate(words_of_cut(setup), run.transport, strategy)
    others = [*_cuts(setup, comm), *_crews(setup, comm)]
    named = [one for one in strategy_names() if one != "auto"]
    strategies = request.strategies or (*named, *_ALPHAS)
    transports = request.transports or tuple(transport_names())
    return Space(
        own,
        {own.cut: setup} | {words_of_cut(one): one for one in others},
        tuple(dict.fromkeys((own.transport, *transports))),
        tuple(dict.fromkeys((own.strategy, *strategies))),
    )


def pruned(request: TuneRequest, space: Space, comm: Comm) -> Space:
    """The candidates that may be the fastest, as far as can be told without a run. Collective.

    With a machine file by the predicted time of a step, else by the cost of the partition. The
    case's own candidate stays. UserError for a machine that is none.
    """
    cheap = _near(_costs(space, comm))[:_MOST_CUTS]
    cheap += space.crews  # no cost of a partition knows threads
    left = _without(space, "cut", [one for one in space.cuts if one not in cheap], "by its cost")
    if request.machine is None:
        return left
    told: tuple[Steps, str] = of_root(
        comm, at_root(comm, lambda: _predicted(request, left)), "the prediction"
    )
    steps, trouble = told
    if trouble:
        return replace(left, notes=[*left.notes, f"not predicted: {trouble}"])
    best_of_cut = _least(steps, 0)
    best_of_strategy = _least(steps, 1)
    slow_cuts = [one for one in best_of_cut if one not in _near(best_of_cut)]
    slow = [one for one in best_of_strategy if one not in _near(best_of_strategy)]
    left = _without(left, "cut", slow_cuts, f"predicted for {request.machine}")
    return _without(left, "strategy", slow, f"predicted for {request.machine}")


def _cuts(setup: Setup, comm: Comm) -> Iterator[Setup]:
    """The case cut in every other way that a case file can ask for. Collective."""
    grid, ranks = setup.geometry.grid, comm.size
    blocked = replace(setup.case, run=replace(setup.case.run, partition="block", blocks=[]))
    for x in range(1, ranks + 1):
        for y in range(1, ranks // x + 1):
            blocks = (x, y, ranks // (x * y))
            if ranks % (x * y) or any(n > size for n, size in zip(blocks, grid.size, strict=True)):
                continue
            partition = block_partition(grid, blocks)
            yield replace(setup, case=blocked, partition=partition, blocks=blocks)
    if setup.blocks is None or grid.size[2] > 1 or np.asarray(setup.geometry.wet).all():
        return
    searched = replace(setup.case, run=replace(setup.case.run, partition="ksection", blocks=[]))
    yield searched_setup(replace(setup, case=searched, blocks=None), comm)


def _crews(setup: Setup, comm: Comm) -> Iterator[Setup]:
    """The best blocks for fewer ranks, whose threads have the cores of the others. Collective.

    None where the case says how many threads a rank has.
    """
    case, grid = setup.case, setup.geometry.grid
    for threads in thread_counts(comm) if case.run.threads == 0 else ():
        blocks = best_blocks(grid, comm.size // threads)
        run = replace(case.run, partition="block", blocks=[], threads=threads)
        partition = block_partition(grid, blocks)
        yield replace(setup, case=replace(case, run=run), partition=partition, blocks=blocks)


def _costs(space: Space, comm: Comm) -> dict[str, float]:
    """Price each cut for all ranks, in the coefficients of run.costs. Collective."""
    of_case = read_costs("run.costs", space.cuts[space.own.cut].case.run.costs)
    model = CostModel(**of_case, ranks_per_node=_core.ranks_per_node(comm))
    return {
        name: partition_cost(one.partition, Mask(one.geometry.wet), model).cost
        for name, one in space.cuts.items()
        if name not in space.crews
    }


def _predicted(request: TuneRequest, space: Space) -> tuple[Steps, str]:
    """Return seconds of a step for each cut and strategy, or why there are none. Rank 0."""
    base = request.base
    ranks = next(iter(space.cuts.values())).partition.ranks
    machine = load_machine(str(request.machine))
    asked = PredictionRequest(base.case, machine.name, (ranks,), (), request.mpi, base.sets)
    subject = subject_of(base.case, base.sets)
    steps: dict[tuple[str, str], float] = {}
    problem = ""
    for name, one in space.cuts.items():
        known = one.blocks is not None and name not in space.crews
        for strategy in space.strategies if known else ():
            try:
                cut = cut_into(machine, one.geometry.grid, one.blocks or (1, 1, 1), ranks)
                steps[name, strategy] = by_events(asked, machine, subject, cut, strategy).step
            except UserError as trouble:  # of this strategy alone, or of all
                problem = str(trouble)
    return steps, "" if steps else problem


def _least(steps: Steps, part: int) -> dict[str, float]:
    """The least of all with the same cut (0) or strategy (1)."""
    found: dict[str, float] = {}
    for names, seconds in steps.items():
        found[names[part]] = min(seconds, found.get(names[part], seconds))
    return found


def _near(costs: Mapping[str, float]) -> list[str]:
    """The cuts with a cost near the least, the least first."""
    least = min(costs.values())
    return sorted((n for n, cost in costs.items() if cost <= MARGIN * least), key=costs.__getitem__)


def _without(space: Space, axis: str, names: list[str], why: str) -> Space:
    """The space without some cuts or strategies, except for the case's own."""
    names = [name for name in names if name != getattr(space.own, axis)]
    if not names:
        return space
    notes = [*space.notes, f"left out, {why}: {', '.join(names)}"]
    if axis == "cut":
        cuts = {name: one for name, one in space.cuts.items() if name not in names}
        return replace(space, cuts=cuts, notes=notes)
    strategies = tuple(name for name in space.strategies if name not in names)
    return replace(space, strategies=strategies, notes=notes)
