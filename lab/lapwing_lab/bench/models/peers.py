"""Models in programs of their own, on other ranks: those of Devito and mpi4jax (lab/peers)."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core import mpi_runtime
from lapwing.core.domain import Domain
from mpi4py import MPI
from numpy.typing import NDArray

from lapwing_lab.bench.measure.method import MethodMissingError, missing_together
from lapwing_lab.bench.measure.peer_job import PeerJob, started_by

PROGRAMS = Path(__file__).parents[3] / "peers"
PACKAGES = {"devito": ("devito",), "mpi4jax": ("mpi4jax", "jax")}
SECONDS = {"devito": 1200.0, "mpi4jax": 600.0}  # in which it compiles, tunes, or runs a request
DEMO_RANKS = 2  # mpi4jax's demo cuts along x too from three ranks on


class PeerModel:
    """A model that a Python program of lab/peers steps, from the same first state."""

    settled, choice = True, ""

    def __init__(self, comm: MPI.Comm, name: str, *arguments: object) -> None:
        """Start it with the arguments. Collective; MethodMissingError, on all ranks, if not."""

        def command(folder: Path) -> list[str]:
            mpi = mpi_runtime.built_with()
            start = started_by(str(mpi_runtime.mpiexec_path()), mpi.family, comm.size)
            program = str(PROGRAMS / f"{name}_peer.py")
            return [*start, sys.executable, program, str(folder), *map(str, arguments)]

        self.job = PeerJob(comm, name, command, SECONDS[name])

    def begin(self, *first: NDArray[Any]) -> None:
        """Begin with its own first state, which is the same one. Collective."""
        self.job.ask("begin")

    def run(self, steps: int) -> None:
        """Run that many steps. Collective."""
        self.job.ask(f"run {steps}")

    def read(self, *state: NDArray[Any]) -> None:
        """Write the state of the box of this rank into arrays, x fastest. Collective."""
        file = Path(self.job.ask("read").strip())
        found = np.load(file)
        for to, values in zip(state, found if len(state) > 1 else [found], strict=True):
            to[...] = values.ravel()
        file.unlink()

    def close(self) -> None:
        """End it. Collective."""
        self.job.close()


def devito_model(
    domain: Domain, cells: tuple[int, ...], modes: tuple[str, ...], call_steps: int
) -> PeerModel:
    """An Operator of Devito, tuned on `call_steps` steps in the fastest of some modes. Collective.

    MethodMissingError, on all ranks, where it is not to be had. `modes`: how it sends messages.
    """
    comm = domain.mpi
    require_one_node(domain)
    missing_together(comm, lambda: require_installed("devito") if comm.rank == 0 else None)
    tried = modes if comm.size > 1 else ["none"]
    made = PeerModel(comm, "devito", *cells, ",".join(tried))
    made.choice = made.job.ask(f"tune {call_steps}").strip()
    return made


def mpi4jax_model(
    domain: Domain, cells: tuple[int, int], wide: bool, call_steps: int, corrected: int
) -> PeerModel:
    """The demo of mpi4jax. Collective; MethodMissingError, on all ranks, where it is not to be had.

    `corrected`: 0, as it ships; 1, the friction of v; 2, the missing exchange too.
    """
    comm = domain.mpi
    require_one_node(domain)
    if comm.size > DEMO_RANKS:
        raise MethodMissingError(f"its demo cuts another way on {comm.size} ranks")
    missing_together(comm, lambda: require_installed("mpi4jax") if comm.rank == 0 else None)
    return PeerModel(comm, "mpi4jax", demo(), *cells, call_steps, int(wide), corrected)


def require_one_node(domain: Domain) -> None:
    """Raise MethodMissingError on several nodes. Local, alike on all ranks."""
    if domain.node.ranks < domain.ranks:
        raise MethodMissingError("on several nodes, where it is not connected to all ranks")


def require_installed(peer: str) -> None:
    """Local; MethodMissingError where the packages, or the demo of mpi4jax, are not installed."""
    if not versions(peer) or (peer == "mpi4jax" and not demo().exists()):
        raise MethodMissingError(f"not installed; `make peer-{peer}`")


def demo() -> Path:
    """The demo that `make peer-mpi4jax` unpacks. Local."""
    return Path(sys.prefix, "libexec", "lapwing", "mpi4jax_shallow_water.py")


def versions(peer: str) -> dict[str, str]:
    """The versions of a peer's packages; empty where they are not installed. Local."""
    try:
        return {name: version(name) for name in PACKAGES[peer]}
    except PackageNotFoundError:
        return {}
