"""`lapwing bench wet`: what messages without land save, of exchanges and of steps.

Fields on the European shelf with a halo of two cells, without levels, with them, and both together,
and steps of cases of the coast model: with whole messages, clipped ones, patches and lists, which
alternate. Nothing rewrites the fields between exchanges, so that what is packed lies in the cache
of its rank; in steps it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod

from lapwing.base.error import user_error
from lapwing.core.domain import Domain, Exchange
from lapwing.core.partition import Mask, block_partition
from lapwing.model.case import Case, geometry_of, load_case
from lapwing.model.model import Geometry
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.partition.request import WetRequest

MASK = "shelf"  # the case whose mask exchanges are on
WIDTH = 2  # cells of their halo
WARM_UP = 10  # exchanges or steps
FORMS = ("off", "clip", "patches", "lists")
FIELDS = WetRequest.FIELDS


@dataclass
class Form:
    """The run with messages of one form."""

    run: Callable[[int], object]  # that many exchanges or steps
    messages: float  # of this rank, per exchange or step
    bytes: float

    def of_all_ranks(self) -> dict[str, float]:
        """Messages and bytes of all ranks. Collective."""
        world = MPI.COMM_WORLD
        mine = {"messages": self.messages, "bytes": self.bytes}
        return {name: float(world.allreduce(number)) for name, number in mine.items()}


def run(request: WetRequest) -> int:
    """Measure all works and print the table. Collective over the world."""
    if prod(request.shape) != request.ranks:
        remedy = "change the shape or --ranks"
        raise user_error("--shape", str(request.shape), f"{request.ranks} ranks", remedy)
    with Session(request, len(request.works), request.samples) as session:
        for work in request.works:
            case = load_case(MASK if work in FIELDS else work, installed_models())
            geometry = geometry_of(case)
            partition = block_partition(geometry.grid, (*request.shape, 1))
            session.work(work, partition, partial(_measure, session, work, case, geometry))
    words = "of the slowest rank; bytes and messages of all ranks; speed-up: median (middle half)"
    return session.tell(_table(session.results), words, width=110)


def _measure(
    session: Session[WetRequest], work: str, case: Case, geometry: Geometry, domain: Domain
) -> list[Result]:
    """All forms alternating on one work. Collective."""
    request = session.request
    if work in FIELDS:
        forms = _exchanges(request, work, geometry, domain)
    else:
        forms = {form: _steps(request, case, geometry, domain, form) for form in FORMS}
    for form in forms.values():
        form.run(WARM_UP)
    taken = session.alternate_runs(work, forms, lambda form, n: form.run(n), request.rounds)
    whole = taken[FORMS[0]]
    return [
        Result(work, form, mine, forms[form].of_all_ranks() | ratio("speed_up", whole, mine))
        for form, mine in taken.items()
    ]


def _exchanges(
    request: WetRequest, work: str, geometry: Geometry, domain: Domain
) -> dict[str, Form]:
    """Exchanges of the same fields in all forms. Collective."""
    with_levels, without = FIELDS[work]
    levels = [request.levels] * with_levels + [0] * without
    fields = [domain.field(f"f{n}", halo=WIDTH, levels=k) for n, k in enumerate(levels)]
    mask = Mask(geometry.wet)

    def form(name: str) -> Form:
        exchange = Exchange(fields, transport=request.transport, wet=mask, wet_form=name)

        def run(rounds: int) -> None:
            for _ in range(rounds):
                exchange.run()

        return Form(run, exchange.plan.messages_sent, exchange.plan.bytes_sent)

    return {name: form(name) for name in FORMS}


def _steps(request: WetRequest, case: Case, geometry: Geometry, domain: Domain, form: str) -> Form:
    """A case at rest whose messages have one form. Collective."""
    model = create_run(
        case.model,
        domain,
        case.settings,
        geometry,
        strategy="blocking",
        transport=request.transport,
        wet_messages=form,
    )
    volume = model.step.report.volume
    return Form(model.advance, volume.messages, volume.bytes)


def _table(results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            *columns.times("us", 1, "median us", "min us", "max us"),
            ("messages", columns.number("messages")),
            ("bytes", lambda result: f"{result.extra['bytes']:,.0f}"),
            ("speed-up", columns.spread("speed_up", 3)),
        ],
    )
