"""A method in a program of its own, on other ranks and perhaps another MPI (lab/peers).

They alternate on the same cores (`measure.peer_job`).
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lapwing.core.mpi_library import MPILibrary
from mpi4py import MPI

from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.measure.method import Method, MethodMissingError
from lapwing_lab.bench.measure.peer_job import (
    START_SECONDS,
    PeerJob,
    environment,
    last_lines,
    started_by,
)


@dataclass(frozen=True)
class PeerProgram:
    """A program of lab/peers: where it is, its library, its MPI, and the launcher of that."""

    path: Path
    library: str
    mpi: MPILibrary
    launcher: str

    @classmethod
    def find(cls, name: str) -> PeerProgram:
        """The program that `make peers` built for a library. Local.

        Raises MethodMissingError where it is not there.
        """
        path = Path(sys.prefix, "libexec", "lapwing", f"{name}_peer")
        if not path.exists():
            raise MethodMissingError(f"not installed (no {path.name}; `make peers` builds it)")
        return cls.at(path)

    @classmethod
    def at(cls, path: Path) -> PeerProgram:
        """Ask a program what it is. Local."""
        done = subprocess.run(
            [str(path), "--about"],
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise MethodMissingError(f"{path.name} does not run: {last_lines(done.stderr)}")
        library, mpi, launcher = done.stdout.splitlines()
        return cls(path, library, MPILibrary.from_text(mpi), launcher)

    def command(self, ranks: int, *arguments: str) -> list[str]:
        """The command line that starts it on that many ranks. Local."""
        start = started_by(self.launcher, self.mpi.family, ranks)
        return [*start, str(self.path), *arguments]

    def __str__(self) -> str:
        """Library and MPI."""
        return f"{self.library} on {self.mpi}"


class PeerMethod(Method):
    """A method that a program does."""

    def __init__(self, comm: MPI.Comm, work: ExchangeWork, program: PeerProgram, name: str) -> None:
        """Start the program and meet its ranks. Collective.

        `name`: "hand-combined", or any other for what the program is about. Raises
        MethodMissingError on all ranks where it does not start.
        """
        self.job = PeerJob(
            comm,
            str(program),
            lambda folder: program.command(comm.size, str(folder), name, *_sizes(work)),
        )

    def sample(self, rounds: int) -> tuple[float, float]:
        """Seconds per round of rewriting and exchanging, and of rewriting alone. Collective."""
        with_touch, touch = self.job.ask(f"sample {rounds}").split()
        return float(with_touch), float(touch)

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""
        return int(self.job.ask("check"))

    def wrong_after_sample(self) -> int:
        """The same after the exchanges that were timed last. Collective."""
        return int(self.job.ask("check sample"))

    def close(self) -> None:
        """End the program. Collective."""
        self.job.close()


def _sizes(work: ExchangeWork) -> list[str]:
    """The work as arguments of a peer (lab/peers/peer.hpp). Local."""
    numbers = (work.nx, work.ny, work.levels, work.fields, work.width, *work.blocks)
    return [str(number) for number in (*numbers, int(work.levels_fastest))]
