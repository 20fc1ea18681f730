"""`lapwing tune` against an exhaustive search: how near its answer is, and in how many runs.

python lab/programs/tuned_against_exhaustive.py [--cases kelvin,...] [--ranks 2] [--json FILE]

For each case: the search of `lapwing tune`, then every candidate in all rounds. As the least of
hundreds of noisy numbers is no measurement, the best five of these race again, and the fastest and
the answer of `tune` alternate then: the median of the ratios of their times, with its quartiles.
Prints a row per case in Markdown; FILE has the candidates, all ratios and the numbers of runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

from lapwing.core import mpi_runtime
from lapwing.core.versions import write_report
from lapwing.run.request import Request, agree_on_setup
from lapwing_lab.bench.measure.options import several
from lapwing_lab.tune.candidate import Candidate, Timed
from lapwing_lab.tune.request import TuneRequest
from lapwing_lab.tune.search import Found, exhaustive, search
from lapwing_lab.tune.space import Space, pruned, space_of
from lapwing_lab.tune.trial import Trials

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

CASES = ("kelvin", "northsea", "taylor-green")
_BEST, _AGAIN = 5, 15  # of the exhaustive search that race again, and rounds
_PAIRS = 41  # rounds of the answer and the fastest of all
_HEAD = (
    "| case | candidates | measured | runs | of an exhaustive search's | seconds | over the best | "
    "over the case's own |"
)


@dataclass(frozen=True)
class Compared:
    """The results of both searches for a case."""

    case: str
    tuned: Found
    tuned_seconds: float
    every: Found
    every_seconds: float
    best: Candidate  # of all
    over_best: list[float]  # of the answer, by round
    load: float  # processes that wanted to run in the minute before, these ranks among them

    @property
    def share(self) -> float:
        """The runs of `lapwing tune`, as a share of the runs of an exhaustive search."""
        return self.tuned.runs / self.every.runs

    def row(self) -> str:
        """For the table."""
        low, middle, high = quantiles(self.over_best, n=4)
        return (
            f"| {self.case} | {self.every.candidates} | {self.tuned.candidates} | "
            f"{self.tuned.runs} | {self.share:.1%} of {self.every.runs} | "
            f"{self.tuned_seconds:.0f} of {self.every_seconds:.0f} | "
            f"{middle:.3f} ({low:.3f}-{high:.3f}) | {self.tuned.ratio:.2f} |"
        )

    def document(self) -> dict[str, object]:
        """For the file."""
        searches = (self.tuned, self.tuned_seconds), (self.every, self.every_seconds)
        told = [
            {
                "answer": asdict(found.best.candidate),
                "over_own": found.ratio,
                "candidates": found.candidates,
                "runs": found.runs,
                "seconds": seconds,
            }
            for found, seconds in searches
        ]
        return {
            "case": self.case,
            "tuned": told[0],
            "exhaustive": told[1],
            "share_of_runs": self.share,
            "best": asdict(self.best),
            "over_best": self.over_best,
            "load": self.load,
        }


def compared(case: str, comm: Comm) -> Compared:
    """Both searches, and the best of both once more. Collective."""
    request = TuneRequest(Request(case=case, ranks=comm.size, leaves_results=False))
    setup = agree_on_setup(request.base, comm)
    space = space_of(request, setup, comm)
    left = pruned(request, space, comm)
    tuned, tuned_seconds, _ = _timed(search, left, comm)
    every, every_seconds, ranked = _timed(exhaustive, space, comm)
    trials = Trials(space, comm, _quiet)
    again = trials.contest([one.candidate for one in ranked[:_BEST]], _AGAIN, drop=False)
    best, answer = again[0].candidate, tuned.best.candidate
    over = [1.0] * _PAIRS
    if answer != best:
        pair = {one.candidate: one for one in trials.contest([best, answer], _PAIRS, drop=False)}
        times = zip(pair[answer].seconds, pair[best].seconds, strict=True)
        over = [mine / theirs for mine, theirs in times]
    load = os.getloadavg()[0]
    return Compared(case, tuned, tuned_seconds, every, every_seconds, best, over, load)


def _timed(
    find: Callable[..., Found], space: Space, comm: Comm
) -> tuple[Found, float, list[Timed]]:
    """Return what a search found, its seconds, and its last contest. Collective."""
    began = time.monotonic()
    contests: list[list[Timed]] = []
    trials = Trials(space, comm, _quiet)
    found = find(space, trials, lambda _, ranked: contests.append(ranked))
    return found, time.monotonic() - began, contests[-1]


def _quiet(_: str) -> None:
    """Say nothing."""


def main() -> None:
    """Start the ranks, or on them print all rows."""
    parser = argparse.ArgumentParser(description="lapwing tune against an exhaustive search.")
    parser.add_argument("--cases", type=several(str), default=CASES)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if mpi_runtime.announced_world_size() is None:
        command = [*mpi_runtime.launcher_command(options.ranks), sys.executable, *sys.argv]
        sys.exit(subprocess.call(command, env=mpi_runtime.launcher_environment()))
    comm = mpi_runtime.start().COMM_WORLD
    root = comm.rank == 0
    if root:
        print(f"{_HEAD}\n{'| --- ' * (_HEAD.count('|') - 1)}|", flush=True)
    found = []
    for case in options.cases:
        found.append(compared(case, comm))
        if root:
            print(found[-1].row(), flush=True)
        if root and options.json is not None:
            shown = f"python lab/programs/tuned_against_exhaustive.py --ranks {comm.size}"
            content = {"command": shown, "results": [one.document() for one in found]}
            write_report(options.json, "lapwing-tuned-1", content)


if __name__ == "__main__":
    main()
