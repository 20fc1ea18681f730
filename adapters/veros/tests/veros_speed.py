"""Time of a step of Veros by its own exchange and by lapwing's, alternating from step to step.

    mpiexec -n 2 python veros_speed.py SETUP PX PY [STEPS [NX NY]]

Both exchange the same blocks, so the grid must divide evenly. Rank 0 prints medians over steps.
"""

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from veros_basin import simulation


def timed(exchange: Callable[..., Any], seconds: list[float], comm: Any) -> Callable[..., Any]:
    """The exchange, which adds its seconds to the last of the list. Collective when called."""

    def run(arr: Any, var_grid: Any, cyclic: bool) -> Any:
        comm.barrier()  # waiting for a rank that computes longer is no part of an exchange
        begun = time.perf_counter()
        filled = exchange(arr, var_grid, cyclic)
        seconds[-1] += time.perf_counter() - begun
        return filled

    return run


def main(setup: str, px: int, py: int, *numbers: int) -> None:
    """Make the steps and print what they took. Collective."""
    import lapwing_veros
    from veros import distributed, runtime_settings

    own, comm = distributed.exchange_overlap, runtime_settings.mpi_comm
    lapwing_veros.install()
    made = simulation(setup, px, py, numbers[1:])
    made.state.diagnostics["energy"].sampling_frequency = 0
    exchanges = {"own": own, "lapwing": lapwing_veros.exchange_overlap}
    steps: dict[str, list[float]] = {name: [] for name in exchanges}
    spent: dict[str, list[float]] = {name: [] for name in exchanges}
    with made.state.settings.unlock(), made.state.variables.unlock():
        for step in range(numbers[0] if numbers else 40):
            name = list(exchanges)[step % 2]
            spent[name].append(0.0)
            distributed.exchange_overlap = timed(exchanges[name], spent[name], comm)
            comm.barrier()
            made.step(made.state)
            steps[name].append(made.state.timers["main"].last_time)
    if comm.rank == 0:
        for name, all_steps in steps.items():
            parts = median(all_steps[1:]) * 1e3, median(spent[name][1:]) * 1e3
            print(f"{name}: {parts[0]:.2f} ms a step, {parts[1]:.2f} ms of it in exchanges")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
