"""The methods `mpi4jax`: its own demo, on ranks of their own (lab/peers/mpi4jax_peer.py)."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from lapwing.core import mpi_runtime
from mpi4py import MPI

from lapwing_lab._core import ShallowModel
from lapwing_lab.bench.measure.method import MethodMissingError, missing_together
from lapwing_lab.bench.measure.peer_job import PeerJob, started_by
from lapwing_lab.bench.shallow_water.model import Array

PROGRAM = Path(__file__).parents[3] / "peers" / "mpi4jax_peer.py"
MOST_RANKS = 2  # its demo cuts along x too from three ranks on
SECONDS = 600.0  # in which it compiles, or runs the steps of a request


class Mpi4jaxShallow:
    """The demo as it ships, or with what is missing in it."""

    settled, choice = True, ""

    def __init__(
        self, comm: MPI.Comm, model: ShallowModel, wide: bool, call_steps: int, corrected: int
    ) -> None:
        """Start it. Collective; MethodMissingError, on all ranks, where it is not to be had.

        `corrected`: 0, as it ships; 1, the friction of v; 2, the missing exchange too.
        """
        if comm.size > MOST_RANKS:
            raise MethodMissingError(f"its demo cuts another way on {comm.size} ranks")
        missing_together(comm, lambda: demo() if comm.rank == 0 else None)
        self.comm, self.model = comm, model
        given = (model.nx, model.ny, call_steps, int(wide), corrected)

        def command(folder: Path) -> list[str]:
            mpi = mpi_runtime.built_with()
            start = started_by(str(mpi_runtime.mpiexec_path()), mpi.family, comm.size)
            more = [str(folder), str(demo()), *map(str, given)]
            return [*start, sys.executable, str(PROGRAM), *more]

        self.job = PeerJob(comm, "mpi4jax", command, SECONDS)

    def begin(self, *flow: Array) -> None:
        """Begin with its own first flow, which is the same one. Collective."""
        self.job.ask("begin")

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""
        self.job.ask(f"run {steps}")

    def read(self, *flow: Array) -> None:
        """Write the flow into arrays h, u and v, x fastest. Collective."""
        file = Path(self.job.ask("read").strip())
        for to, values in zip(flow, np.load(file), strict=True):
            to[...] = values.ravel()
        file.unlink()

    def close(self) -> None:
        """End it. Collective."""
        self.job.close()


def demo() -> Path:
    """The demo that `make peer-mpi4jax` unpacked. Local; MethodMissingError without it."""
    path = Path(sys.prefix, "libexec", "lapwing", "mpi4jax_shallow_water.py")
    if not path.exists() or not versions():
        raise MethodMissingError("not installed; `make peer-mpi4jax`")
    return path


def versions() -> dict[str, str]:
    """The versions of mpi4jax and JAX; empty where they are not installed. Local."""
    try:
        return {name: version(name) for name in ("mpi4jax", "jax")}
    except PackageNotFoundError:
        return {}
