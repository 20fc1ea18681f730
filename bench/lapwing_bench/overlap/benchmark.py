"""`lapwing bench overlap`: how much of the communication is hidden behind the computing.

Two ranks step a model whose face has the size of the work. The arithmetic per cell is a fixed
number of operations, found once per work so that computing alone takes as long as the fastest
communication alone. Methods take turns, every turn measures communication alone, computing alone
and the step; before and after, all methods must give the same bits.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from statistics import median

from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from mpi4py import MPI

from lapwing_bench._core import OverlapPart, OverlapWork
from lapwing_bench.measure.method import MethodMissingError
from lapwing_bench.measure.progress_bar import WorkProgress
from lapwing_bench.measure.report import Result, ratio, write
from lapwing_bench.overlap.methods import Measured, Part, make_method
from lapwing_bench.overlap.request import CEILING, PLAIN, SIZES, OverlapRequest
from lapwing_bench.overlap.table import print_table

CHECKED_STEPS = 6
MOST_ITERATIONS = 1_000_000


@dataclass
class Session:
    """Everything that one work needs while it is measured, and what comes of it."""

    domain: Domain
    work: OverlapWork
    methods: dict[str, Measured] = field(default_factory=dict)
    compute: Part = field(default_factory=Part)
    iterations: int = 1

    @property
    def first(self) -> Measured:
        """The method whose model stands for computing alone: they are alike."""
        return next(iter(self.methods.values()))


def run(request: OverlapRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    results: list[Result] = []
    notes: dict[str, str] = {}
    with WorkProgress(request.progress, len(request.works) * request.samples) as progress:
        for name in request.works:
            results += _measure_work(request, name, notes, progress)
            progress.done(request.full_name(name))
    if MPI.COMM_WORLD.Get_rank() == 0:
        print_table(request, results, notes)
        if request.json is not None:
            write(request.json, results)
    return 0


def _measure_work(
    request: OverlapRequest, name: str, notes: dict[str, str], progress: WorkProgress
) -> list[Result]:
    """All results of one work, and what else is to be told of it. Collective."""
    nx, ny, nz, width = SIZES[name]
    blocks = (1, request.ranks, 1)
    domain = Domain(block_partition(Grid((nx, ny * request.ranks, nz)), blocks=blocks))
    session = Session(domain, OverlapWork(nx, ny, nz, width))
    for method in request.chosen:
        try:
            made = make_method(method, domain, session.work, request)
        except MethodMissingError as reason:
            notes[f"not measured: {method}"] = str(reason)
            continue
        session.methods[method] = Measured(made, domain)
    _check(session, name)
    _calibrate(session)
    for _ in range(request.samples):
        _turn(session)
        progress.advance(request.full_name(name))
    _check(session, name)
    results = _results(request.full_name(name), session)
    for method, measured in session.methods.items():
        if measured.method.choice:
            notes[f"{name}, {method}"] = measured.method.choice
        measured.method.close()
    session.methods.clear()  # before the domain that they work on
    del measured, made
    gc.collect()
    domain.close()
    return results


def _check(session: Session, work: str) -> None:
    """Raise unless all methods give the same bits: else times say nothing. Collective."""
    seen = {
        name: measured.method.fingerprint(session.domain, CHECKED_STEPS)
        for name, measured in session.methods.items()
    }
    others = [name for name, bits in seen.items() if bits != next(iter(seen.values()))]
    if others:
        raise RuntimeError(
            f"bench overlap: other bits in {work} than by {next(iter(seen))}: {others}"
        )


def _calibrate(session: Session) -> None:
    """Find the arithmetic that takes as long as the fastest communication. Collective."""
    target = min(
        measured.warm_up(measured.communication, OverlapPart.communicate)
        for measured in session.methods.values()
    )
    count, least = 64, _compute_seconds(session, 1)
    for _ in range(3):
        slope = max(_compute_seconds(session, count) - least, 1e-9) / (count - 1)
        count = max(2, min(MOST_ITERATIONS, round(1 + (target - least) / slope)))
    session.iterations = count
    _compute_seconds(session, count)
    for measured in session.methods.values():
        measured.warm_up(measured.step, OverlapPart.step)


def _compute_seconds(session: Session, iterations: int) -> float:
    """Seconds of computing alone with so much arithmetic, which stays. Collective."""
    for measured in session.methods.values():
        measured.method.set_iterations(iterations)
    return session.first.warm_up(session.compute, OverlapPart.compute)


def _turn(session: Session) -> None:
    """One sample of everything. Collective."""
    session.first.take(session.compute, OverlapPart.compute)
    for measured in session.methods.values():
        measured.take(measured.communication, OverlapPart.communicate)
        measured.take(measured.step, OverlapPart.step)


def _results(work: str, session: Session) -> list[Result]:
    """The steps of all methods with what they hide, then the parts alone."""
    best = min(measured.communication.median for measured in session.methods.values())
    results = []
    for name, measured in session.methods.items():
        extra = _judged(measured, session, best)
        for other in (PLAIN, CEILING):
            if other in session.methods:
                theirs = session.methods[other].step.seconds
                extra |= ratio(_over(other), measured.step.seconds, theirs)
        results.append(Result(work, name, measured.step.seconds, extra))
    alone = [
        Result(f"{work}:communicate", name, measured.communication.seconds)
        for name, measured in session.methods.items()
    ]
    return [*results, *alone, Result(f"{work}:compute", "undivided", session.compute.seconds)]


def _judged(measured: Measured, session: Session, best: float) -> dict[str, float]:
    """What a step hides, against the fastest communication of the run."""
    compute, step = session.compute.median, measured.step.median
    return {
        "bytes": float(session.work.message_bytes),
        "iterations": float(session.iterations),
        "communicate": measured.communication.median,
        "best_communicate": best,
        "compute": compute,
        "hidden": (best + compute - step) / min(best, compute),
        "over_longer": step / max(best, compute),
        "zoning": median(measured.step.kernels) / median(session.compute.kernels),
    }


def _over(other: str) -> str:
    return "over_" + other.replace("-", "_")
