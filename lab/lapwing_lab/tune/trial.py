"""Short runs of a case by several candidates that are ready at the same time."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from lapwing.base.agreement import all_came, all_values, together
from lapwing.base.error import OutsideError, UserError
from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.core.names import steps_per_exchange
from lapwing.run.creation import create_case_run, step_of
from lapwing.run.request import Setup
from lapwing.run.summary import crowding

from lapwing_lab.tune.candidate import Candidate, Timed
from lapwing_lab.tune.crew import crew_of
from lapwing_lab.tune.race import ROUNDS, race
from lapwing_lab.tune.space import Space

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

PIECE = 0.03  # s that a short run takes, at least
_CYCLES = 8  # a multiple of it are its steps: whole cycles of models that alternate
_MOST, _LEAST = 16, 2  # candidates that are ready at once


def period_of(strategies: Sequence[str]) -> int:
    """Steps after which each strategy has exchanged as often as it does on average. Local."""
    return math.lcm(_CYCLES, *map(steps_per_exchange, strategies))


class Trial:
    """A case on its ranks by one candidate. Its calls are collective over all ranks.

    Ranks that are not of the crew sleep meanwhile: threads of others have their cores.
    """

    def __init__(self, setup: Setup, comm: Comm, crew: Comm | None, candidate: Candidate) -> None:
        """Put the model on the crew; UserError or OutsideError where it cannot be run so."""
        self.comm, self.crew = comm, crew
        problem = self._create(setup, crew, candidate) if crew is not None else None

        def agree() -> None:
            if problem is not None:
                raise problem

        together(comm, agree)

    def _create(self, setup: Setup, crew: Comm, candidate: Candidate) -> Exception | None:
        """Make the model, or return what all ranks of the crew have met. Collective over it."""
        axes = (setup.geometry.x, setup.geometry.y)
        self.domain = Domain(setup.partition, crew, axes=axes)
        try:
            self.run = create_case_run(
                setup, self.domain, strategy=candidate.strategy, transport=candidate.transport
            )
            self.step = step_of(self.run, setup.case.name)
        except (UserError, OutsideError) as problem:
            if not all_came(crew):  # a rank alone has met it, and the job will be ended
                raise
            self.domain.close()
            return problem
        return None

    def seconds(self, steps: int) -> float:
        """Run some steps; the time of one on the slowest rank, s."""
        mine = 0.0
        if self.crew is not None:
            self.step.run(0, lambda: None)  # a barrier that lets others run
            begin = perf_counter()
            self.run.advance(steps)
            mine = perf_counter() - begin
        slowest: float = max(all_values(self.comm, mine, "the times of the other ranks"))
        return slowest / steps

    def close(self) -> None:
        """Give the memory and the communicators back; StateError where values are not finite."""
        together(self.comm, self._close)

    def _close(self) -> None:
        if self.crew is None:
            return
        self.run.check_state()
        del self.run, self.step
        gc.collect()
        self.domain.close()


class Trials:
    """The trials of candidates: how long a short run is, and how many are in memory at once."""

    def __init__(self, space: Space, comm: Comm, begin: Callable[[str], None]) -> None:
        """Run a few steps as the case itself says, to learn both. Collective.

        `begin` is told each candidate that is tried. Raises what keeps the case from running.
        """
        self.cuts, self.comm, self.begin = space.cuts, comm, begin
        shares = {comm.size // one.partition.ranks for one in space.cuts.values()}
        self.crews = {share: crew_of(comm, share) for share in sorted(shares)}
        before = _resident()
        own = self.cuts[space.own.cut]
        trial = self._trial(space.own)
        period = period_of(space.strategies)
        # all rounds within the case's own time, where it is long enough
        most = int(own.case.run.duration / trial.run.dt) // (ROUNDS + 2) // period * period
        self.steps = period
        while self.steps * trial.seconds(self.steps) < PIECE and 2 * self.steps <= most:
            self.steps *= 2
        grown = max(1, _resident() - before)
        self.notes = crowding(trial.domain)
        trial.close()
        share = _available() // _core.ranks_per_node(comm)
        rooms = all_values(comm, share // (2 * grown), "the memory of the other ranks")
        self.room = min(max(min(rooms), _LEAST), _MOST)
        self.runs = 0

    def contest(
        self, candidates: Sequence[Candidate], rounds: int = ROUNDS, *, drop: bool = True
    ) -> list[Timed]:
        """Measure candidates against the first of them; all, the fastest first. Collective.

        A candidate that cannot be had here says why. StateError where a run became unstable.
        """
        first, others = candidates[0], list(candidates[1:])
        size = self.room - 1
        found: list[Timed] = []
        for begin in range(0, max(1, len(others)), size):
            rivals = [Timed(candidate) for candidate in (first, *others[begin : begin + size])]
            self._race(rivals, rounds, drop)
            for one in rivals:
                one.over_first = one.ratio(rivals[0])
            found += rivals if begin == 0 else rivals[1:]
        return sorted(found, key=lambda one: (not one.seconds, one.dropped, one.over_first))

    def _trial(self, candidate: Candidate) -> Trial:
        setup = self.cuts[candidate.cut]
        crew = self.crews[self.comm.size // setup.partition.ranks]
        return Trial(setup, self.comm, crew, candidate)

    def _race(self, rivals: Sequence[Timed], rounds: int, drop: bool) -> None:
        ready: dict[Candidate, Trial] = {}
        for one in rivals:
            self.begin(str(one.candidate))
            try:
                ready[one.candidate] = self._trial(one.candidate)
            except (UserError, OutsideError) as problem:
                if one is rivals[0] or not all_came(self.comm):
                    raise
                one.problem = str(problem)
        running = [one for one in rivals if one.candidate in ready]
        for one in running:
            ready[one.candidate].seconds(self.steps)  # the first time is slower
            one.runs += 1
        race(running, lambda candidate: ready[candidate].seconds(self.steps), rounds, drop=drop)
        self.runs += sum(one.runs for one in running)
        for trial in ready.values():
            trial.close()


def _resident() -> int:
    """Bytes of memory that this process has. Local."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _available() -> int:
    """Bytes of memory that processes may still take on this node. Local."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(one.split()[1]) * 1024 for one in lines if one.startswith("MemAvailable"))
