"""`lapwing bench output`: what output costs a model that writes itself, and one with servers.

A case is run whole, on the same ranks of the model alternately: once they gather and write, once
further ranks do that. The time of output is that of the slowest model rank in its time loop; what
it waits at the end until the files are complete is next to it.
"""

from __future__ import annotations

import gc
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from lapwing.io.compare import compare_files
from lapwing.run.request import Request
from lapwing.run.run import time_case
from lapwing.run.summary import Summary
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.measure.domains import on_first_ranks
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models.request import OutputRequest

METHODS = ("model", "servers")


def run(request: OutputRequest) -> int:
    """Measure and print the table. Collective over the world."""
    world = MPI.COMM_WORLD
    with (
        ExitStack() as folders,
        Session(request, len(request.model_ranks), request.samples) as session,
    ):
        made = ""
        if world.rank == 0:
            if request.folder is not None:
                request.folder.mkdir(parents=True, exist_ok=True)
            made = folders.enter_context(tempfile.TemporaryDirectory(dir=request.folder))
        folder = Path(world.bcast(made))
        for ranks in request.model_ranks:
            session.results += _measure(session, ranks, folder)
    words = "output: of the slowest model rank in its time loop; less: median of turns (quartiles)"
    return session.tell(_table(session.results), words, width=110)


def _measure(session: Session[OutputRequest], ranks: int, folder: Path) -> list[Result]:
    """One number of model ranks, both methods alternating. Collective over the world."""
    work = f"{session.request.case}@{ranks}"

    def take(method: str) -> list[Summary]:
        return _turn(session.request, ranks, method, folder / f"{work}-{method}")

    found = session.alternate(work, dict(zip(METHODS, METHODS, strict=True)), take)
    taken = {method: [one for turn in turns for one in turn] for method, turns in found.items()}
    session.bar.finish(work)
    if MPI.COMM_WORLD.rank != 0:
        return []
    _require_same_files(folder, work)
    output = {
        method: [max(rank.keeping for rank in summary.ranks) for summary in summaries]
        for method, summaries in taken.items()
    }
    results = [Result(work, method, output[method], _medians(taken[method])) for method in METHODS]
    saved = np.subtract(output["model"], output["servers"])
    results[1].extra |= ratio("less", saved, output["model"])
    return results


def _turn(request: OutputRequest, ranks: int, method: str, out: Path) -> list[Summary]:
    """One run of the case; its times on rank 0. Collective over the world."""
    servers = request.io_ranks if method == "servers" else 0
    case = Request(request.case, sets=request.sets, out=out, io_ranks=servers, progress="none")
    found = on_first_ranks(MPI.COMM_WORLD, ranks + servers, partial(time_case, case))
    gc.collect()  # exchanges of a domain that is closed
    return [] if found is None else [found]


def _require_same_files(folder: Path, work: str) -> None:
    """End the benchmark where the two methods do not leave the same records. Local."""
    one, other = (folder / f"{work}-{method}" / "output.nc" for method in METHODS)
    if different := compare_files(one, other):
        names = ", ".join(difference.variable for difference in different)
        raise RuntimeError(f"{work}: servers write other values of {names} than the model")


def _medians(summaries: list[Summary]) -> dict[str, float]:
    """The sum of the times that are not output in the time loop, s."""
    return {
        "closing": median(max(rank.closing for rank in s.ranks) for s in summaries),
        "stepping": median(s.stepping for s in summaries),
        "wall": median(s.wall for s in summaries),
    }


def _less(result: Result) -> str:
    if "less" not in (extra := result.extra):
        return ""
    quarters = f"{extra['less_quarter']:.0%}-{extra['less_three_quarters']:.0%}"
    return f"{extra['less']:.0%} ({quarters})"


def _table(results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("output ms", columns.middle("ms", 1)),
            ("at the end", columns.number("closing", 1e3, 1)),
            ("stepping", columns.number("stepping", 1e3, 1)),
            ("all", columns.number("wall", 1e3, 1)),
            ("less", _less),
        ],
        words=[("case@model ranks", lambda result: result.work), ("who writes", columns.METHOD[1])],
    )
