"""Lapwing's lattice model on the box of the coarray program, one side of `make bench-coarray`.

Started on ranks: `python -m lapwing_lab.bench.lattice.coarray_model` with NX,NY,NZ PX,PY,PZ
TRANSPORT STEPS WARM prints the seconds of STEPS steps after WARM ones.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

from lapwing import Domain
from lapwing.core import mpi_runtime
from lapwing.core.partition import block_partition
from lapwing_lattice import settings
from lapwing_lattice.lattice_model import model


def main(words: list[str]) -> None:
    """Run and print. Collective."""
    size, blocks = (tuple(int(n) for n in word.split(",")) for word in words[:2])
    transport, steps, warm = words[2], int(words[3]), int(words[4])
    case = settings.LatticeSettings(
        grid=settings.GridSettings(*size),
        lattice=settings.LatticeTable(collision="bgk"),
        flow=settings.FlowSettings(tau=0.8),
        initial=settings.InitialSettings("taylor-green", 0.04),
    )
    comm = mpi_runtime.start().COMM_WORLD
    geometry = model.geometry(case, Path())
    domain = Domain(block_partition(geometry.grid, blocks), comm)
    run = model.create(domain, case, geometry, strategy="blocking", transport=transport)
    run.advance(warm)
    comm.Barrier()
    began = perf_counter()
    run.advance(steps)
    comm.Barrier()
    if comm.rank == 0:
        print(f"seconds {perf_counter() - began:.6e}")
    domain.close()


if __name__ == "__main__":
    main(sys.argv[1:])
