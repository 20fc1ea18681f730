"""`lapwing bench acoustic`: the wave equation on lapwing, with MPI by hand, and by Devito.

All methods step the same u from the same beginning. First they are compared after a hundred steps:
lapwing and the methods by hand have the same bits, Devito the same numbers up to rounding. Then
they alternate (A B A B ...), and `limit` with them: the same passes through memory alone.
"""

from __future__ import annotations

from functools import partial
from math import prod
from statistics import median

import numpy as np
from lapwing.base.error import OutsideError, UserError
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from mpi4py import MPI
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.acoustic import devito_method
from lapwing_lab.bench.acoustic import request as names
from lapwing_lab.bench.acoustic.model import AcousticModel
from lapwing_lab.bench.acoustic.request import AcousticRequest
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.binding import bound_to_cores
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import MethodMissingError, available
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result, missing_lines, ratio, tell
from lapwing_lab.bench.measure.stepping import (
    Measured,
    Methods,
    Stepping,
    alternated,
    apart,
    settle,
)

COMPARED = 100  # steps after which methods are compared
TOLERANCE = 2e-4  # of the largest u at the beginning: rounding in float32 grows with the steps


def run(request: AcousticRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    measured = Measured()
    with bound_to_cores(MPI.COMM_WORLD):
        for work in request.works:
            partition = block_partition(Grid(tuple(work)), blocks=(1, 1, request.ranks))
            on_domain(partition, partial(_measure, request, work, measured))
    there = any(result.method == names.PEER for result in measured.results)
    peers = devito_method.versions() if there else {}
    shown = [*measured.notes, *missing_lines(measured.missing)]
    return tell(
        request, measured.results, _table(request, measured), *shown, width=130, peers=peers
    )


def make_method(
    name: str, domain: Domain, model: AcousticModel, request: AcousticRequest, call_steps: int
) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    if name == names.PEER:
        if domain.node.ranks < domain.ranks:
            raise MethodMissingError("on several nodes, where it is not connected to all ranks")
        return devito_method.DevitoAcoustic(domain.mpi, model, request.modes, call_steps)
    if name == names.LIMIT:
        return _core.limit_acoustic(domain)
    if name != names.STEP:
        return _core.hand_acoustic(domain, overlaps=name == names.OVERLAP)
    try:
        return _core.step_acoustic(domain, request.strategy, request.transport)
    except (UserError, OutsideError) as problem:
        raise MethodMissingError(str(problem)) from problem


def _measure(request: AcousticRequest, work: Shape, measured: Measured, domain: Domain) -> None:
    """Add the results of one work. Collective."""
    model, steps = AcousticModel((work[0], work[1], work[2])), request.call_steps(work)
    make = partial(make_method, domain=domain, model=model, request=request, call_steps=steps)
    methods = available(request.methods, make, measured.missing)
    name = request.full_name(work)
    after_some = _compared(methods, model, domain)
    taken = alternated(methods, steps, request.samples, domain.mpi, request.progress, name)
    at_end = _apart(methods, domain)
    measured.note_choices(name, methods)
    for one in methods.values():
        if isinstance(one, devito_method.DevitoAcoustic):
            one.close()
    measured.results += _results(name, prod(work), taken, after_some, at_end)


def _compared(methods: Methods, model: AcousticModel, domain: Domain) -> dict[str, float]:
    """Begin, and how far methods are apart after some steps. Collective.

    RuntimeError for one that is farther from the first than rounding takes it.
    """
    u, courant = (one(domain.box).ravel() for one in (model.first, model.courant))
    for method in methods.values():
        settle(method, [u, courant])
        method.run(COMPARED)
    found = _apart(methods, domain)
    most = TOLERANCE * float(domain.mpi.allreduce(float(np.abs(u).max()), MPI.MAX))
    for name, far in found.items():
        if not far <= most:
            raise RuntimeError(f"bench acoustic: {name} is {far:.1e} apart; expected {most:.1e}")
    return found


def _apart(methods: Methods, domain: Domain) -> dict[str, float]:
    """The largest distance of each method's u from the first one's. Collective."""
    waves = {name: one for name, one in methods.items() if name != names.LIMIT}
    like = np.empty(domain.box.volume, np.float32)
    return {name: far for name, (far,) in apart(waves, [like], domain.mpi).items()}


def _results(
    work: str,
    cells: int,
    taken: dict[str, list[float]],
    after_some: dict[str, float],
    at_end: dict[str, float],
) -> list[Result]:
    results = []
    for name, mine in taken.items():
        extra = {"points_per_second": cells / median(mine)}
        if name in after_some:
            extra |= {"apart": after_some[name], "apart_at_end": at_end[name]}
        for other in (names.PEER, names.HAND, names.LIMIT):
            if other in taken:
                extra |= ratio(f"over_{other}", taken[other], mine)
        results.append(Result(work, name, mine, extra))
    return results


def _table(request: AcousticRequest, measured: Measured) -> Table:
    def far(result: Result) -> str:
        most = result.extra.get("apart")
        return "" if most is None else "same bits" if most == 0 else f"{most:.1e}"

    return columns.table(
        measured.results,
        [
            ("GPts/s", columns.number("points_per_second", 1e-9, 3)),
            *columns.times("ms", 3, "ms", "min", "max"),
            ("over devito", columns.spread("over_devito")),
            ("over hand", columns.spread("over_hand")),
            ("of limit", columns.percent("over_limit")),
            ("apart", far),
        ],
        title=f"Acoustic wave equation, order 8, float32, {request.ranks} ranks",
        caption="Points per second on all ranks, and the time of a step. Over: how many times as "
        "fast, median of the turns (middle half). Limit: the same passes through memory alone. "
        f"Apart: largest difference of u, at most about 2, from that of the first method after "
        f"{COMPARED} steps.",
    )
