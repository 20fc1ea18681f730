"""The JSON file of a benchmark: schema, machine, versions and raw samples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median, quantiles

from lapwing.core.versions import machine, versions


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


def ratio(name: str, mine: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """Median and middle half of the quotients of samples of the same turns. Local.

    For `Result.extra`: the median under `name`, the quartiles under names that begin with it.
    """
    quotients = [a / b for a, b in zip(mine, theirs, strict=True)]
    low, middle, high = quantiles(quotients, n=4, method="inclusive")
    return {name: middle, f"{name}_quarter": low, f"{name}_three_quarters": high}


def write(path: Path, results: list[Result], peers: Mapping[str, str] | None = None) -> None:
    """Write the results as JSON under the schema lapwing-bench-1. Local.

    `peers`: versions of packages that were measured beside lapwing.
    """
    rows = []
    for result in results:
        row = asdict(result)
        row |= {"median": result.median, "min": min(result.samples), "max": max(result.samples)}
        rows.append(row)
    document = {
        "schema": "lapwing-bench-1",
        "machine": machine(),
        "versions": versions() | dict(peers or {}),
        "results": rows,
    }
    path.write_text(json.dumps(document, indent=1) + "\n")
