"""`lapwing bench coast`: the kernels of the coast model against the memory of this machine.

The model runs as in any case; its own timers say where each step went, so every kernel is timed
with the caches as the others left them. Copies of as many bytes take turns with it. Every rank
computes nx x ny cells; what is printed is one core's rate, that of the slowest rank. `coast_layers`
has what is measured with layers.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import numpy as np
from lapwing.base.table import make_table
from lapwing.core.domain import Domain
from lapwing_coast import CoastRun, CoastSettings, model
from lapwing_coast.settings import GridSettings, SideSettings, TideSettings
from mpi4py import MPI
from rich.table import Table

from lapwing_bench.coast import layers as coast_layers
from lapwing_bench.coast.layers import copier, slowest_of
from lapwing_bench.coast.request import CoastRequest, Work
from lapwing_bench.measure.report import Result, tell

VALUE = 8  # bytes of a float64

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
    domain = Domain((work.nx, work.ny * MPI.COMM_WORLD.Get_size()))
    coast = _stirred(domain, work)
    copy = copier(FIELDS * work.nx * work.ny)
    names = coast.step.stage_names
    samples: dict[str, list[float]] = {name: [] for name in ("copy", "step", *names)}
    for turn in range(-1, work.samples):  # the first turn warms up
        times = {"copy": copy(), **_step_times(coast, work.steps)}
        for name, seconds in times.items() if turn >= 0 else ():
            samples[name].append(seconds)
    coast.check_state()
    domain.close()
    slowest = {name: slowest_of(seconds) for name, seconds in samples.items()}
    return _results(work, slowest)


def _stirred(domain: Domain, work: Work) -> CoastRun:
    """Return a closed sea in motion: the cells of `kelvin`, without the rest of its start."""
    settings = CoastSettings(
        grid=GridSettings(cells_x=work.nx, cells_y=work.ny * domain.ranks),
        tide=TideSettings(
            north=SideSettings(open=True, amplitude=[[0.5]], phase=[[90.0]]), ramp=1e30
        ),
    )
    geometry = model.geometry(settings, Path())
    coast = CoastRun(domain, settings, geometry, strategy="blocking", transport="auto")
    coast.state["sea_level"].set(lambda i, j: 0.1 * np.sin(0.01 * i) * np.cos(0.013 * j))
    coast.advance(2)
    return coast


def _step_times(coast: CoastRun, steps: int) -> dict[str, float]:
    """Return the seconds per step of the whole step and of each of its stages."""
    coast.step.reset_times()
    begin = time.perf_counter()
    coast.advance(steps)
    whole = time.perf_counter() - begin
    stages = zip(coast.step.stage_names, coast.step.times.compute, strict=True)
    return {"step": whole / steps} | {name: seconds / steps for name, seconds in stages}


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
    numbers = ("Mcells/s", "(slowest - fastest)", "bytes/cell", "roofline Mcells/s", "reached")
    table = make_table(
        ("work",),
        numbers,
        no_wrap=False,
        title=f"Coast model, {work.nx} x {work.ny} cells ({size:.0f} MB) per core, "
        f"{work.samples} samples",
        caption=f"copying {size:.0f} MB here: {copied / 1e9:.1f} GB/s read and written; roofline: "
        f"that over bytes/cell.\nA step that read and wrote every field once ({ONCE * VALUE} "
        f"bytes/cell) would be {1 / once:.1f} times as fast at that rate.",
    )
    cells = work.nx * work.ny
    for result in results[1:]:
        rate, size_of_cell = result.extra["cells_per_second"], result.extra["bytes_per_cell"]
        slow, fast = (cells / pick(result.samples) / 1e6 for pick in (max, min))
        table.add_row(
            result.work,
            f"{rate / 1e6:.0f}",
            f"({slow:.0f} - {fast:.0f})",
            f"{size_of_cell:.0f}",
            f"{copied / size_of_cell / 1e6:.0f}",
            f"{100 * result.extra['roofline_share']:.0f} %",
        )
    return table
