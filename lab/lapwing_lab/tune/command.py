"""`lapwing tune`: the fastest way to run a case on its ranks, found and kept."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from lapwing.base.agreement import DONE, at_root, end_together
from lapwing.base.progress import ProgressBar
from lapwing.core.steps.tuned import RunFinding
from lapwing.run.request import Setup, agree_on_setup, nodes_of
from lapwing.run.tuned import keep_finding, run_of, tuned_path

from lapwing_lab.tune.candidate import Candidate, Timed
from lapwing_lab.tune.report import (
    print_contest,
    print_found,
    print_space,
    words_of,
    write_found,
)
from lapwing_lab.tune.request import TuneRequest, check_request
from lapwing_lab.tune.search import Found, exhaustive, most_of, search
from lapwing_lab.tune.space import Space, pruned, space_of
from lapwing_lab.tune.trial import Trials

if TYPE_CHECKING:
    from mpi4py.MPI import Comm


def run_tune(request: TuneRequest, comm: Comm) -> int:
    """Find the fastest way, print it, keep it, and return the exit code, the same on all ranks.

    Collective. Errors are printed, not raised, as `run_case` does.
    """
    job = _Job(request, comm)
    try:
        job.run()
    except Exception as problem:
        return end_together(comm, problem, job.stage, request.base.debug)
    return DONE


def answer(mine: RunFinding, space: Space, best: Candidate, measured: str) -> RunFinding:
    """The finding for the ranks of a candidate, which may be fewer than were there. Local."""
    cut = space.cuts[best.cut]
    return replace(
        mine,
        ranks=cut.partition.ranks,
        threads=cut.case.run.threads,
        partition="block" if cut.blocks else "ksection",
        blocks=list(cut.blocks or ()),
        transport=best.transport,
        strategy=best.strategy,
        measured=measured,
    )


class _Job:
    """One search, and how far it has come."""

    def __init__(self, request: TuneRequest, comm: Comm) -> None:
        self.request, self.comm = request, comm
        self.stage = "set-up"
        self.contests: dict[str, list[Timed]] = {}
        self.began = time.monotonic()

    def run(self) -> None:
        """Run everything from the request to the tuned file."""
        request, comm = self.request, self.comm
        setup = agree_on_setup(request.base, comm)
        # what rank 0 writes is its own matter
        at_root(comm, lambda: check_request(request, setup))
        mine = run_of(setup.case, setup.geometry, setup.belongs, comm.size, nodes_of(comm))
        space = space_of(request, setup, comm)
        left = space if request.exhaustive else pruned(request, space, comm)
        found = self.search(space, left)
        self.stage = "tuned file"
        at_root(comm, lambda: self.keep(setup, mine, space, found))

    def search(self, space: Space, left: Space) -> Found:
        """Measure what is left. Collective."""
        every_one = self.request.exhaustive
        style = self.request.base.progress if self.comm.rank == 0 else "none"
        with ProgressBar(style, left.size if every_one else most_of(left)) as bar:

            def begin(candidate: str) -> None:
                self.stage = candidate
                bar.begin(candidate)

            trials = Trials(left, self.comm, begin)
            if self.comm.rank == 0:
                print_space(space, left, trials.notes)
            find = exhaustive if every_one else search
            return find(left, trials, self.tell)

    def tell(self, what: str, ranked: list[Timed]) -> None:
        """A table of what was compared, on rank 0. Local."""
        self.contests[what] = ranked
        if self.comm.rank == 0:
            print_contest(what, ranked)

    def keep(self, setup: Setup, mine: RunFinding, space: Space, found: Found) -> None:
        """Write the answer and say so. Rank 0."""
        path = tuned_path(self.request.base.case, setup.case)
        words = "a step takes " + "; ".join(words_of(found, space))
        last = list(self.contests.values())[-1]
        on_all = next((one for one in last if one.candidate.cut not in space.crews), found.best)
        keep_finding(path, answer(mine, space, on_all.candidate, words))
        if found.best.candidate.cut in space.crews:
            keep_finding(path, answer(mine, space, found.best.candidate, words))
        print_found(found, space, time.monotonic() - self.began, path)
        if self.request.json is not None:
            write_found(self.request.json, mine, space, found, self.contests)
