"""`lapwing bench transpose`: fields to another distribution, compared with hand-written MPI.

Every method has arrays of its own and alternates with the others (A B A B ...), one transpose to a
turn: a drifting machine hits all of them, and none finds its arrays in a cache. A sample is the
time of the slowest rank. Before and after, each must move every value to its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.binding import bound_to_cores
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import (
    alternate,
    available,
    refused_is_missing,
    require_right,
    slowest,
)
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result, missing_lines, ratio, tell
from lapwing_lab.bench.transpose import request as names
from lapwing_lab.bench.transpose.fftw import Fftw
from lapwing_lab.bench.transpose.methods import (
    CopyLimit,
    HandMethod,
    LapwingTranspose,
    StreamLimit,
    TransposeMethod,
    Work,
)
from lapwing_lab.bench.transpose.mpi4py_fft import Mpi4pyFft
from lapwing_lab.bench.transpose.request import TransposeRequest


@dataclass
class Measured:
    """All results of a run, what `auto` took, and what could not be had, with the reason."""

    results: list[Result] = field(default_factory=list)
    chosen: dict[str, str] = field(default_factory=dict)  # by work
    missing: dict[str, str] = field(default_factory=dict)
    peers: dict[str, str] = field(default_factory=dict)  # versions of what is not lapwing's
    oversubscribed: bool = False


def run(request: TransposeRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    with bound_to_cores(MPI.COMM_WORLD):
        return _run(request)


def _run(request: TransposeRequest) -> int:
    measured = Measured()
    works = [(size, way) for size in request.work for way in request.ways]
    with ProgressBar(request.progress, len(works) * request.samples) as progress:
        for size, way in works:
            # the domain's own partition does not matter
            on_domain((request.ranks,), partial(_measure, request, size, way, measured, progress))
    taken = [f"{work}: {choice}" for work, choice in measured.chosen.items()]
    shown: list[Table | str] = [_table(request, measured), *taken, *missing_lines(measured.missing)]
    return tell(request, measured.results, *shown, width=120, peers=measured.peers)


def _measure(
    request: TransposeRequest,
    size: Shape,
    way: str,
    measured: Measured,
    progress: ProgressBar,
    domain: Domain,
) -> None:
    """Add the results of one work. Collective."""
    name = request.full_name(size, way)
    work = Work.of(size, way, request.blocks(way))
    measured.oversubscribed = domain.node.oversubscribed
    make = partial(make_method, domain=domain, work=work)
    methods = available(request.chosen, make, measured.missing)
    for one in methods.values():
        measured.peers |= one.versions()
    require_right("transpose", methods, name)

    def take(one: TransposeMethod) -> float:
        return slowest(domain.mpi, one.run)

    taken = alternate(methods, take, request.samples, partial(progress.advance, name), warm_up=2)
    require_right("transpose", methods, name)
    auto = methods.get("auto")
    if isinstance(auto, LapwingTranspose):
        measured.chosen[name] = auto.transpose.choice
    moved = 8.0 * work.source_box(domain.rank).volume
    measured.results += _results(name, taken, moved)
    for one in methods.values():
        one.close()
    progress.finish(name)


def _results(work: str, taken: dict[str, list[float]], moved: float) -> list[Result]:
    hands = [name for name in (names.HAND, names.HAND_MESSAGES) if name in taken]
    best = min(hands, key=lambda name: median(taken[name]))
    copies = [name for name in names.COPIES if name in taken]
    fastest = min(copies, key=lambda name: median(taken[name]))
    taken = taken | {names.LIMIT: taken[fastest]}
    results = []
    for name in (name for name in (*names.method_names(), names.LIMIT) if name in taken):
        mine = taken[name]
        extra = {
            "bytes": moved,
            **ratio("limit_share", taken[names.LIMIT], mine),
            **ratio("speedup", taken[best], mine),
        }
        results.append(Result(work, name, mine, extra))
    return results


def _table(request: TransposeRequest, measured: Measured) -> Table:
    crowded = ", OVERSUBSCRIBED: ranks share cores" if measured.oversubscribed else ""
    return columns.table(
        measured.results,
        columns.compared("ms", 3),
        title=f"Transpose of one field, float64, {request.ranks} ranks, "
        f"{request.samples} samples{crowded}",
        caption="Median, min and max over the turns of the time of one transpose on the slowest "
        f"rank. Share: time of {names.LIMIT}, the fastest of the limits / time. Speed-up: time of "
        "the faster hand-written one / time in the same turn, median (middle half of the turns). "
        "kept: x stays the fastest axis.",
    )


def make_method(name: str, domain: Domain, work: Work) -> TransposeMethod:
    """The named method. Collective; raises MethodMissingError, on all ranks, where it is not."""
    kinds: dict[str, Callable[[Domain, Work], TransposeMethod]] = {
        names.MPI4PY_FFT: Mpi4pyFft,
        names.FFTW: Fftw,
        "limit-memcpy": CopyLimit,
    }
    if name in kinds:
        return kinds[name](domain, work)
    if name in names.COPIES:
        return StreamLimit(domain, work, names.COPIES[name])
    if name in (names.HAND, names.HAND_MESSAGES):
        return HandMethod(domain, work, collective=name == names.HAND)
    with refused_is_missing():
        return LapwingTranspose(domain, work, name)
