"""Strategies of the report on overlap, on real ranks of emulated nodes.

lapwing netlab run --nodes 2 -- mpiexec -n 2 python lab/programs/reports/dyn_strategies.py
    [--blocks 2x1,1x2] [--strategies blocking,6s:0.3] [--rounds 9]

One routine on 120 x 120 points of 16 levels (lapwing_lab.reproduce.dyn), compiled, is stepped by
every strategy, alternating; behind `/narrow` loops over rows of two cells are written out. `alone`
is a rank's part as a domain of its own, without messages.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from lapwing import Domain, Grid
from lapwing.core import mpi_runtime
from lapwing.core.partition import block_partition
from lapwing_lab.reproduce.dyn import NAMES, Dyn

STRATEGIES = "blocking,3s,5s,6s,6s:0.1,6s:0.3,6s:0.7,6s/narrow,edge-first,dataflow:4"


STEP = 1e-9  # of a cell: however many steps, no number overflows


@dataclass(frozen=True)
class CompiledDyn(Dyn):
    """The routine with a kernel in C."""

    advect: Any = None  # the compiled function

    def advance(self, box: Any, *arrays: Any) -> None:
        """Advance the fields in a box. Local."""
        read, written = arrays[: len(NAMES)], arrays[len(NAMES) :]
        wider = (read[0].shape[0] - written[0].shape[0]) // 2
        cells = (ctypes.c_ssize_t * 3)(*written[0].shape)
        _, row, level = (step // 8 for step in written[0].strides)
        first = [field.ctypes.data + 8 * wider * (1 + row) for field in read]
        for old, new in zip(first, written, strict=True):
            self.advect(first[0], first[1], old, new.ctypes.data, cells, row, level, STEP)


def compiled() -> dict[str, Any]:
    """The functions of dyn_kernel.c, compiled for this machine, by name. Local; a second."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "dyn.so")
        source = Path(__file__).with_name("dyn_kernel.c")
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, "-o", str(library), str(source)], check=True)
        loaded = ctypes.CDLL(str(library))
    found = {"": loaded.advect, "narrow": loaded.advect_narrow}
    size = ctypes.c_ssize_t
    for one in found.values():
        one.argtypes = [*4 * [ctypes.c_void_p], ctypes.POINTER(size), size, size, ctypes.c_double]
        one.restype = None
    return found


def measured(steps: Mapping[str, Any], comm: Any, rounds: int, each: int) -> dict[str, list[float]]:
    """Seconds of a step of the slowest rank, by name and round. Collective."""
    found: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            step.run(each)
            comm.Barrier()
            began = perf_counter()
            step.run(each)
            found[name].append(max(comm.allgather(perf_counter() - began)) / each)
    return found


def steps_on(blocks: Sequence[int], strategies: Sequence[str], comm: Any) -> dict[str, Any]:
    """A step of each strategy on the same cut, and one without neighbours. Collective."""
    kernels = compiled()
    routine = CompiledDyn(advect=kernels[""])
    cut = block_partition(Grid(routine.grid), (*blocks, 1))
    found = {}
    for name in strategies:
        strategy, _, kernel = name.partition("/")
        one = replace(routine, advect=kernels[kernel])
        found[name] = one.create(Domain(cut, comm), strategy=strategy)
    own = replace(routine, nx=routine.nx // blocks[0], ny=routine.ny // blocks[1])
    alone = Domain(block_partition(Grid(own.grid), ranks=1), mpi_runtime.start().COMM_SELF)
    return found | {"alone": own.create(alone, strategy="blocking")}


def main() -> None:
    """Measure and print a table for each cut. Collective."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", default="2x1,1x2")
    parser.add_argument("--strategies", default=STRATEGIES)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=6)
    words = parser.parse_args()
    comm = mpi_runtime.start().COMM_WORLD
    for name in words.blocks.split(","):
        blocks = [int(n) for n in name.split("x")]
        steps = steps_on(blocks, words.strategies.split(","), comm)
        found = measured(steps, comm, words.rounds, words.steps)
        if comm.rank == 0:
            print_table(name, found)


def print_table(blocks: str, found: Mapping[str, Sequence[float]]) -> None:
    """Print a step by each strategy, and what its round took over that without messages. Local."""
    alone, first = found["alone"], found["blocking"]
    print(f"\n{blocks} blocks | ms, median (least to most) | of blocking | left of its messages")
    for name, seconds in found.items():
        ratio = median(a / b for a, b in zip(seconds, first, strict=True))
        left = median(
            (a - c) / (b - c) for a, b, c in zip(seconds, first, alone, strict=True) if b > c
        )
        low, mid, high = (1e3 * one for one in (min(seconds), median(seconds), max(seconds)))
        print(
            f"{name} | {mid:.2f} ({low:.2f} to {high:.2f}) | {ratio:.3f} | {left:.0%}", flush=True
        )


if __name__ == "__main__":
    main()
