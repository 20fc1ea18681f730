"""`lapwing bench diffusion`: heat in 3D on lapwing, and with MPI by hand.

All methods but `limit` must have the same bits after a hundred steps, and at the end. They
alternate (A B A B ...).
"""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np
from lapwing.core.domain import Domain
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.diffusion import request as names
from lapwing_lab.bench.diffusion.model import HeatModel
from lapwing_lab.bench.diffusion.request import DiffusionRequest
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import available, refused_is_missing
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.stepping import (
    Measured,
    Stepping,
    alternated,
    compared,
    measure_works,
    require_near,
    settle,
)

COMPARED = 100  # steps after which methods are compared


def run(request: DiffusionRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    return measure_works(request, _measure, _table)


def make_method(name: str, domain: Domain, model: HeatModel, request: DiffusionRequest) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    far = model.distances
    if name == names.LIMIT:
        return _core.limit_diffusion(domain)
    if name != names.STEP:
        return _core.hand_diffusion(domain, far, overlaps=name == names.OVERLAP)
    with refused_is_missing():
        return _core.step_diffusion(domain, far, request.strategy, request.transport)


def _measure(request: DiffusionRequest, work: Shape, measured: Measured, domain: Domain) -> None:
    """Add the results of one work. Collective."""
    model, name = HeatModel((work[0], work[1], work[2])), request.full_name(work)
    make = partial(make_method, domain=domain, model=model, request=request)
    methods = available(request.methods, make, measured.missing)
    first = [one(domain.box).ravel() for one in (model.first, model.factor)]
    for method in methods.values():
        settle(method, first)
        method.run(COMPARED)
    like = np.empty(domain.box.volume)
    require_near("diffusion", methods, like, domain.mpi, 0)
    taken = alternated(request, work, methods, domain.mpi)
    require_near("diffusion", methods, like, domain.mpi, 0)

    def extra(_: str, seconds: float) -> dict[str, float]:
        return {
            "points_per_second": prod(model.points) / seconds,
            "effective_throughput": model.effective_bytes / seconds,
        }

    measured.add(name, methods, compared(name, taken, extra, (names.HAND, names.LIMIT)))


def _table(request: DiffusionRequest, results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("T_eff GB/s", columns.number("effective_throughput", 1e-9, 1)),
            *columns.times("ms", 3, "ms", "min", "max"),
            ("over hand", columns.spread("over_hand")),
            ("of limit", columns.percent("over_limit")),
        ],
        title=f"Diffusion of heat in 3D, float64, {request.ranks} ranks",
        caption="T_eff: bytes that a step must move, temperature twice and heat capacity once, by "
        "its time, of all ranks. Over: how many times as fast, median of the turns (middle half). "
        "Limit: the same passes through memory alone. All others have the same bits.",
    )
