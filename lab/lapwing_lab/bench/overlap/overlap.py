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

from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab._core import OverlapPart, OverlapWork
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import refused_is_missing
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
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


class Parts:
    """The parts of all methods of one work, and their samples."""

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
    with Session(request, len(request.works), request.samples) as session:
        for work in request.works:
            nx, ny, nz, _ = SIZES[work]
            grid = Grid((nx, ny * request.ranks, nz))
            partition = block_partition(grid, blocks=(1, request.ranks, 1))
            session.work(request.full_name(work), partition, partial(_measure, session, work))
    hiding = [result for result in session.results if "hidden" in result.extra]
    return session.tell(_table(request, hiding), width=120)


def _measure(session: Session[OverlapRequest], name: str, domain: Domain) -> list[Result]:
    """All results of one work. Collective."""
    request, work = session.request, OverlapWork(*SIZES[name])
    make = partial(make_method, domain=domain, work=work, request=request)
    parts = Parts(session.available(request.chosen, make))
    _check(parts, name)
    _calibrate(parts)
    full_name = request.full_name(name)
    session.alternate(full_name, {name: parts}, _turn)
    _check(parts, name)
    for method, made in parts.methods.items():
        if made.choice:
            session.notes.append(f"{name}, {method}: {made.choice}")
        made.close()
    return _results(full_name, parts, work.message_bytes)


def _check(parts: Parts, work: str) -> None:
    """Raise unless all methods give the same bits: else times say nothing. Collective."""
    seen = {name: method.fingerprint(CHECKED_STEPS) for name, method in parts.methods.items()}
    others = [name for name, bits in seen.items() if bits != next(iter(seen.values()))]
    if others:
        raise RuntimeError(
            f"bench overlap: other bits in {work} than by {next(iter(seen))}: {others}"
        )


def _calibrate(parts: Parts) -> None:
    """Find the arithmetic that takes as long as the fastest communication. Collective."""
    target = min(part.warm_up() for part in parts.alone.values())
    count, least = 64, _compute_seconds(parts, 1)
    for _ in range(3):
        slope = max(_compute_seconds(parts, count) - least, 1e-9) / (count - 1)
        count = max(2, min(MOST_ITERATIONS, round(1 + (target - least) / slope)))
    parts.iterations = count
    _compute_seconds(parts, count)
    for part in parts.steps.values():
        part.warm_up()


def _compute_seconds(parts: Parts, iterations: int) -> float:
    """Seconds of computing alone with so much arithmetic, which stays. Collective."""
    for method in parts.methods.values():
        method.set_iterations(iterations)
    return parts.compute.warm_up()


def _turn(parts: Parts) -> None:
    """One sample of everything. Collective."""
    parts.compute.take()
    for name in parts.methods:
        parts.alone[name].take()
        parts.steps[name].take()


def _results(work: str, parts: Parts, size: int) -> list[Result]:
    """The steps of all methods with what they hide, then the parts alone."""
    best = min(part.median for part in parts.alone.values())
    results = []
    for name, step in parts.steps.items():
        extra = {
            "bytes": float(size),
            "iterations": float(parts.iterations),
            "communicate": parts.alone[name].median,
            "best_communicate": best,
            "compute": parts.compute.median,
            **_judged(step, parts.compute, best),
        }
        for other in (PLAIN, CEILING):
            if other in parts.steps:
                over = "over_" + other.replace("-", "_")
                extra |= ratio(over, step.seconds, parts.steps[other].seconds)
        results.append(Result(work, name, step.seconds, extra))
    for name, part in parts.alone.items():
        results.append(Result(f"{work}:communicate", name, part.seconds))
    return [*results, Result(f"{work}:compute", "undivided", parts.compute.seconds)]


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
