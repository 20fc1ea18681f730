"""How good are the choices of `auto` for a transpose? Each is compared with the best.

mpiexec -n 2 python lab/programs/exchange/transpose_choices.py [CHOICES]

Each time a domain, a transpose by `auto` and one by each method are made, which alternate. A
choice's ratio is the median time of the method that `auto` chose over that of the fastest method,
of the same turns. Prints, for each way of 256 x 192 x 64 cells, the median and the largest ratio.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from statistics import median
from time import perf_counter

import lapwing
from lapwing.core.domain import Domain
from lapwing_lab.bench.transpose.methods import LapwingTranspose, Work
from lapwing_lab.bench.transpose.request import DEFAULT_SIZE, WAYS
from mpi4py import MPI

CHOICES, TURNS = 40, 15


def seconds(method: LapwingTranspose) -> float:
    """Time of one transpose on the slowest rank, in seconds. Collective.

    The source is written before, as a model does: what never changes stays in the reader's cache.
    """
    method.source += 0.0
    method.domain.mpi.Barrier()
    begin = perf_counter()
    method.run()
    return float(method.domain.mpi.allreduce(perf_counter() - begin, MPI.MAX))


def choice(work: Work) -> tuple[float, str]:
    """The time of `auto` over the time of the best method, and the method chosen. Collective."""
    with Domain(work.source, MPI.COMM_WORLD) as domain:
        names = lapwing.transpose_methods()
        methods = {name: LapwingTranspose(domain, work, name) for name in names}
        for method in methods.values():
            method.fill()
            method.run()
        times: dict[str, list[float]] = {name: [] for name in methods}
        for turn in range(TURNS):
            for name in Random(turn).sample(list(methods), len(methods)):  # alike on all ranks
                times[name].append(seconds(methods[name]))
        middle = {name: median(taken) for name, taken in times.items() if name != "auto"}
        chosen = methods["auto"].transpose.method
        best = min(middle.values())
        return middle[chosen] / best, chosen


def main() -> None:
    """Choose and print. Collective."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CHOICES
    for way in WAYS:
        work = Work.of(DEFAULT_SIZE, way, (1, MPI.COMM_WORLD.size))
        found = [choice(work) for _ in range(count)]
        ratios = [ratio for ratio, _ in found]
        if MPI.COMM_WORLD.rank == 0:
            counts = Counter(name for _, name in found)
            took = ", ".join(f"{name} {n}" for name, n in counts.items())
            print(f"{way}: median {median(ratios):.3f}, most {max(ratios):.3f} of {count}; {took}")


if __name__ == "__main__":
    main()
