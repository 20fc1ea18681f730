"""`lapwing bench overlap`: how much of the communication is hidden behind the computing.

Two ranks step a model whose face has the size of the work. The arithmetic per cell is a fixed
number of operations, found once per work so that computing alone takes as long as the fastest
communication alone. Methods take turns, every turn measures communication alone, computing alone
and the step; before and after, all methods must give the same bits.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from lapwing.base.error import OutsideError, UserError
from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from rich.table import Table

from lapwing_bench import _core
from lapwing_bench._core import OverlapPart, OverlapWork
from lapwing_bench.measure import columns
from lapwing_bench.measure.method import MethodMissingError
from lapwing_bench.measure.report import Result, ratio, tell
from lapwing_bench.overlap.request import BUFFERED, CEILING, PLAIN, POLLED, SIZES, OverlapRequest
from lapwing_bench.overlap.tcp import connected

TILES = 16  # of the interior, where progress is polled between them
BATCH = 30e-3  # s of a sample: long against the clock and the bursts of a network
ROUNDS = (5, 400)  # steps of a sample, at least and at most
TRIAL = 100  # steps before it is asked again whether a method has found its way


def make_method(
    name: str, domain: Domain, work: OverlapWork, request: OverlapRequest
) -> _core.OverlapMethod:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    chunk = request.chunk_bytes
    try:
        if name == CEILING:
            return _core.tcp_overlap(domain, work, connected(domain.mpi))
        if name in (PLAIN, POLLED, BUFFERED):
            tiles = TILES if name == POLLED else 1
            return _core.hand_overlap(domain, work, name == BUFFERED, tiles, chunk)
        return _core.step_overlap(domain, work, name, request.transport, chunk)
    except (UserError, OutsideError) as problem:
        raise MethodMissingError(str(problem)) from problem


@dataclass
class Part:
    """Samples of one part of a method, s."""

    rounds: int = ROUNDS[0]
    seconds: list[float] = field(default_factory=list)  # of a round, on the slowest rank
    kernels: list[float] = field(default_factory=list)  # of a round in kernels, mean of the ranks

    @property
    def median(self) -> float:
        """Median of the samples, s."""
        return median(self.seconds)


class Measured:
    """A method, and the samples of its parts."""

    def __init__(self, method: _core.OverlapMethod, domain: Domain) -> None:
        """Begin without samples. Local."""
        self.method, self.domain = method, domain
        self.step, self.communication = Part(), Part()

    def warm_up(self, part: Part, what: OverlapPart) -> float:
        """Find how many rounds a sample has; returns the least seconds of one. Collective."""
        part.rounds = ROUNDS[0]
        while what == OverlapPart.step and not self.method.settled:
            self.method.sample(self.domain, what, TRIAL)
        seconds = min(self.take(part, what) for _ in range(3))
        part.rounds = max(ROUNDS[0], min(ROUNDS[1], int(BATCH / max(seconds, 1e-7))))
        seconds = min(seconds, *(self.take(part, what) for _ in range(3)))
        part.seconds.clear()
        part.kernels.clear()
        return seconds

    def take(self, part: Part, what: OverlapPart) -> float:
        """Take one sample of a part, and return its seconds. Collective."""
        seconds, kernels = self.method.sample(self.domain, what, part.rounds)
        part.seconds.append(seconds)
        part.kernels.append(kernels)
        return seconds


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


def _table(request: OverlapRequest, results: Sequence[Result]) -> Table:
    chunks = f", messages of at most {request.chunk_bytes} B" if request.chunk_bytes else ""
    return columns.table(
        results,
        [
            ("comm. ms", columns.number("communicate", 1e3, 3)),
            ("compute ms", columns.number("compute", 1e3, 3)),
            *columns.times("ms", 3, "step"),
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
        "- step) / the lesser of the two. Kernels: their time in the step / undivided and alone. "
        "Over plain and over TCP: step / that of the same turn, median.",
    )
