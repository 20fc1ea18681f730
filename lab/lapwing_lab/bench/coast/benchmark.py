"""`lapwing bench coast`: the kernels of the coast model against the memory of this machine.

The model runs as in any case; its own timers say where each step went, so every kernel is timed
with the caches as the others left them. Copies of as many bytes alternate with it. Every rank
computes nx x ny cells; what is printed is one core's rate, that of the slowest rank. `layers` has
what is measured with layers.
"""

from __future__ import annotations

from statistics import median

from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.coast import layers as coast_layers
from lapwing_lab.bench.coast.request import CoastRequest
from lapwing_lab.bench.coast.sea import stirred
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.report import Result, tell
from lapwing_lab.bench.stages.timing import VALUE, copier, sampled, step_times
from lapwing_lab.bench.stages.work import Work

# Arrays that a sweep over the grid reads or writes: what must move between memory and core when
# nothing stays in the caches. An array that is stepped in place counts twice.
SWEEPS = {
    "momentum_x": 5,  # sea level, both transports, face depth; transport x
    "momentum_y": 5,
    "continuity": 4,  # both transports, sea level; sea level
}
FIELDS = 5  # three fields and two face depths: the working set
ONCE = 8  # reads of all five and writes of three: a step that sweeps only once


def run(request: CoastRequest) -> int:
    """Measure all works and print the tables. Collective over the world."""
    results: list[Result] = []
    shown: list[Table | str] = []
    for work in request.chosen:
        mine = coast_layers.measure(work) if work.levels else measure(work)
        results += mine
        shown.append(coast_layers.table(work, mine) if work.levels else _table(work, mine))
        reasons = coast_layers.reasons_of(work, mine) if work.levels else []
        shown += [f"under 25 %: {reason}" for reason in reasons]
    return tell(request, results, *shown)


def measure(work: Work) -> list[Result]:
    """Return the times of one sweep of each kernel, of a step and of a copy. Collective."""

    def measured(domain: Domain) -> list[Result]:
        coast = stirred(domain, work)
        copy = copier(FIELDS * work.nx * work.ny)
        samples = sampled(work, lambda: {"copy": copy(), **step_times(coast, work.steps)})
        coast.check_state()
        return _results(work, samples)

    return on_domain((work.nx, work.ny * MPI.COMM_WORLD.size), measured)


def _results(work: Work, samples: dict[str, list[float]]) -> list[Result]:
    cells = work.nx * work.ny
    copied = FIELDS * cells // 2 * 2 * VALUE  # bytes read and written
    bandwidth = copied / median(samples["copy"])  # bytes/s
    arrays = SWEEPS | {"step": sum(SWEEPS.values())}
    results = [Result(f"copy{work.name}", "numpy", samples["copy"], {"bandwidth": bandwidth})]
    for name, count in arrays.items():
        rate = cells / median(samples[name])  # cells/s
        extra = {
            "cells_per_second": rate,
            "bytes_per_cell": float(count * VALUE),
            "roofline_share": rate * count * VALUE / bandwidth,
        }
        if name == "step":
            extra["roofline_share_one_sweep"] = rate * ONCE * VALUE / bandwidth
        results.append(Result(f"{name}{work.name}", "coast", samples[name], extra))
    return results


def _table(work: Work, results: list[Result]) -> Table:
    copied = results[0].extra["bandwidth"]
    size = FIELDS * VALUE * work.nx * work.ny / 1e6  # MB
    once = results[-1].extra["roofline_share_one_sweep"]
    cells = work.nx * work.ny

    def extremes(result: Result) -> str:
        slow, fast = (cells / pick(result.samples) / 1e6 for pick in (max, min))
        return f"({slow:.0f} - {fast:.0f})"

    return columns.table(
        results[1:],
        [
            ("Mcells/s", columns.number("cells_per_second", 1e-6)),
            ("(slowest - fastest)", extremes),
            ("bytes/cell", columns.number("bytes_per_cell")),
            ("roofline Mcells/s", lambda one: f"{copied / one.extra['bytes_per_cell'] / 1e6:.0f}"),
            ("reached", columns.percent("roofline_share")),
        ],
        words=[("work", lambda result: result.work)],
        no_wrap=False,
        title=f"Coast model, {work.nx} x {work.ny} cells ({size:.0f} MB) per core, "
        f"{work.samples} samples",
        caption=f"copying {size:.0f} MB here: {copied / 1e9:.1f} GB/s read and written; roofline: "
        f"that over bytes/cell.\nA step that read and wrote every field once ({ONCE * VALUE} "
        f"bytes/cell) would be {1 / once:.1f} times as fast at that rate.",
    )
