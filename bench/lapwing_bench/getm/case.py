"""The cases of the GETM report with subdomains of its sizes on every rank."""

from __future__ import annotations

from typing import Any

from lapwing.core.domain import Domain
from lapwing.core.partition import block_partition
from lapwing.model.case import Case, load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run
from mpi4py import MPI

from lapwing_bench.measure.options import Shape, near_square

FLAT, LAYERED = "kelvin", "kelvin3d"


def open_case(name: str, size: Shape, levels: int, policy: str) -> tuple[Case, Domain]:
    """A case with as many cells as give each rank a subdomain of this size, and its domain.

    Collective over the world.
    """
    blocks = near_square(MPI.COMM_WORLD.Get_size())
    sets = [f"grid.cells_{a}={n * b}" for a, n, b in zip("xy", size, blocks, strict=True)]
    if name == LAYERED:
        sets += [f"layers.levels={levels}", f"exchanges.policy={policy}"]
    case = load_case(name, installed_models(), sets)
    geometry = case.model.geometry(case.settings, case.folder)
    return case, Domain(block_partition(geometry.grid, (*blocks, 1)))


def make_run(case: Case, domain: Domain, strategy: str, transport: str) -> Any:
    """The model of a case on a domain, at rest. Collective."""
    geometry = case.model.geometry(case.settings, case.folder)
    return create_run(
        case.model, domain, case.settings, geometry, strategy=strategy, transport=transport
    )
