"""`lapwing bench diffusion`: heat in 3D on lapwing, and with MPI by hand.

All methods but `limit` must have the same bits after a hundred steps, and at the end. They
alternate (A B A B ...).
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
from lapwing_lab.bench.diffusion import request as names
from lapwing_lab.bench.diffusion.model import HeatModel
from lapwing_lab.bench.diffusion.request import DiffusionRequest
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


def run(request: DiffusionRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    measured = Measured()
    with bound_to_cores(MPI.COMM_WORLD):
        for work in request.works:
            partition = block_partition(Grid(tuple(work)), blocks=(1, 1, request.ranks))
            on_domain(partition, partial(_measure, request, work, measured))
    shown = [*measured.notes, *missing_lines(measured.missing)]
    return tell(request, measured.results, _table(request, measured), *shown, width=120)


def make_method(name: str, domain: Domain, model: HeatModel, request: DiffusionRequest) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    far = model.distances
    if name == names.LIMIT:
        return _core.limit_diffusion(domain)
    if name != names.STEP:
        return _core.hand_diffusion(domain, far, overlaps=name == names.OVERLAP)
    try:
        return _core.step_diffusion(domain, far, request.strategy, request.transport)
    except (UserError, OutsideError) as problem:
        raise MethodMissingError(str(problem)) from problem


def _measure(request: DiffusionRequest, work: Shape, measured: Measured, domain: Domain) -> None:
    """Add the results of one work. Collective."""
    model, steps = HeatModel((work[0], work[1], work[2])), request.call_steps(work)
    make = partial(make_method, domain=domain, model=model, request=request)
    methods = available(request.methods, make, measured.missing)
    name = request.full_name(work)
    first = [one(domain.box).ravel() for one in (model.first, model.factor)]
    for method in methods.values():
        settle(method, first)
        method.run(COMPARED)
    _require_same_bits(methods, domain)
    taken = alternated(methods, steps, request.samples, domain.mpi, request.progress, name)
    _require_same_bits(methods, domain)
    measured.note_choices(name, methods)
    measured.results += _results(name, model, taken)


def _require_same_bits(methods: Methods, domain: Domain) -> None:
    """RuntimeError where methods are apart. Collective."""
    heat = {name: one for name, one in methods.items() if name != names.LIMIT}
    like = np.empty(domain.box.volume)
    for name, (far,) in apart(heat, [like], domain.mpi).items():
        if far != 0:  # NaN too
            raise RuntimeError(f"bench diffusion: {name} is {far:.1e} apart; expected no bit")


def _results(work: str, model: HeatModel, taken: dict[str, list[float]]) -> list[Result]:
    results = []
    for name, mine in taken.items():
        extra = {
            "points_per_second": prod(model.points) / median(mine),
            "effective_throughput": model.effective_bytes / median(mine),
        }
        for other in (names.HAND, names.LIMIT):
            if other in taken:
                extra |= ratio(f"over_{other}", taken[other], mine)
        results.append(Result(work, name, mine, extra))
    return results


def _table(request: DiffusionRequest, measured: Measured) -> Table:
    return columns.table(
        measured.results,
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
