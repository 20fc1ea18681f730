"""`lapwing bench pack`: packing and unpacking of pieces, compared with memcpy of their bytes.

Fields of 60 x 60 cells with a halo of 2, float64, 60 levels unless the name says 2d. Pack, unpack
and memcpy alternate. What they move stays in the caches, so a share of memcpy below one means
short runs, and cache lines that are moved for a few of their bytes.
"""

from __future__ import annotations

from statistics import median

from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.report import Result, ratio, tell
from lapwing_lab.bench.pack.request import PackRequest

SAMPLES = 201
REFERENCE = "memcpy"


def run(request: PackRequest) -> int:
    """Measure every work and print the table. Local."""
    results = [result for work in _core.pack_works() for result in measure(work, SAMPLES)]
    return tell(request, results, _table(results))


def measure(work: str, samples: int) -> list[Result]:
    """Measure memcpy, pack and unpack of one work. Local."""
    taken = _core.time_pack(work, samples)
    size = taken.pop("bytes")[0]
    results = []
    for method in (REFERENCE, "pack", "unpack"):
        extra = {
            "bytes": size,
            "gigabytes_per_second": size / median(taken[method]) / 1e9,
            "memcpy_share": ratio("share", taken[REFERENCE], taken[method])["share"],
        }
        results.append(Result(work, method, taken[method], extra))
    return results


def _table(results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("bytes", columns.number("bytes")),
            ("GB/s", columns.number("gigabytes_per_second", decimals=1)),
            ("share", columns.number("memcpy_share", decimals=2)),
            *columns.times("ns", 0, "median ns", "min", "max"),
        ],
        title=f"Packing, one thread, {SAMPLES} samples",
        caption="share: time of memcpy of the same bytes in the same turn / time, median",
    )
