"""The cases of the GETM report with subdomains of its sizes on every rank."""

from __future__ import annotations

from typing import Any

from lapwing.core.domain import Domain
from lapwing.core.partition import Partition, block_partition
from lapwing.model.case import Case, geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run
from mpi4py import MPI

from lapwing_lab.bench.measure.options import Shape, near_square

FLAT, LAYERED = "kelvin", "kelvin3d"


def sized_case(name: str, size: Shape, levels: int, policy: str) -> Case:
    """A case with as many cells as give each rank of the world a subdomain of this size. Local."""
    blocks = near_square(MPI.COMM_WORLD.size)
    sets = [f"grid.cells_{a}={n * b}" for a, n, b in zip("xy", size, blocks, strict=True)]
    if name == LAYERED:
        sets += [f"layers.levels={levels}", f"exchanges.policy={policy}"]
    return load_case(name, installed_models(), sets)


def partition_of(case: Case) -> Partition:
    """A block of a case for every rank of the world. Local."""
    return block_partition(geometry_of(case).grid, (*near_square(MPI.COMM_WORLD.size), 1))


def make_run(case: Case, domain: Domain, strategy: str, transport: str) -> Any:
    """The model of a case on a domain, at rest. Collective."""
    return create_run(
        case.model, domain, case.settings, geometry_of(case), strategy=strategy, transport=transport
    )
