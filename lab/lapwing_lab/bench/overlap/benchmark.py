"""`lapwing bench overlap`: how much of the communication is hidden behind the computing.

Two ranks step a model whose face has the size of the work. The arithmetic per cell is a fixed
number of operations, found once per work so that computing alone takes as long as the fastest
communication alone. Methods alternate, every turn measures communication alone, computing alone
and the step; before and after, all methods must give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import median

from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from mpi4py import MPI
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab._core import OverlapPart, OverlapWork
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.binding import bound_to_cores
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import available, refused_is_missing
from lapwing_lab.bench.measure.report import Result, ratio, tell
from lapwing_lab.bench.overlap.request import (
    BUFFERED,
    CEILING,
    PLAIN,
    POLLED,
    SIZES,
    OverlapRequest,
)
from lapwing_lab.bench.overlap.tcp import connected

TILES = 16  # of the interior, where progress is polled between them
BATCH = 30e-3  # s of a sample: long against the clock and the bursts of a network
ROUNDS = (5, 400)  # steps of a sample, at least and at most
TRIAL = 100  # steps before it is asked again whether a method has found its way


def make_method(
    name: str, domain: Domain, work: OverlapWork, request: OverlapRequest
) -> _core.OverlapMethod:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    chunk = request.chunk_bytes
    with refused_is_missing():
        if name == CEILING:
            return _core.tcp_overlap(domain, work, connected(domain.mpi))
        if name in (PLAIN, POLLED, BUFFERED):
            tiles = TILES if name == POLLED else 1
            return _core.hand_overlap(domain, work, name == BUFFERED, tiles, chunk)
        return _core.step_overlap(domain, work, name, request.transport, chunk)


class Part:
    """One part of a method, and its samples."""

    def __init__(self, method: _core.OverlapMethod, what: OverlapPart) -> None:
        """Begin without samples. Local."""
        self.method, self.what = method, what
        self.rounds = ROUNDS[0]
        self.seconds: list[float] = []  # of a round, on the slowest rank
        self.kernels: list[float] = []  # of a round in kernels, mean of the ranks

    @property
    def median(self) -> float:
        """Median of the samples, s."""
        return median(self.seconds)

    def warm_up(self) -> float:
        """Find how many rounds a sample has; returns the least seconds of one. Collective."""
        self.rounds = ROUNDS[0]
        while self.what == OverlapPart.step and not self.method.settled:
            self.method.sample(self.what, TRIAL)
        seconds = min(self.take() for _ in range(3))
        self.rounds = max(ROUNDS[0], min(ROUNDS[1], int(BATCH / max(seconds, 1e-7))))
        seconds = min(seconds, *(self.take() for _ in range(3)))
        self.seconds.clear()
        self.kernels.clear()
        return seconds

    def take(self) -> float:
        """Take one sample, and return its seconds. Collective."""
        seconds, kernels = self.method.sample(self.what, self.rounds)
        self.seconds.append(seconds)
        self.kernels.append(kernels)
        return seconds


CHECKED_STEPS = 6
MOST_ITERATIONS = 1_000_000


class Session:
    """The methods of one work while they are measured, and what comes of it."""

    def __init__(self, methods: dict[str, _core.OverlapMethod]) -> None:
        """Begin without samples. Local."""
        self.methods = methods
        self.steps = {n: Part(m, OverlapPart.step) for n, m in methods.items()}
        self.alone = {n: Part(m, OverlapPart.communicate) for n, m in methods.items()}
        # by any of their models, which are alike
        self.compute = Part(next(iter(methods.values())), OverlapPart.compute)
        self.iterations = 1


def run(request: OverlapRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    with bound_to_cores(MPI.COMM_WORLD):
        return _run(request)


def _run(request: OverlapRequest) -> int:
    results: list[Result] = []
    notes: dict[str, str] = {}
    with ProgressBar(request.progress, len(request.works) * request.samples) as progress:
        for name in request.works:
            results += _measure_work(request, name, notes, progress)
            progress.finish(request.full_name(name))
    table = _table(request, [result for result in results if "hidden" in result.extra])
    lines = [f"{name}: {note}" for name, note in notes.items()]
    return tell(request, results, table, *lines, width=120)


def _measure_work(
    request: OverlapRequest, name: str, notes: dict[str, str], progress: ProgressBar
) -> list[Result]:
    """All results of one work, and what else is to be told of it. Collective."""
    nx, ny, nz, width = SIZES[name]
    partition = block_partition(Grid((nx, ny * request.ranks, nz)), blocks=(1, request.ranks, 1))
    work, full_name = OverlapWork(nx, ny, nz, width), request.full_name(name)

    def measured(domain: Domain) -> list[Result]:
        missing: dict[str, str] = {}
        make = partial(make_method, domain=domain, work=work, request=request)
        session = Session(available(request.chosen, make, missing))
        notes.update((f"not measured: {method}", reason) for method, reason in missing.items())
        _check(session, name)
        _calibrate(session)
        for _ in range(request.samples):
            _turn(session)
            progress.advance(full_name)
        _check(session, name)
        for method, made in session.methods.items():
            if made.choice:
                notes[f"{name}, {method}"] = made.choice
            made.close()
        return _results(full_name, session, work.message_bytes)

    return on_domain(partition, measured)


def _check(session: Session, work: str) -> None:
    """Raise unless all methods give the same bits: else times say nothing. Collective."""
    seen = {name: method.fingerprint(CHECKED_STEPS) for name, method in session.methods.items()}
    others = [name for name, bits in seen.items() if bits != next(iter(seen.values()))]
    if others:
        raise RuntimeError(
            f"bench overlap: other bits in {work} than by {next(iter(seen))}: {others}"
        )


def _calibrate(session: Session) -> None:
    """Find the arithmetic that takes as long as the fastest communication. Collective."""
    target = min(part.warm_up() for part in session.alone.values())
    count, least = 64, _compute_seconds(session, 1)
    for _ in range(3):
        slope = max(_compute_seconds(session, count) - least, 1e-9) / (count - 1)
        count = max(2, min(MOST_ITERATIONS, round(1 + (target - least) / slope)))
    session.iterations = count
    _compute_seconds(session, count)
    for part in session.steps.values():
        part.warm_up()


def _compute_seconds(session: Session, iterations: int) -> float:
    """Seconds of computing alone with so much arithmetic, which stays. Collective."""
    for method in session.methods.values():
        method.set_iterations(iterations)
    return session.compute.warm_up()


def _turn(session: Session) -> None:
    """One sample of everything. Collective."""
    session.compute.take()
    for name in session.methods:
        session.alone[name].take()
        session.steps[name].take()


def _results(work: str, session: Session, size: int) -> list[Result]:
    """The steps of all methods with what they hide, then the parts alone."""
    best = min(part.median for part in session.alone.values())
    results = []
    for name, step in session.steps.items():
        extra = {
            "bytes": float(size),
            "iterations": float(session.iterations),
            "communicate": session.alone[name].median,
            "best_communicate": best,
            "compute": session.compute.median,
            **_judged(step, session.compute, best),
        }
        for other in (PLAIN, CEILING):
            if other in session.steps:
                over = "over_" + other.replace("-", "_")
                extra |= ratio(over, step.seconds, session.steps[other].seconds)
        results.append(Result(work, name, step.seconds, extra))
    for name, part in session.alone.items():
        results.append(Result(f"{work}:communicate", name, part.seconds))
    return [*results, Result(f"{work}:compute", "undivided", session.compute.seconds)]


def _judged(step: Part, compute: Part, best: float) -> dict[str, float]:
    """The share that a step hides, against the fastest communication of the run."""
    return {
        "hidden": (best + compute.median - step.median) / min(best, compute.median),
        "over_longer": step.median / max(best, compute.median),
        "zoning": median(step.kernels) / median(compute.kernels),
    }


def _table(request: OverlapRequest, results: Sequence[Result]) -> Table:
    chunks = f", messages of at most {request.chunk_bytes} B" if request.chunk_bytes else ""
    return columns.table(
        results,
        [
            ("comm. ms", columns.number("communicate", 1e3, 3)),
            ("compute ms", columns.number("compute", 1e3, 3)),
            *columns.times("ms", 3, "step ms", "min", "max"),
            ("hidden", columns.percent("hidden")),
            ("over longer", columns.number("over_longer", 1, 3)),
            ("over plain", columns.number("over_plain", 1, 3, "-")),
            ("over TCP", columns.number("over_tcp_ceiling", 1, 3, "-")),
            ("kernels", columns.number("zoning", 1, 3)),
        ],
        no_wrap=False,
        title=f"Communication behind computing, {request.ranks} ranks, transport "
        f"{request.transport}{chunks}, {request.samples} samples",
        caption="Step: median, min and max. Hidden: (fastest communication of the run + computing "
        "- step) / the smaller of the two. Kernels: their time in the step / undivided and alone. "
        "Over plain and over TCP: step / that of the same turn, median.",
    )
