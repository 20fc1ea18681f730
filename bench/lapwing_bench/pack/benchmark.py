"""`lapwing bench pack`: packing and unpacking of field pieces beside memcpy of the same bytes.

Fields of 60 x 60 cells with a halo of 2, float64, 60 levels unless the name says 2d. Pack, unpack
and memcpy take turns. What they move stays in the caches, so a share of memcpy below one means
short runs, and cache lines that are moved for a few of their bytes.
"""

from __future__ import annotations

from statistics import median

from lapwing.base.table import make_table
from rich.table import Table

from lapwing_bench import _core
from lapwing_bench.measure.report import Result, tell
from lapwing_bench.pack.request import PackRequest

SAMPLES = 201
REFERENCE = "memcpy"


def run(request: PackRequest) -> int:
    """Measure every work and print the table. Local."""
    results = [result for work in _core.pack_works() for result in measure(work, SAMPLES)]
    return tell(request, results, _table(results))


def measure(work: str, samples: int) -> list[Result]:
    """Measure memcpy, pack and unpack of one work. Local."""
    times = _core.time_pack(work, samples)
    size = times.pop("bytes")[0]
    return [_result(work, method, times, size) for method in (REFERENCE, "pack", "unpack")]


def _result(work: str, method: str, times: dict[str, list[float]], size: float) -> Result:
    shares = [memcpy / mine for mine, memcpy in zip(times[method], times[REFERENCE], strict=True)]
    extra = {
        "bytes": size,
        "gigabytes_per_second": size / median(times[method]) / 1e9,
        "memcpy_share": median(shares),
    }
    return Result(work, method, times[method], extra)


def _table(results: list[Result]) -> Table:
    table = make_table(
        ("work", "method"),
        ("bytes", "GB/s", "share", "median ns", "min", "max"),
        title=f"Packing, one thread, {SAMPLES} samples",
        caption="share: time of memcpy of the same bytes in the same turn / time, median",
    )
    for result in results:
        extra = result.extra
        times = (result.median, min(result.samples), max(result.samples))
        table.add_row(
            result.work if result.method == REFERENCE else "",
            result.method,
            f"{extra['bytes']:.0f}" if result.method == REFERENCE else "",
            f"{extra['gigabytes_per_second']:.1f}",
            f"{extra['memcpy_share']:.2f}",
            *(f"{1e9 * seconds:.0f}" for seconds in times),
            end_section=result.method == "unpack",
        )
    return table
