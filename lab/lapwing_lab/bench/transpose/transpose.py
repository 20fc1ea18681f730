"""`lapwing bench transpose`: fields to another distribution, compared with hand-written MPI.

Every method has arrays of its own and alternates with the others (A B A B ...), one transpose to a
turn: a drifting machine hits all of them, and none finds its arrays in a cache. A sample is the
time of the slowest rank. Before and after, each must move every value to its place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median

from lapwing.core.domain import Domain
from rich.table import Table

from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import refused_is_missing, require_right, slowest
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.transpose import request as names
from lapwing_lab.bench.transpose.methods import (
    CopyLimit,
    HandMethod,
    LapwingTranspose,
    StreamLimit,
    TransposeMethod,
    Work,
)
from lapwing_lab.bench.transpose.peers import Fftw, Mpi4pyFft
from lapwing_lab.bench.transpose.request import TransposeRequest


def run(request: TransposeRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    works = [(size, way) for size in request.work for way in request.ways]
    with Session(request, len(works), request.samples) as session:
        for size, way in works:
            measure = partial(_measure, session, Work.of(size, way, request.blocks(way)))
            name = request.full_name(size, way)
            # the domain's own partition does not matter
            session.work(name, (request.ranks,), partial(measure, name))
    return session.tell(_table(session), width=120)


def _measure(
    session: Session[TransposeRequest], work: Work, name: str, domain: Domain
) -> list[Result]:
    """The results of one work. Collective."""
    make = partial(make_method, domain=domain, work=work)
    methods = session.available(session.request.chosen, make)
    for one in methods.values():
        session.peers |= one.versions()
    require_right("transpose", methods, name)
    taken = session.alternate(name, methods, lambda one: slowest(domain.mpi, one.run), warm_up=2)
    require_right("transpose", methods, name)
    auto = methods.get("auto")
    if isinstance(auto, LapwingTranspose):
        session.notes.append(f"{name}: {auto.transpose.choice}")
    for one in methods.values():
        one.close()
    return _results(name, taken, work, domain)


def _results(name: str, taken: dict[str, list[float]], work: Work, domain: Domain) -> list[Result]:
    hands = [one for one in (names.HAND, names.HAND_MESSAGES) if one in taken]
    best = min(hands, key=lambda one: median(taken[one]))
    fastest = min((one for one in names.COPIES if one in taken), key=lambda one: median(taken[one]))
    taken = taken | {names.LIMIT: taken[fastest]}
    results = []
    for method in (one for one in (*names.method_names(), names.LIMIT) if one in taken):
        mine = taken[method]
        extra = {
            "bytes": 8.0 * work.source_box(domain.rank).volume,
            "oversubscribed": float(domain.node.oversubscribed),
            **ratio("limit_share", taken[names.LIMIT], mine),
            **ratio("speedup", taken[best], mine),
        }
        results.append(Result(name, method, mine, extra))
    return results


def _table(session: Session[TransposeRequest]) -> Table:
    request, results = session.request, session.results
    crowded = any(result.extra["oversubscribed"] for result in results)
    return columns.table(
        results,
        columns.compared("ms", 3),
        title=f"Transpose of one field, float64, {request.ranks} ranks, {request.samples} samples"
        + (", OVERSUBSCRIBED: ranks share cores" if crowded else ""),
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
