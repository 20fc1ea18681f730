"""A method in a program of its own, on other ranks and perhaps another MPI (bench/peers).

Every rank here is connected to the same rank there. Whoever waits for the other side sleeps, so the
two alternate on the same cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from socket import AF_UNIX, socket
from time import monotonic
from typing import IO

from lapwing.core.mpi_runtime import MPILibrary
from mpi4py import MPI

from lapwing_bench._core import ExchangeWork
from lapwing_bench.measure.method import Method, MethodMissingError

START_SECONDS = 60.0
ANSWER_SECONDS = 120.0
LOOK_SECONDS = 0.05  # how often a starting program is looked at

# What a program may see: what one MPI leaves in the environment makes another one abort.
_KEPT = ("HOME", "LANG", "PATH", "TMPDIR", "USER")


@dataclass(frozen=True)
class PeerProgram:
    """A program of bench/peers: where it is, its library, its MPI, and the launcher of that."""

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
            raise MethodMissingError(f"{path.name} does not run: {_last_lines(done.stderr)}")
        library, mpi, launcher = done.stdout.splitlines()
        return cls(path, library, MPILibrary.from_text(mpi), launcher)

    def command(self, ranks: int, *arguments: str) -> list[str]:
        """The command line that starts it on that many ranks. Local."""
        spread = ["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]
        options = spread if self.mpi.family == "Open MPI" else []
        return [self.launcher, *options, "-n", str(ranks), str(self.path), *arguments]

    def __str__(self) -> str:
        """Library and MPI."""
        return f"{self.library} on {self.mpi}"


def environment() -> dict[str, str]:
    """The environment of a peer. Local."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class PeerMethod(Method):
    """A method that a program does."""

    def __init__(self, comm: MPI.Comm, work: ExchangeWork, program: PeerProgram, name: str) -> None:
        """Start the program and meet its ranks. Collective.

        `name`: "hand-combined", or any other for what the program is about. Raises
        MethodMissingError on all ranks where it does not start.
        """
        self.comm = comm
        self.job: subprocess.Popen[bytes] | None = None  # and what it says; on rank 0
        self.output: IO[bytes] | None = None
        folder = tempfile.mkdtemp(prefix="lapwing-peer-") if comm.rank == 0 else None
        self.folder = Path(comm.bcast(folder))
        with socket(AF_UNIX) as listener:
            listener.bind(str(self.folder / str(comm.rank)))
            listener.listen()
            listener.settimeout(LOOK_SECONDS)
            comm.Barrier()
            if comm.rank == 0:
                self._start(program.command(comm.size, str(self.folder), name, *_sizes(work)))
            connection = self._meet(listener)
        if comm.rank == 0:
            shutil.rmtree(self.folder)  # already here, as a job that is killed cleans nothing
        if connection is None:
            self._end()
            words = comm.bcast(self._last_words())
            raise MethodMissingError(f"{program} did not start: {words}")
        connection.settimeout(ANSWER_SECONDS)
        self.connection, self.stream = connection, connection.makefile("rw")

    def sample(self, rounds: int) -> tuple[float, float]:
        """Seconds per round of rewriting and exchanging, and of rewriting alone. Collective."""
        with_touch, touch = self._ask(f"sample {rounds}").split()
        return float(with_touch), float(touch)

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""
        return int(self._ask("check"))

    def close(self) -> None:
        """End the program. Collective."""
        self.stream.close()
        self.connection.close()
        self._end()

    def _start(self, command: list[str]) -> None:
        self.output = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self.job = subprocess.Popen(
                command,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=subprocess.STDOUT,
            )
        except OSError as problem:  # others wait for rank 0 in `_meet`
            self.output.write(str(problem).encode())

    def _meet(self, listener: socket) -> socket | None:
        """The connection to the same rank there; None, on all ranks, where one has none."""
        connection, until = None, monotonic() + START_SECONDS
        while True:
            if connection is None:
                with suppress(TimeoutError):
                    connection, _ = listener.accept()
            gone = self.job.poll() is not None if self.job is not None else self.comm.rank == 0
            if self.comm.allreduce(connection is not None, MPI.LAND):
                return connection
            if self.comm.allreduce(gone or monotonic() > until, MPI.LOR):
                return None

    def _ask(self, request: str) -> str:
        line = ""
        with suppress(OSError):
            self.stream.write(request + "\n")
            self.stream.flush()
            line = self.stream.readline()
        if not line:
            raise RuntimeError(f"bench exchange: a peer does not answer: {self._last_words()}")
        return line

    def _end(self) -> None:
        """Wait for the end of the program, or bring it about. Local."""
        if self.job is None:
            return
        try:
            self.job.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.job.terminate()
            self.job.wait()

    def _last_words(self) -> str:
        if self.output is None:
            return "rank 0 knows more"
        self.output.seek(0)
        return _last_lines(self.output.read().decode(errors="replace"))


def _sizes(work: ExchangeWork) -> list[str]:
    """The work as arguments of a peer (bench/peers/peer.hpp). Local."""
    numbers = (work.nx, work.ny, work.levels, work.fields, work.width, *work.blocks)
    return [str(number) for number in (*numbers, int(work.levels_fastest))]


def _last_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-3:]) or "it said nothing"
