"""A setup of Veros, acc or acc_basic, for some steps: all its arrays, and the seconds of each step.

    mpiexec -n 2 python veros_basin.py FOLDER SETUP EXCHANGE PX PY [STEPS [NX NY]]

EXCHANGE: own (Veros's), lapwing, or exact (lapwing, with exact sums). Rank 0 writes what the
variables and the energy diagnostic hold, ghost cells included, to FOLDER/EXCHANGE-PX-PY.npz.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core import mpi_runtime

mpi_runtime.start()

CLASSES = {"acc": "ACCSetup", "acc_basic": "ACCBasicSetup"}


def install(exchange: str) -> None:
    """Let Veros use this exchange. Local."""
    if exchange != "own":
        import lapwing_veros

        lapwing_veros.install(exact_sums=exchange == "exact")


def simulation(setup: str, px: int, py: int, size: tuple[int, ...]) -> Any:
    """The simulation, set up on px x py ranks; `size`: cells along x and y. Collective."""
    from veros import runtime_settings

    runtime_settings.num_proc = (px, py)
    runtime_settings.diskless_mode = True
    runtime_settings.loglevel = "error"
    module = import_module(f"veros.setups.{setup}.{setup}")
    override = dict(zip(("nx", "ny"), size, strict=False))
    made = getattr(module, CLASSES[setup])(override=override)
    made.setup()
    made.state.diagnostics["energy"].sampling_frequency = made.state.settings.dt_tracer
    return made


def seconds_of_steps(made: Any, steps: int) -> list[float]:
    """Make the steps. Collective."""
    seconds = []
    with made.state.settings.unlock(), made.state.variables.unlock():
        for _ in range(steps):
            made.step(made.state)
            seconds.append(made.state.timers["main"].last_time)
    return seconds


def arrays(state: Any) -> dict[str, Any]:
    """All variables of the whole grid, on rank 0, and sums that the energy diagnostic keeps."""
    from veros import distributed

    kept = {
        name: distributed.gather(getattr(state.variables, name), state.dimensions, meta.dims)
        for name, meta in state.var_meta.items()
        if meta.dims is not None and meta.active
    }
    energy = state.diagnostics["energy"]
    return kept | {f"energy {name}": getattr(energy.variables, name) for name in energy.var_meta}


def main(folder: str, setup: str, exchange: str, px: int, py: int, *numbers: int) -> None:
    """Run it, keep its results and print its times. Collective."""
    install(exchange)
    made = simulation(setup, px, py, numbers[1:])
    seconds = seconds_of_steps(made, numbers[0] if numbers else 10)
    kept = arrays(made.state)
    if mpi_runtime.start().COMM_WORLD.rank == 0:
        np.savez(Path(folder) / f"{exchange}-{px}-{py}.npz", **kept)
        print("seconds", *(f"{s:.5f}" for s in seconds))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], *map(int, sys.argv[4:]))
