"""The threads of each rank of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lapwing.core.domain import Domain

OPENMP = "OMP_NUM_THREADS"


def threads_of(
    domain: Domain, asked: int, environment: Mapping[str, str] = os.environ
) -> tuple[int, str]:
    """Return the threads of each rank, and how that came about where the case does not say it.

    `asked`: `run.threads` of the case. Where that is 0, OMP_NUM_THREADS holds if the node has a
    core for each thread of its ranks; else a rank has one thread. Local.
    """
    given = environment.get(OPENMP, "")
    if asked > 0 or not given.isdecimal() or int(given) <= 1:
        return max(1, asked), ""
    number, node = int(given), domain.node
    if number * node.ranks <= node.cores:
        return number, f"{OPENMP}={given}: {number} threads in each rank"
    return 1, (
        f"{OPENMP}={given} is more than {node.cores} cores have room for with {node.ranks} ranks: "
        "one thread in each; --threads decides"
    )
