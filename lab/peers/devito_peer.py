"""Devito's acoustic wave equation on ranks of its own, stepped at the request of a benchmark.

    mpiexec -n RANKS python devito_peer.py FOLDER NX NY NZ MODES

Each rank connects to the socket FOLDER/RANK and answers until it is closed, in a line each:

    tune N    in words, which way of MODES and of its languages is the fastest, by N steps of each
    begin     0, once it stands at its first u again
    run N     0, after N steps
    read      a file with u of its own cells [z, y, x]

MODES: DEVITO_MPI of Devito, separated by commas; none: one rank, without MPI. The equation and the
tuning follow Devito's documentation. x, y and z of the benchmark are Devito's last to first axes.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import product
from math import inf
from time import perf_counter
from typing import Any

from lapwing_lab.bench.measure.peer_side import serve
from lapwing_lab.bench.models.acoustic_model import AcousticModel

ORDER = 8
SETTINGS = {
    "DEVITO_ARCH": "gcc",
    "DEVITO_LOGGING": "ERROR",
    "DEVITO_AUTOTUNING": "off",  # until asked
    "OMP_NUM_THREADS": "1",
}
LANGUAGES = ("C", "openmp")
TURNS = 4  # in which ways alternate


class Wave:
    """u, and the operators that step it."""

    def __init__(self, model: AcousticModel, modes: list[str]) -> None:
        """Begin. Collective."""
        import devito
        import numpy as np

        self.devito: Any = devito
        self.model, self.modes = model, modes
        shape = tuple(reversed(model.cells))
        grid = devito.Grid(
            shape=shape,
            extent=tuple((count - 1) * model.spacing for count in shape),
            dtype=np.float32,
            topology=None if modes == ["none"] else ("*", 1, 1),  # ranks stand along z
        )
        self.m = devito.Function(name="m", grid=grid, space_order=ORDER)
        self.u = devito.TimeFunction(name="u", grid=grid, time_order=2, space_order=ORDER)
        self.m.data[:] = 1 / model.velocity(model.box()) ** 2
        self.grid = grid
        self.operator: Any = None
        self.blocks: dict[str, int] = {}
        self.begin()

    def begin(self) -> None:
        """The first u, at rest. Collective."""
        first = self.model.first(self.model.box())
        for level in (0, 2):  # of three in turn: now, and before
            self.u.data[level, :] = first
        self.done = 0

    def made(self, mode: str, language: str) -> Any:
        """The operator with its messages in that way. Collective."""
        u, m, devito = self.u, self.m, self.devito
        equation = devito.Eq(u.forward, devito.solve(m * u.dt2 - u.laplace, u.forward))
        with devito.switchconfig(mpi=False if mode == "none" else mode, language=language):
            made = devito.Operator(equation, subs=self.grid.spacing_map, name="Acoustic")
            made.cfunction  # noqa: B018  # compiles
        return made

    def run(self, steps: int, **more: Any) -> None:
        """Run `steps` steps. Collective."""
        last = self.done + steps - 1
        self.operator.apply(time_m=self.done, time_M=last, dt=self.model.dt, **more)
        self.done += steps

    def tune(self, steps: int) -> str:
        """Tune every way, and keep the fastest: the least of some turns each. Collective."""
        ways = {}
        for mode, language in product(self.modes, LANGUAGES):
            self.operator = self.made(mode, language)
            self.run(steps, autotune="aggressive")
            blocks = self.operator._state["autotuning"][-1].get("tuned", {})
            ways[f"{mode} in {language}"] = (self.operator, blocks)
        taken = dict.fromkeys(ways, inf)
        for _, (name, way) in product(range(TURNS), ways.items()):
            self.operator, self.blocks = way
            taken[name] = min(taken[name], self.seconds(steps))
        fastest = min(taken, key=lambda name: taken[name])
        self.operator, self.blocks = ways[fastest]
        sizes = ", ".join(f"{name} {size}" for name, size in self.blocks.items())
        found = ", ".join(f"{name} {one / steps * 1e3:.3f}" for name, one in taken.items())
        return f"{fastest} ({sizes}); ms per step of {found}"

    def seconds(self, steps: int) -> float:
        """Return the seconds of `steps` steps on the slowest rank. Collective."""
        from mpi4py import MPI

        MPI.COMM_WORLD.Barrier()
        begin = perf_counter()
        self.run(steps, **self.blocks)
        return float(MPI.COMM_WORLD.allreduce(perf_counter() - begin, MPI.MAX))

    def read(self) -> str:
        """A file with u of this rank. Local."""
        import numpy as np

        handle, name = tempfile.mkstemp(suffix=".npy")
        os.close(handle)
        np.save(name, np.array(self.u.data[self.done % 3]))
        return name


def answer(wave: Wave, request: str) -> str:
    """Do what is asked for, and say so. As the request."""
    word, *numbers = request.split()
    if word == "tune":
        return wave.tune(int(numbers[0]))
    if word == "read":
        return wave.read()
    if word == "begin":
        wave.begin()
    else:
        wave.run(int(numbers[0]), **wave.blocks)
    return "0"


def set_up(modes: list[str]) -> None:
    """The environment that Devito reads when it is imported. Local."""
    os.environ.update(SETTINGS)
    os.environ["DEVITO_MPI"] = "0" if modes == ["none"] else modes[0]
    # it compiles with the mpicc of this environment
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])


def main(folder: str, *given: str) -> None:
    """Connect and answer."""
    cells, modes = tuple(map(int, given[:3])), given[3].split(",")
    from lapwing.core import mpi_runtime

    rank = mpi_runtime.start("multiple").COMM_WORLD.Get_rank()

    def begin() -> Callable[[str], str]:
        set_up(modes)
        return partial(answer, Wave(AcousticModel(cells), modes))  # type: ignore[arg-type]

    serve(folder, rank, begin)


if __name__ == "__main__":
    main(*sys.argv[1:])
