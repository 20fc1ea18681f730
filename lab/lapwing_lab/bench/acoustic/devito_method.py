"""The method `devito`, on ranks of its own (lab/peers/devito_peer.py)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from lapwing.core import mpi_runtime
from mpi4py import MPI

from lapwing_lab.bench.acoustic.model import AcousticModel, Array
from lapwing_lab.bench.measure.method import MethodMissingError, missing_together
from lapwing_lab.bench.measure.peer_job import PeerJob, started_by

PROGRAM = Path(__file__).parents[3] / "peers" / "devito_peer.py"
SECONDS = 1200.0  # in which it compiles all that it tries, and tunes them


class DevitoAcoustic:
    """An Operator of Devito, in the fastest of some ways of sending messages."""

    settled = True

    def __init__(
        self, comm: MPI.Comm, model: AcousticModel, modes: Sequence[str], call_steps: int
    ) -> None:
        """Start it. Collective; MethodMissingError, on all ranks, where it is not to be had.

        It is tuned on `call_steps` steps.
        """
        missing_together(comm, lambda: require_devito() if comm.rank == 0 else None)
        tried = modes if comm.size > 1 else ["none"]

        def command(folder: Path) -> list[str]:
            mpi = mpi_runtime.built_with()
            start = started_by(str(mpi_runtime.mpiexec_path()), mpi.family, comm.size)
            more = [str(folder), *map(str, model.cells), ",".join(tried)]
            return [*start, sys.executable, str(PROGRAM), *more]

        self.job = PeerJob(comm, "devito", command, SECONDS)
        self.choice = self.job.ask(f"tune {call_steps}").strip()

    def begin(self, u: Array, courant: Array) -> None:
        """Begin with its own first u, which is the same one. Collective."""
        self.job.ask("begin")

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""
        self.job.ask(f"run {steps}")

    def read(self, u: Array) -> None:
        """Write u of the box of this rank into an array, x fastest. Collective."""
        file = Path(self.job.ask("read").strip())
        u[...] = np.load(file).ravel()
        file.unlink()

    def close(self) -> None:
        """End it. Collective."""
        self.job.close()


def require_devito() -> None:
    """Local; MethodMissingError where Devito is not installed."""
    if not versions():
        raise MethodMissingError("not installed; `make peer-devito`")


def versions() -> dict[str, str]:
    """The version of Devito; empty where it is not installed. Local."""
    try:
        return {"devito": version("devito")}
    except PackageNotFoundError:
        return {}
