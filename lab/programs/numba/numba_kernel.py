"""One five-point kernel by NumPy and by Numba, each as a stage: the table of docs/guide/numba.md.

    python lab/programs/numba/numba_kernel.py [NXxNY] [ROUNDS]

One rank, strategy blocking. The kernels alternate; microseconds per step, median (least) of the
rounds, without the copies of the periodic halo.
"""

from __future__ import annotations

import sys
from statistics import median
from typing import Any

import lapwing
import numpy as np
from lapwing import row
from numba import njit

STEPS = 20  # of a round


def with_numpy(box: Any, heat: Any, new: Any) -> None:
    """The kernel as array expressions."""
    around = heat.at(x=-1) + heat.at(x=+1) + heat.at(y=-1) + heat.at(y=+1)
    new[...] = heat.at() + 0.2 * (around - 4.0 * heat.at())


@njit  # type: ignore[untyped-decorator]
def with_slices(box: Any, heat: Any, new: Any) -> None:
    """The same, compiled."""
    here = heat[1:-1, 1:-1]
    around = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
    new[...] = here + 0.2 * (around - 4.0 * here)


@njit  # type: ignore[untyped-decorator]
def with_indices(box: Any, heat: Any, new: Any) -> None:
    """The kernel as loops over cells, with the cells of a row in the inner loop."""
    for j in range(new.shape[1]):
        for i in range(new.shape[0]):
            around = heat[i, j + 1] + heat[i + 2, j + 1] + heat[i + 1, j] + heat[i + 1, j + 2]
            new[i, j] = heat[i + 1, j + 1] + 0.2 * (around - 4.0 * heat[i + 1, j + 1])


@njit  # type: ignore[untyped-decorator]
def with_rows(box: Any, heat: Any, new: Any) -> None:
    """The kernel as loops over rows."""
    for j in range(new.shape[1]):
        south, here, north, out = row(heat, j), row(heat, j + 1), row(heat, j + 2), row(new, j)
        for i in range(new.shape[0]):
            around = here[i] + here[i + 2] + south[i + 1] + north[i + 1]
            out[i] = here[i + 1] + 0.2 * (around - 4.0 * here[i + 1])


KERNELS = (with_numpy, with_slices, with_indices, with_rows)


def made(size: list[int], kernel: Any) -> tuple[lapwing.Step, lapwing.Field]:
    """A step of the kernel there and back, and its field."""
    domain = lapwing.Domain(size, periodic=True)
    a, b = domain.field("a"), domain.field("b")
    reads = [[(field, lapwing.cross(1))] for field in (a, b)]
    stages = [lapwing.Stage(kernel, reads[0], [b]), lapwing.Stage(kernel, reads[1], [a])]
    step = lapwing.Step(domain, [[stage] for stage in stages], transport="p2p")
    a.set(lambda i, j: np.sin(0.1 * i) + 0.3 * j)
    step.run(2)  # compiles
    return step, a


def main(size: str = "360x180", rounds: str = "31") -> None:
    """Measure and print."""
    steps = [made([int(n) for n in size.split("x")], kernel) for kernel in KERNELS]
    times: list[list[float]] = [[] for _ in KERNELS]
    for _ in range(int(rounds)):
        for (step, _), mine in zip(steps, times, strict=True):
            step.reset_times()
            step.run(STEPS)
            mine.append(sum(step.report.times.compute) / STEPS * 1e6)
    results = [field.gather() for _, field in steps]
    for kernel, mine, result in zip(KERNELS, times, results, strict=True):
        assert result is not None
        assert results[0] is not None
        same = "same bits" if result.tobytes() == results[0].tobytes() else "OTHER BITS"
        print(f"{kernel.__name__:14}{median(mine):9.1f} us ({min(mine):.1f})  {same}")


if __name__ == "__main__":
    main(*sys.argv[1:])
