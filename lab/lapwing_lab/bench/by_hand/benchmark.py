"""`lapwing bench by-hand`: whole steps of models, by lapwing and with messages by hand.

The kernels are the same. By hand, the halos of each field are updated after the stage that wrote
it, as wide as any stage reads it, a message per field and neighbour, as GETM has it. Methods
alternate, a sample each, and run as many steps; before and after all must have the same bits.
"""

from __future__ import annotations

from functools import partial

from lapwing.base.error import UserError
from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.by_hand.models import Model, make_model, partition_of
from lapwing_lab.bench.by_hand.request import HAND, STEPS, ByHandRequest
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.binding import bound_to_cores
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import alternate, available, refused_is_missing, slowest
from lapwing_lab.bench.measure.report import Result, missing_lines, tell
from lapwing_lab.bench.measure.stepping import compared

MOST_TRIAL = 4000  # steps until `auto` must have settled


def run(request: ByHandRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    results: list[Result] = []
    missing: dict[str, str] = {}
    with (
        bound_to_cores(MPI.COMM_WORLD),
        ProgressBar(request.progress, len(request.works) * request.samples) as progress,
    ):
        for work in request.works:
            measure = partial(_measure, request, work, missing, progress)
            results += on_domain(partition_of(request, work), measure)
            progress.finish(work)
    return tell(request, results, _table(request, results), *missing_lines(missing), width=110)


def _measure(
    request: ByHandRequest,
    work: str,
    missing: dict[str, str],
    progress: ProgressBar,
    domain: Domain,
) -> list[Result]:
    """Results of all methods of one work. Collective."""

    def make(method: str) -> Model:
        with refused_is_missing((UserError,)):
            return make_model(request, work, method, domain)

    models = available(request.chosen, make, missing)
    steps = STEPS[work]
    _settle(models, steps)
    require_same_bits(work, models, domain)

    def take(model: Model) -> float:
        return slowest(domain.mpi, partial(model.run, steps)) / steps

    taken = alternate(models, take, request.samples, partial(progress.advance, work))
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
