"""`lapwing bench exchange`: the halo exchange beside hand-written MPI, in one run.

Every rank owns nx x ny cells, x fastest, of fields that lapwing allocated; both axes are periodic,
ranks stand in one column. Edges are rewritten before every exchange and the time of rewriting is
subtracted. Methods take turns (A B A B ...), so that a drifting machine hits all of them.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median, quantiles

import lapwing
from rich.console import Console
from rich.table import Table

from lapwing_bench import _core
from lapwing_bench.report import Result, write

# nx, ny, levels, fields and how many exchanges a sample averages over
WORKS = {
    "2d-60": (60, 60, 0, 1, 200),
    "3x2d-60": (60, 60, 0, 3, 200),
    "3d-60": (60, 60, 60, 1, 20),
}
WIDTH = 2  # cells
SAMPLES = 51
REFERENCE = "hand-combined"


def run(json: Path | None) -> int:
    """Measure every work item and print the table. Collective over the world."""
    domain = lapwing.Domain((1, 4096))
    results = []
    for work, (nx, ny, levels, fields, repeats) in WORKS.items():
        times = _core.time_exchange(domain, nx, ny, levels, fields, WIDTH, SAMPLES, repeats)
        name = work if domain.ranks == 2 else f"{work}@{domain.ranks}"
        results += [_result(name, method, times) for method in sorted(times)]
    domain.close()
    if domain.rank == 0:
        Console(width=100).print(_table(results, domain.ranks))
        if json is not None:
            write(json, results)
    return 0


def _result(work: str, method: str, times: dict[str, list[float]]) -> Result:
    ratios = [mine / hand for mine, hand in zip(times[method], times[REFERENCE], strict=True)]
    low, _, high = quantiles(ratios, n=4)
    extra = {"ratio": median(ratios), "ratio_quarter": low, "ratio_three_quarters": high}
    return Result(work, method, times[method], extra)


def _table(results: list[Result], ranks: int) -> Table:
    table = Table(
        title=f"Halo exchange, width {WIDTH}, float64, {ranks} ranks, {SAMPLES} samples",
        caption=f"ratio: time / {REFERENCE} in the same turn, median (middle half of the turns)",
    )
    table.add_column("work")
    table.add_column("method")
    for heading in ("median us", "min us", "max us", "ratio"):
        table.add_column(heading, justify="right")
    for r in results:
        spread = f"({r.extra['ratio_quarter']:.2f}-{r.extra['ratio_three_quarters']:.2f})"
        times = (f"{1e6 * t:.2f}" for t in (r.median, min(r.samples), max(r.samples)))
        table.add_row(r.work, r.method, *times, f"{r.extra['ratio']:.2f} {spread}")
    return table
