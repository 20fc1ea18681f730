"""A job of another program on ranks of its own, each connected to the same rank here.

Whoever waits for the other side sleeps, so the two alternate on the same cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from socket import AF_UNIX, socket
from time import monotonic
from typing import IO

from mpi4py import MPI

from lapwing_lab.bench.measure.binding import cores_of_ranks
from lapwing_lab.bench.measure.method import MethodMissingError

START_SECONDS = 60.0
ANSWER_SECONDS = 120.0
LOOK_SECONDS = 0.05  # how often a starting program is looked at

# The variables that a program may see: those that one MPI sets make another one abort.
_KEPT = ("HOME", "LANG", "PATH", "TMPDIR", "USER")


def environment() -> dict[str, str]:
    """The environment of a peer. Local."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def started_by(launcher: str, family: str, ranks: int) -> list[str]:
    """The words before a program that a launcher starts on that many ranks, bound to nothing.

    Local. `family`: of the launcher's MPI.
    """
    spread = ["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]
    return [launcher, *(spread if family == "Open MPI" else []), "-n", str(ranks)]


class PeerJob:
    """Ranks of a program that answer requests, a line each, the same to all ranks at a time."""

    def __init__(
        self,
        comm: MPI.Comm,
        title: str,
        command: Callable[[Path], Sequence[str]],
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        """Start the program and meet its ranks. Collective.

        `command`: starts it, given the folder in which rank N finds the socket N to connect to; it
        finds the cores of its ranks in LAPWING_PEER_CORES. `seconds`: in which it answers. Raises
        MethodMissingError on all ranks, with the `title`, where it does not start.
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
            cores = cores_of_ranks(comm)
            if comm.rank == 0:
                self._start(command(self.folder), cores)
            connection = self._meet(listener)
        if comm.rank == 0:
            shutil.rmtree(self.folder)  # already here, as a job that is killed cleans nothing
        if connection is None:
            self._end()
            words = comm.bcast(self._last_words())
            raise MethodMissingError(f"{title} did not start: {words}")
        connection.settimeout(seconds)
        self.connection, self.stream = connection, connection.makefile("rw")

    def close(self) -> None:
        """End the program. Collective."""
        self.stream.close()
        self.connection.close()
        self._end()

    def _start(self, command: Sequence[str], cores: list[int]) -> None:
        self.output = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self.job = subprocess.Popen(
                command,
                env=environment() | {"LAPWING_PEER_CORES": " ".join(map(str, cores))},
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=subprocess.STDOUT,
                # this rank is bound to one of them, and a program begins where its parent is
                preexec_fn=partial(os.sched_setaffinity, 0, cores) if cores else None,
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

    def ask(self, request: str) -> str:
        """The answer to a request, in one line. Collective."""
        line = ""
        with suppress(OSError):
            self.stream.write(request + "\n")
            self.stream.flush()
            line = self.stream.readline()
        if not line:
            raise RuntimeError(f"bench: a peer does not answer: {self._last_words()}")
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
        return last_lines(self.output.read().decode(errors="replace"))


def last_lines(text: str) -> str:
    """The end of what a program said, in one line. Local."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-3:]) or "it said nothing"
