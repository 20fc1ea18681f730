"""Ranks for a command: those of mpiexec where it was used, else started here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
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
    told: list[int] = []
    with subprocess.Popen(command, env=mpi_runtime.launcher_environment()) as job:

        def pass_on(number: int, _: FrameType | None) -> None:
            told.append(number)
            job.terminate()

        before = {number: signal.signal(number, pass_on) for number in _ENDING}
        try:
            code = job.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    return _judge(code, ranks, told)


def _judge(code: int, ranks: int, told: list[int]) -> int:
    """The exit code for that of a launcher, with a word where it says nothing itself."""
    if told:
        print(f"error: ended by {signal.Signals(told[0]).name}", file=sys.stderr)
        return OUTSIDE
    if code in (0, 1, 2, 3):
        return code
    print(f"error: the job on {ranks} ranks ended with code {code}, see above", file=sys.stderr)
    return OUTSIDE
