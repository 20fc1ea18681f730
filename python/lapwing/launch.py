"""Ranks for a command: those of mpiexec where it was used, else started here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from lapwing import mpi_runtime
from lapwing.agreement import OUTSIDE

# Where launchers tell a process its rank, before MPI is started.
_RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def started_ranks() -> int | None:
    """How many ranks a launcher has started, this process being one; None without one. Local."""
    return mpi_runtime.announced_world_size()


def speaks() -> bool:
    """Whether this process prints for all before MPI is started: rank 0, or alone. Local."""
    ranks = [os.environ[name] for name in _RANK_VARIABLES if name in os.environ]
    return not mpi_runtime.under_launcher() or not ranks or ranks[0] == "0"


def launch(ranks: int, arguments: Sequence[str]) -> int:
    """Run `lapwing ARGUMENTS` on that many ranks, wait, and return the exit code 0 to 3.

    Local. When this process is told to end (Ctrl-C, SIGTERM, a closed terminal), so is the job.
    MPISetupError when the launcher is missing.
    """
    command = [*mpi_runtime.launcher_command(ranks), sys.executable, "-m", "lapwing", *arguments]
    with (
        subprocess.Popen(command, env=mpi_runtime.launcher_environment()) as job,
        passing_on(job.terminate) as told,
    ):
        code = job.wait()
    return judged(code, f"the job on {ranks} ranks", told)


@contextmanager
def passing_on(end: Callable[[], None]) -> Iterator[list[int]]:
    """Call `end` when this process is told to end; gives the list of the signals that told it.

    Local; in the main thread.
    """
    told: list[int] = []

    def pass_on(number: int, _: FrameType | None) -> None:
        told.append(number)
        end()

    before = {number: signal.signal(number, pass_on) for number in _ENDING}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def judged(code: int, job: str, told: Sequence[int]) -> int:
    """The exit code 0 to 3 for that of a job, with a word where it says nothing itself. Local."""
    if told:
        print(f"error: ended by {signal.Signals(told[0]).name}", file=sys.stderr)
        return OUTSIDE
    if code in (0, 1, 2, 3):
        return code
    print(f"error: {job} ended with code {code}, see above", file=sys.stderr)
    return OUTSIDE
