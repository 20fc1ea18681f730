"""The report of a benchmark: results, printed tables, and the JSON file with raw samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

import numpy as np
from lapwing.core.versions import write_report
from mpi4py import MPI
from numpy.typing import ArrayLike
from rich.console import Console, RenderableType

from lapwing_lab.bench.measure.request import Request


@dataclass
class Result:
    """Times of one method on one work item: samples in seconds, and whatever else it tells."""

    work: str
    method: str
    samples: list[float]
    extra: dict[str, float] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """Median of the samples, s."""
        return median(self.samples)


def ratio(name: str, mine: ArrayLike, theirs: ArrayLike) -> dict[str, float]:
    """Median and middle half of the quotients of samples of the same turns. Local.

    For `Result.extra`: the median under `name`, the quartiles under names that begin with it.
    """
    low, half, high = np.quantile(np.divide(mine, theirs), (0.25, 0.5, 0.75)).tolist()
    return {name: half, f"{name}_quarter": low, f"{name}_three_quarters": high}


def tell(
    request: Request,
    results: list[Result],
    *shown: RenderableType,
    width: int = 100,
    peers: Mapping[str, str] | None = None,
) -> int:
    """Print tables and lines on rank 0, write the file, and return the exit code 0. Local.

    `peers`: versions of packages that were measured next to lapwing.
    """
    if MPI.COMM_WORLD.Get_rank() == 0:
        console = Console(width=width, highlight=False)
        for one in shown:
            console.print(one, markup=False, soft_wrap=isinstance(one, str))
        if request.json is not None:
            write(request.json, results, peers)
    return 0


def missing_lines(missing: Mapping[str, str]) -> list[str]:
    """A line for each method that was not to be had, with the reason. Local."""
    return [f"not measured: {name}: {reason}" for name, reason in missing.items()]


def write(path: Path, results: list[Result], peers: Mapping[str, str] | None = None) -> None:
    """Write the results as JSON under the schema lapwing-bench-1. Local.

    `peers`: versions of packages that were measured next to lapwing.
    """
    rows = [
        asdict(one) | {"median": one.median, "min": min(one.samples), "max": max(one.samples)}
        for one in results
    ]
    write_report(path, "lapwing-bench-1", {"results": rows}, peers)
