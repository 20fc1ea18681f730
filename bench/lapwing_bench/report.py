"""The JSON file of a benchmark: schema, machine, versions and raw samples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from lapwing.versions import machine, versions


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
