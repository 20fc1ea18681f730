"""What a benchmark tells: results, tables for people, and the JSON file with raw samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median, quantiles

from lapwing.base.table import make_table
from lapwing.core.versions import write_report
from mpi4py import MPI
from rich.console import Console, RenderableType
from rich.table import Table

from lapwing_bench.measure.request import Request


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


def spread(extra: Mapping[str, float], name: str, digits: int = 2) -> str:
    """What `ratio` found under a name, for people. Local."""
    low, high = extra[f"{name}_quarter"], extra[f"{name}_three_quarters"]
    return f"{extra[name]:.{digits}f} ({low:.2f}-{high:.2f})"


def tell(
    request: Request,
    results: list[Result],
    *shown: RenderableType,
    width: int = 100,
    peers: Mapping[str, str] | None = None,
) -> int:
    """Print tables and lines on rank 0, write the file, and return the exit code 0. Local.

    `peers`: versions of packages that were measured beside lapwing.
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

    `peers`: versions of packages that were measured beside lapwing.
    """
    rows = []
    for result in results:
        times = {"median": result.median, "min": min(result.samples), "max": max(result.samples)}
        rows.append(asdict(result) | times)
    write_report(path, "lapwing-bench-1", {"results": rows}, peers)


_DIGITS = {"us": (1e6, 2), "ms": (1e3, 3)}  # factor from seconds, and decimals


def method_table(title: str, caption: str, unit: str, results: Sequence[Result]) -> Table:
    """Make a table of results, works one after the other, with times in `unit`: us or ms. Local.

    Each result has `limit_share`, and `speedup` with its quartiles, as `ratio` makes them.
    """
    factor, decimals = _DIGITS[unit]
    times = (f"{what} {unit}" for what in ("median", "min", "max"))
    numbers = (*times, "share of limit", "speed-up")
    table = make_table(("work", "method"), numbers, title=title, caption=caption)
    before = ""
    for result in results:
        if result.work != before and before:
            table.add_section()
        seconds = (result.median, min(result.samples), max(result.samples))
        table.add_row(
            result.work if result.work != before else "",
            result.method,
            *(f"{factor * one:.{decimals}f}" for one in seconds),
            f"{100 * result.extra['limit_share']:.0f} %",
            spread(result.extra, "speedup"),
        )
        before = result.work
    return table
