"""`lapwing bench acoustic`: the wave equation on lapwing, with MPI by hand, and by Devito.

All methods step the same u from the same beginning. First they are compared after a hundred steps:
lapwing and the methods by hand have the same bits, Devito the same numbers up to rounding. Then
they alternate (A B A B ...), and `limit` with them: the same passes through memory alone.
"""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np
from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import refused_is_missing
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models import peers
from lapwing_lab.bench.models.acoustic_model import AcousticModel
from lapwing_lab.bench.models.request import HAND, LIMIT, OVERLAP, STEP, AcousticRequest
from lapwing_lab.bench.models.stepping import (
    Stepping,
    alternated,
    compared,
    end,
    measure_works,
    require_near,
    settle,
)

COMPARED = 100  # steps after which methods are compared
TOLERANCE = 2e-4  # of the largest u at the beginning: rounding in float32 grows with the steps


def run(request: AcousticRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    peer = request.PEER
    versions = peers.versions
    return measure_works(
        request, _measure, _table, 130, lambda methods: versions(peer) if peer in methods else {}
    )


def make_method(
    name: str, domain: Domain, model: AcousticModel, request: AcousticRequest, call_steps: int
) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    if name == request.PEER:
        return peers.devito_model(domain, model.cells, request.modes, call_steps)
    if name == LIMIT:
        return _core.limit_acoustic(domain)
    if name != STEP:
        return _core.hand_acoustic(domain, overlaps=name == OVERLAP)
    with refused_is_missing():
        return _core.step_acoustic(domain, request.strategy, request.transport)


def _measure(session: Session[AcousticRequest], work: Shape, domain: Domain) -> list[Result]:
    """The results of one work. Collective."""
    request = session.request
    model, name = AcousticModel((work[0], work[1], work[2])), request.full_name(work)
    steps = request.call_steps(work)
    make = partial(make_method, domain=domain, model=model, request=request, call_steps=steps)
    methods = session.available(request.methods, make)
    u, courant = (one(domain.box).ravel() for one in (model.first, model.courant))
    for method in methods.values():
        settle(method, [u, courant])
        method.run(COMPARED)
    most = TOLERANCE * float(domain.mpi.allreduce(float(np.abs(u).max()), MPI.MAX))
    like = np.empty(domain.box.volume, np.float32)
    after_some = require_near("acoustic", methods, like, domain.mpi, most)
    taken = alternated(session, work, methods)
    at_end = require_near("acoustic", methods, like, domain.mpi)

    def extra(method: str, seconds: float) -> dict[str, float]:
        found = {"points_per_second": prod(work) / seconds}
        if method in after_some:
            found |= {"apart": after_some[method], "apart_at_end": at_end[method]}
        return found

    end(session, name, methods)
    return compared(name, taken, extra, (request.PEER, HAND, LIMIT))


def _table(request: AcousticRequest, results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("GPts/s", columns.number("points_per_second", 1e-9, 3)),
            *columns.times("ms", 3, "ms", "min", "max"),
            ("over devito", columns.spread("over_devito")),
            ("over hand", columns.spread("over_hand")),
            ("of limit", columns.percent("over_limit")),
            ("apart", columns.apart("apart")),
        ],
        title=f"Acoustic wave equation, order 8, float32, {request.ranks} ranks",
        caption="Points per second on all ranks, and the time of a step. Over: how many times as "
        "fast, median of the turns (middle half). Limit: the same passes through memory alone. "
        f"Apart: largest difference of u, at most about 2, from that of the first method after "
        f"{COMPARED} steps.",
    )
