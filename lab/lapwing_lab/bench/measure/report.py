"""The report of a benchmark: results, printed tables, and the JSON file with raw samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np
from lapwing.base.error import outside_error
from lapwing.core.versions import write_report
from mpi4py import MPI
from numpy.typing import ArrayLike
from rich.console import Console, RenderableType

from lapwing_lab.bench.measure.request import Request

JUDGED = 5  # samples; fewer are a trial, whose times say nothing


@dataclass
class Result:
    """Times of one method on one work item: samples in seconds, and whatever else it tells."""

    work: str
    method: str
    samples: list[float]
    extra: dict[str, float] = field(default_factory=dict)
    part: bool = False  # the samples are counts, or times of a part of a step, which may be 0

    @property
    def median(self) -> float:
        """Median of the samples, s."""
        return median(self.samples)

    def require_positive(self) -> None:
        """Raise where a time is zero or negative: noise was larger than what is timed. Local."""
        least = min(self.samples)
        if len(self.samples) >= JUDGED and (least < 0 or (least == 0 and not self.part)):
            got = f"a sample of {1e6 * least:.3g} us"
            remedy = "let nothing else run, or take more or longer samples"
            raise outside_error(f"{self.work}, {self.method}", got, "times above 0", remedy)


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

    OutsideError, and neither table nor file, where a sample is not above 0. `peers`: versions of
    packages that were measured next to lapwing.
    """
    for one in results:
        one.require_positive()
    if MPI.COMM_WORLD.Get_rank() == 0:
        console = Console(width=width, highlight=False)
        for text in shown:
            console.print(text, markup=False, soft_wrap=isinstance(text, str))
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
    write_report(path, "lapwing-bench-1", {"results": [_row(one) for one in results]}, peers)


def _row(result: Result) -> dict[str, object]:
    numbers = {"median": result.median, "min": min(result.samples), "max": max(result.samples)}
    named = {"work": result.work, "method": result.method}
    return {**named, "samples": result.samples, "extra": result.extra, **numbers}
