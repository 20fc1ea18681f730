"""Runs problems by name, with PyClaw itself or on this job's ranks, and keeps what each leaves.

One process runs many problems, as starting ranks takes longer than most of them. A file
FOLDER/NAME.npz has the values of every frame and the numbers of the run, FOLDER/NAME.txt what
refused it: the error of each rank, one a line.
"""

import gc
import importlib
import logging
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

Setup = Callable[
    [Any], Any
]  # a controller of a problem, made with a module that has PyClaw's names


def chosen(serial: bool) -> Any:
    """PyClaw or, on ranks, lapwing's, which scripts then get from `from clawpack import pyclaw`."""
    import clawpack

    name = "clawpack.pyclaw" if serial else "lapwing_pyclaw"
    clawpack.pyclaw = importlib.import_module(name)
    return clawpack.pyclaw


def of_all_ranks(value: Any, serial: bool) -> list[Any]:
    """The value of every rank, in their order. Collective unless serial."""
    if serial:
        return [value]
    from mpi4py import MPI

    return MPI.COMM_WORLD.allgather(value)


def results(claw: Any, serial: bool) -> dict[str, Any] | None:
    """The frames and numbers of a run, None on ranks other than 0. Collective unless serial."""
    claw.output_format, claw.keep_copy, claw.compute_F = None, True, None
    status = claw.run()
    frames = [frame.state.get_q_global() for frame in claw.frames]
    if frames[0] is None:
        return None
    numbers = {name: float(value) for name, value in status.items()}
    names = [f"frame_{n}" for n in range(len(frames))]
    times = [frame.t for frame in claw.frames]
    return {**dict(zip(names, frames, strict=True)), **numbers, "times": times}


def attempt(setup: Setup, module: Any, path: Path, serial: bool) -> None:
    """Run a problem and keep its results or, of each rank, the error. Collective unless serial."""
    kept, error = None, ""
    try:
        kept = results(setup(module), serial)
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}".replace("\n", " ")
    gc.collect()  # SharpClaw's arrays belong to one solver at a time
    errors = of_all_ranks(error, serial)
    if any(errors):
        path.with_suffix(".txt").write_text("\n".join(errors))
    elif kept is not None:
        np.savez(path.with_suffix(".npz"), **kept)


def run_all(problems: Iterable[tuple[str, Setup]], folder: str, serial: bool) -> None:
    """Run problems one after the other. Collective unless serial."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")  # PyClaw's own, of rejected steps
    module = chosen(serial)
    for name, setup in problems:
        attempt(setup, module, Path(folder) / name, serial)
