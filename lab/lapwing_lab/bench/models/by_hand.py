"""`lapwing bench by-hand`: whole steps of models, by lapwing and with messages by hand.

The kernels are the same. By hand, the halos of each field are updated after the stage that wrote
it, as wide as any stage reads it, a message per field and neighbour, as GETM has it. Methods
alternate, a sample each, and run as many steps; before and after all must have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from lapwing.base.error import UserError
from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Grid, Partition, block_partition
from lapwing.model.case import geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run
from mpi4py import MPI
from numpy.typing import NDArray
from rich.table import Table

from lapwing_lab._core import HandStep
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import refused_is_missing
from lapwing_lab.bench.measure.options import near_square
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models.request import HAND, ByHandRequest
from lapwing_lab.bench.models.stepping import compared
from lapwing_lab.bench.models.tracer import tracer_in_gyres

TIDE, TRACER = ByHandRequest.WORKS
STEPS = {TIDE: 50, TRACER: 4}  # of a sample: whole cycles
MOST_TRIAL = 4000  # steps until `auto` must have settled


def run(request: ByHandRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    with Session(request, len(request.works), request.samples) as session:
        for work in request.works:
            session.work(work, partition_of(request, work), partial(_measure, session, work))
    return session.tell(_table(request, session.results), width=110)


def _measure(session: Session[ByHandRequest], work: str, domain: Domain) -> list[Result]:
    """Results of all methods of one work. Collective."""
    request, steps = session.request, STEPS[work]

    def make(method: str) -> Model:
        with refused_is_missing((UserError,)):
            return make_model(request, work, method, domain)

    models = session.available(request.chosen, make)
    _settle(models, steps)
    require_same_bits(work, models, domain)
    taken = session.alternate_runs(work, models, lambda model, n: model.run(n), steps)
    require_same_bits(work, models, domain)
    return compared(work, taken, lambda _, seconds: {"steps_per_second": 1 / seconds}, (HAND,))


def _settle(models: dict[str, Model], steps: int) -> None:
    """Run all, as many steps each, until no strategy is tried any more. Collective."""
    done = 0
    while done == 0 or (done < MOST_TRIAL and not all(one.settled for one in models.values())):
        for model in models.values():
            model.run(steps)
        done += steps


def require_same_bits(work: str, models: dict[str, Model], domain: Domain) -> None:
    """Raise unless all models have the same bits: else times say nothing. Collective."""
    cells = {method: model.cells(domain) for method, model in models.items()}
    first = cells[HAND]
    for method, mine in cells.items():
        same = all(a.tobytes() == b.tobytes() for a, b in zip(first, mine, strict=True))
        if not domain.mpi.allreduce(same, MPI.LAND):
            raise RuntimeError(f"bench by-hand: {method} has other bits in {work} than by hand")


def _table(request: ByHandRequest, results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("steps/s", columns.number("steps_per_second", 1, 1)),
            *columns.times("ms", 3, "median ms", "min ms", "max ms"),
            ("over hand", columns.spread("over_hand")),
        ],
        title=f"Models with messages by hand and by lapwing, {request.ranks} ranks, transport "
        f"{request.transport}, {request.samples} samples",
        caption="Time of a step. Over hand: how many times as fast as with messages by hand, "
        "median of the turns (middle half).",
    )


@dataclass
class Model:
    """A model that steps one way: `run` a number of steps, and the fields that it advances."""

    run: Callable[[int], object]
    fields: list[Field]
    step: Any = None  # a lapwing.Step that may still try strategies

    @property
    def settled(self) -> bool:
        """True if it steps as it always will. Local."""
        return self.step is None or self.step.report.strategy != "auto"

    def cells(self, domain: Domain) -> list[NDArray[np.float64]]:
        """The cells that this rank owns of its fields. Local."""
        return [np.array(field[box]) for field in self.fields for box in domain.boxes]


def partition_of(request: ByHandRequest, work: str) -> Partition:
    """Blocks of the grid of a work, one for each rank. Local."""
    less, more = near_square(request.ranks)
    if work == TIDE:
        case = load_case(TIDE, installed_models(), [])
        return block_partition(geometry_of(case).grid, (less, more, 1))
    nx, ny, _ = request.size
    grid = Grid((nx * less, ny * more), periodic=(True, True))
    return block_partition(grid, (less, more, 1))


def make_model(request: ByHandRequest, work: str, method: str, domain: Domain) -> Model:
    """A model by a method. Collective; UserError where the strategy does not fit it."""
    strategy = "blocking" if method == HAND else method
    make = _tide if work == TIDE else _tracer
    model, advance, tick, fields = make(request, domain, strategy)
    if method != HAND:
        return Model(advance, fields, model.step)
    hand = HandStep(domain, model.step)
    return Model(lambda steps: hand.run(steps, tick), fields)


Made = tuple[Any, Callable[[int], object], Callable[[], None], list[Field]]


def _tide(request: ByHandRequest, domain: Domain, strategy: str) -> Made:
    """The tide of the North Sea."""
    case = load_case(TIDE, installed_models(), [])
    geometry = geometry_of(case)
    run: Any = create_run(
        case.model,
        domain,
        case.settings,
        geometry,
        strategy=strategy,
        transport=request.transport,
    )
    return run, run.advance, run._coast.tick, list(run.state.values())


def _tracer(request: ByHandRequest, domain: Domain, strategy: str) -> Made:
    """A tracer in gyres that fill the grid."""
    tracer = tracer_in_gyres(domain, request.size[2], strategy, request.transport)
    return tracer, tracer.advance, lambda: None, [Field(domain, tracer.tracer)]
