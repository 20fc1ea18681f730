"""mpi4jax's shallow-water demo on ranks of its own, stepped at the request of a benchmark.

    mpiexec -n RANKS python mpi4jax_peer.py FOLDER DEMO NX NY CALL_STEPS WIDE CORRECTED

Each rank connects to the socket FOLDER/RANK and answers until it is closed, in a line each:

    begin     0, once it stands at its first flow again
    run N     0, after N steps, a multiple of CALL_STEPS after the first call
    read      a file with h, u and v of its own cells [3, y, x]

The demo is the file that mpi4jax ships. Its sizes are set. With CORRECTED 1 or 2 the friction of v
uses v alone, and with 2 u and v are exchanged once more at the end of a step.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from lapwing_lab.bench.measure.peer_side import serve

END = "    return ModelState(h, u, v, dh_new, du_new, dv_new)"
EXCHANGES = '    u, v = enforce_boundaries(u, "u"), enforce_boundaries(v, "v")\n'
# in the friction of v, what the demo has and what the equations say
FRICTION = {
    "(v[1:-1, 2:] - u[1:-1, 1:-1])": "(v[1:-1, 2:] - v[1:-1, 1:-1])",
    "(v[2:, 1:-1] - u[1:-1, 1:-1])": "(v[2:, 1:-1] - v[1:-1, 1:-1])",
}


def loaded(demo: Path, nx: int, ny: int, corrected: int) -> ModuleType:
    """The demo as a module, with other sizes. Local; ValueError where it is another demo."""
    text = demo.read_text()
    changes = {
        "nx_global = 360 + 2": f"nx_global = {nx} + 2",
        "ny_global = 180 + 2": f"ny_global = {ny} + 2",
    }
    if corrected > 0:
        changes |= FRICTION
    if corrected > 1:
        changes[END] = EXCHANGES + END
    for old, new in changes.items():
        if text.count(old) != 1:
            raise ValueError(f"{demo}: got {text.count(old)} times {old!r}; expected one; pin it")
        text = text.replace(old, new)
    module = ModuleType("shallow_water")
    exec(compile(text, str(demo), "exec"), module.__dict__)
    return module


class Demo:
    """The demo, and the flow that it stands at."""

    def __init__(self, module: ModuleType, call_steps: int) -> None:
        """Begin. Collective."""
        self.demo: Any = module
        self.call_steps = call_steps
        self.begin()

    def begin(self) -> None:
        """The first flow, at rest before. Collective."""
        import jax.numpy as jnp

        h, u, v = self.demo.get_initial_conditions()
        self.state = self.demo.ModelState(h, u, v, *(jnp.zeros_like(h) for _ in range(3)))
        self.done = 0

    def run(self, steps: int) -> None:
        """Run `steps` steps. Collective."""
        if self.done == 0 and steps > 0:
            self.state = self.demo.shallow_water_step(self.state, True)
            self.done, steps = 1, steps - 1
        calls, rest = divmod(steps, self.call_steps)
        for count in [self.call_steps] * calls + [1] * rest:
            self.state = self.demo.do_multistep(self.state, count)
        self.done += steps
        self.state[0].block_until_ready()

    def read(self) -> str:
        """A file with the flow. Local."""
        import numpy as np

        cells = [np.asarray(one, dtype=np.float64)[1:-1, 1:-1] for one in self.state[:3]]
        handle, name = tempfile.mkstemp(suffix=".npy")
        os.close(handle)
        np.save(name, np.stack(cells))
        return name


def answer(demo: Demo, request: str) -> str:
    """Do what is asked for, and say so. As the request."""
    word, *numbers = request.split()
    if word == "read":
        return demo.read()
    if word == "begin":
        demo.begin()
    else:
        demo.run(int(numbers[0]))
    return "0"


def main(folder: str, demo: str, *given: str) -> None:
    """Connect and answer."""
    nx, ny, call_steps, wide, corrected = map(int, given)
    from lapwing.core import mpi_runtime

    # of several threads, as mpi4py starts it where nobody says more
    rank = mpi_runtime.start("multiple").COMM_WORLD.Get_rank()

    def begin() -> Callable[[str], str]:
        if wide:
            os.environ["JAX_ENABLE_X64"] = "true"
        return partial(answer, Demo(loaded(Path(demo), nx, ny, corrected), call_steps))

    serve(folder, rank, begin)


if __name__ == "__main__":
    main(*sys.argv[1:])
