"""`lapwing tune` against an exhaustive search: how near its answer is, and in how many runs.

python bench/tuned_against_exhaustive.py [--cases kelvin,...] [--ranks 2] [--json FILE]

For each case: the search of `lapwing tune`, then every candidate in all rounds. The fastest of both
then alternate once more, as the least of hundreds of noisy numbers is no measurement; the answer of
`tune` is compared with the fastest of these. Prints a row per case in Markdown; FILE has their
times in the last contest, and the numbers of runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.core import mpi_runtime
from lapwing.core.versions import write_report
from lapwing.machine.tune.candidate import Timed
from lapwing.machine.tune.request import TuneRequest
from lapwing.machine.tune.search import Found, exhaustive, search
from lapwing.machine.tune.space import Space, pruned, space_of
from lapwing.machine.tune.trial import Trials
from lapwing.run.request import Request, agree_on_setup
from lapwing_bench.measure.options import several

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

CASES = ("kelvin", "northsea", "taylor-green")
_BEST = 5  # of the exhaustive search that are measured once more
_ROUNDS = 21
_HEAD = (
    "| case | candidates | measured | runs | of an exhaustive search's | seconds | over the best | "
    "over the case's own |"
)


@dataclass(frozen=True)
class Compared:
    """What both searches came to for a case."""

    case: str
    candidates: int
    tuned: Found
    tuned_seconds: float
    every: Found
    every_seconds: float
    last: list[Timed]  # the fastest candidates of both, the fastest first

    @property
    def answer(self) -> Timed:
        """The answer of `lapwing tune` in the last contest."""
        return next(one for one in self.last if one.candidate == self.tuned.best.candidate)

    @property
    def over_best(self) -> float:
        """The time of that answer over that of the fastest way of all."""
        return self.answer.ratio(self.last[0])

    @property
    def share(self) -> float:
        """Of its runs in those of the exhaustive search."""
        return self.tuned.runs / self.every.runs

    def row(self) -> str:
        """For the table."""
        return (
            f"| {self.case} | {self.candidates} | {self.tuned.candidates} | {self.tuned.runs} | "
            f"{self.share:.1%} of {self.every.runs} | "
            f"{self.tuned_seconds:.0f} of {self.every_seconds:.0f} | {self.over_best:.3f} | "
            f"{self.tuned.ratio:.2f} |"
        )

    def document(self) -> dict[str, object]:
        """For the file."""
        return {
            "case": self.case,
            "candidates": self.candidates,
            "over_best": self.over_best,
            "share_of_runs": self.share,
            "tuned": {
                "candidate": asdict(self.tuned.best.candidate),
                "candidates": self.tuned.candidates,
                "runs": self.tuned.runs,
                "seconds": self.tuned_seconds,
                "over_own": self.tuned.ratio,
            },
            "exhaustive": {
                "candidate": asdict(self.every.best.candidate),
                "runs": self.every.runs,
                "seconds": self.every_seconds,
            },
            "last": [asdict(one) for one in self.last],
        }


def compared(case: str, comm: Comm) -> Compared:
    """Both searches, and the best of both once more. Collective."""
    request = TuneRequest(Request(case=case, ranks=comm.size, leaves_results=False))
    setup = agree_on_setup(request.base, comm)
    space = space_of(request, setup, comm)
    left = pruned(request, space, comm)
    tuned, tuned_seconds = _timed(search, left, comm)
    contests: list[list[Timed]] = []
    every, every_seconds = _timed(exhaustive, space, comm, contests)
    best = [one.candidate for one in contests[0][:_BEST]]
    candidates = list(dict.fromkeys((tuned.best.candidate, *best, space.own)))
    last = Trials(space.cuts, comm, space.own, _quiet).contest(candidates, _ROUNDS, drop=False)
    return Compared(case, space.size, tuned, tuned_seconds, every, every_seconds, last)


def _timed(
    find: Callable[..., Found],
    space: Space,
    comm: Comm,
    contests: list[list[Timed]] | None = None,
) -> tuple[Found, float]:
    began = time.monotonic()
    trials = Trials(space.cuts, comm, space.own, _quiet)

    def keep(_: str, ranked: list[Timed]) -> None:
        if contests is not None:
            contests.append(ranked)

    found = find(space, trials, keep)
    return found, time.monotonic() - began


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
        shown = f"python bench/tuned_against_exhaustive.py --ranks {comm.size}"
        content = {"command": shown, "results": [one.document() for one in found]}
        write_report(options.json, "lapwing-tuned-1", content)


if __name__ == "__main__":
    main()
