"""`lapwing bench shallow-water`: a whole model in C++ and Python, by hand, and by mpi4jax.

All methods step the same model from the same first flow, as many steps each. They alternate (A B A
B ...), as many steps to a sample as mpi4jax does in one call. Afterwards all must have the same
flow: the same bits where the arithmetic is the same.
"""

from __future__ import annotations

from functools import partial
from statistics import median

from lapwing.base.error import OutsideError, UserError
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from mpi4py import MPI
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab._core import ShallowModel
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.binding import bound_to_cores
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import MethodMissingError, available
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result, missing_lines, ratio, tell
from lapwing_lab.bench.measure.stepping import (
    WARM_UP,
    Measured,
    Stepping,
    alternated,
    apart,
    settle,
)
from lapwing_lab.bench.shallow_water import mpi4jax_method
from lapwing_lab.bench.shallow_water import request as names
from lapwing_lab.bench.shallow_water.model import first_flow
from lapwing_lab.bench.shallow_water.python_methods import make_method as make_python
from lapwing_lab.bench.shallow_water.request import ShallowWaterRequest


def run(request: ShallowWaterRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    measured = Measured()
    with bound_to_cores(MPI.COMM_WORLD):
        for work in request.works:
            partition = block_partition(
                Grid(tuple(work), periodic=(True, False)), blocks=(1, request.ranks, 1)
            )
            on_domain(partition, partial(_measure, request, work, measured))
    peers = (
        mpi4jax_method.versions()
        if any(result.method in names.OF_PEER for result in measured.results)
        else {}
    )
    shown = [*measured.notes, *missing_lines(measured.missing)]
    return tell(
        request, measured.results, _table(request, measured), *shown, width=120, peers=peers
    )


def make_method(
    name: str, domain: Domain, model: ShallowModel, request: ShallowWaterRequest, call_steps: int
) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    wide = request.double
    if name in names.OF_PEER:
        if domain.node.ranks < domain.ranks:
            raise MethodMissingError("on several nodes, where it is not connected to all ranks")
        corrected = names.OF_PEER.index(name)
        return mpi4jax_method.Mpi4jaxShallow(domain.mpi, model, wide, call_steps, corrected)
    if name == names.HAND:
        return _core.hand_shallow(domain, model, wide)
    try:
        if name == names.CPP:
            return _core.step_shallow(domain, model, wide, request.strategy, request.transport)
        return make_python(name, domain, model, wide, request.strategy, request.transport)
    except (UserError, OutsideError) as problem:
        raise MethodMissingError(str(problem)) from problem


def _measure(request: ShallowWaterRequest, work: Shape, measured: Measured, domain: Domain) -> None:
    """Add the results of one work. Collective."""
    model, steps = ShallowModel(*work), request.call_steps(work)
    make = partial(make_method, domain=domain, model=model, request=request, call_steps=steps)
    methods = available(request.methods, make, measured.missing)
    flow = first_flow(model, domain.box)
    name = request.full_name(work)
    for method in methods.values():
        settle(method, flow)
    taken = alternated(methods, steps, request.samples, domain.mpi, request.progress, name)
    far = apart(methods, flow, domain.mpi)
    measured.note_choices(name, methods)
    for one in methods.values():
        if isinstance(one, mpi4jax_method.Mpi4jaxShallow):
            one.close()
    measured.results += _results(name, taken, far, (WARM_UP + request.samples) * steps)


def _results(
    work: str, taken: dict[str, list[float]], far: dict[str, tuple[float, ...]], steps: int
) -> list[Result]:
    results = []
    for name, mine in taken.items():
        h, u, v = far[name]
        extra = {
            "steps_per_second": 1 / median(mine),
            "steps": float(steps),
            "apart_h": h,
            "apart_u": u,
            "apart_v": v,
        }
        for other in (names.PEER, names.HAND):
            if other in taken:
                extra |= ratio(f"over_{other}", taken[other], mine)
        results.append(Result(work, name, mine, extra))
    return results


def _table(request: ShallowWaterRequest, measured: Measured) -> Table:
    def far(result: Result) -> str:
        most = max(result.extra[f"apart_{one}"] for one in "huv")
        return "same bits" if most == 0 else f"{most:.1e}"

    return columns.table(
        measured.results,
        [
            ("steps/s", columns.number("steps_per_second", 1, 1)),
            *columns.times("ms", 3, "median ms", "min ms", "max ms"),
            ("over mpi4jax", columns.spread("over_mpi4jax")),
            ("over hand", columns.spread("over_hand")),
            ("apart", far),
        ],
        title=f"Shallow water, {'float64' if request.double else 'float32'}, {request.ranks} ranks",
        caption="Time of a step, as many of them to a sample as mpi4jax does in one call. Over: "
        "how many times as fast, median of the turns (middle half). Apart: largest difference of "
        "h, u and v from those of the first method at the end.",
    )
