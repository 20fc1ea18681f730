"""`lapwing bench shallow-water`: a whole model in C++ and Python, by hand, and by mpi4jax.

All methods step the same model from the same first flow, as many steps each. They alternate (A B A
B ...), as many steps to a sample as mpi4jax does in one call. Afterwards all must have the same
flow: the same bits where the arithmetic is the same.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from lapwing.core.domain import Domain
from lapwing.core.partition import Box
from numpy.typing import NDArray
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab._core import ShallowModel
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import refused_is_missing
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models import peers
from lapwing_lab.bench.models.python_methods import make_method as make_python
from lapwing_lab.bench.models.request import HAND, ShallowWaterRequest
from lapwing_lab.bench.models.stepping import (
    WARM_UP,
    Stepping,
    alternated,
    apart,
    compared,
    end,
    measure_works,
    settle,
)


def run(request: ShallowWaterRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    others = set(request.OF_PEER)
    versions = partial(peers.versions, request.PEER)
    return measure_works(
        request, _measure, _table, peers=lambda methods: versions() if methods & others else {}
    )


def make_method(
    name: str, domain: Domain, model: ShallowModel, request: ShallowWaterRequest, call_steps: int
) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    wide = request.double
    if name in request.OF_PEER:
        corrected = request.OF_PEER.index(name)
        return peers.mpi4jax_model(domain, (model.nx, model.ny), wide, call_steps, corrected)
    if name == HAND:
        return _core.hand_shallow(domain, model, wide)
    with refused_is_missing():
        if name == request.CPP:
            return _core.step_shallow(domain, model, wide, request.strategy, request.transport)
        return make_python(name, domain, model, wide, request.strategy, request.transport)


def _measure(session: Session[ShallowWaterRequest], work: Shape, domain: Domain) -> list[Result]:
    """The results of one work. Collective."""
    request = session.request
    model, steps = ShallowModel(*work), request.call_steps(work)
    make = partial(make_method, domain=domain, model=model, request=request, call_steps=steps)
    methods = session.available(request.methods, make)
    flow, name = first_flow(model, domain.box), request.full_name(work)
    for method in methods.values():
        settle(method, flow)
    taken = alternated(session, work, methods)
    far = apart(methods, flow, domain.mpi)

    def extra(method: str, seconds: float) -> dict[str, float]:
        count = float((WARM_UP + request.samples) * steps)
        distances = zip(("apart_h", "apart_u", "apart_v"), far[method], strict=True)
        return {"steps_per_second": 1 / seconds, "steps": count, **dict(distances)}

    end(session, name, methods)
    return compared(name, taken, extra, (request.PEER, HAND))


def _table(request: ShallowWaterRequest, results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("steps/s", columns.number("steps_per_second", 1, 1)),
            *columns.times("ms", 3, "median ms", "min ms", "max ms"),
            ("over mpi4jax", columns.spread("over_mpi4jax")),
            ("over hand", columns.spread("over_hand")),
            ("apart", columns.apart("apart_h", "apart_u", "apart_v")),
        ],
        title=f"Shallow water, {'float64' if request.double else 'float32'}, {request.ranks} ranks",
        caption="Time of a step, as many of them to a sample as mpi4jax does in one call. Over: "
        "how many times as fast, median of the turns (middle half). Apart: largest difference of "
        "h, u and v from those of the first method at the end.",
    )


Array = NDArray[np.float64]

# ---- the flow that the model begins with: a jet in balance, and a small disturbance
#
# u is 10 m/s in the middle of the channel, and falls off with the distance from it as
# exp(-(y/l)^2). The depth follows from f u = -g dh/dy, summed row by row, and is 100 m in the mean.

JET = 10.0  # m/s
JET_WIDTH = 0.02  # of the length of the grid
DISTURBANCE = 0.2  # m
WAVES = (5, 4)  # of the disturbance along x and y


def first_flow(model: ShallowModel, box: Box) -> tuple[Array, Array, Array]:
    """h, u and v [m, m/s, m/s] of a box, x fastest. Local."""
    columns, rows = (np.arange(box.lo[a], box.hi[a]) for a in (0, 1))
    length_x, length_y = ((n - 1) * model.spacing for n in (model.nx, model.ny))
    height, jet = _balanced(model, length_x, length_y)
    shape = (rows.size, columns.size)
    along = np.sin(columns * model.spacing / length_x * 2 * WAVES[0] * np.pi)
    across = np.cos(rows * model.spacing / length_y * 2 * WAVES[1] * np.pi)
    h = height[rows + 1][:, None] + DISTURBANCE * across[:, None] * along[None, :]
    u = np.broadcast_to(jet[rows + 1][:, None], shape)
    return tuple(np.ascontiguousarray(one).ravel() for one in (h, u, np.zeros(shape)))  # type: ignore[return-value]


def _balanced(model: ShallowModel, length_x: float, length_y: float) -> tuple[Array, Array]:
    """Depth and u of each row, with one more beyond either wall."""
    y = np.arange(-1, model.ny + 1) * model.spacing
    u = JET * np.exp(-(((y - 0.5 * length_y) / (JET_WIDTH * length_x)) ** 2))
    slope = -u * (model.coriolis + y * model.beta) / model.gravity
    height = np.cumsum(slope * model.spacing)
    return model.depth + height - height.mean(), u
