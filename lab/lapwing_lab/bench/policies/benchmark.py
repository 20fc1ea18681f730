"""`lapwing bench policies`: exchanges as GETM makes them against those that the stages need.

The case kelvin3d with a subdomain of the report's size on every rank, in three ways that take
turns: every listed exchange, one after the other and waited for (`literal`, blocking); those that
the stages need, waited for; and those, in the strategy that `auto` finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain
from lapwing.model.case import Case
from lapwing.run.creation import step_of
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.getm.case import LAYERED, make_run, partition_of, sized_case
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import alternate, slowest
from lapwing_lab.bench.measure.report import Result, ratio, tell
from lapwing_lab.bench.policies.request import PoliciesRequest

WAYS = (("literal", "blocking"), ("needed", "blocking"), ("needed", "auto"))
TRIAL = 2000  # macro steps, at most, in which auto finds a strategy


@dataclass
class Way:
    """One of the three, and its model."""

    policy: str
    strategy: str
    run: Any

    @property
    def name(self) -> str:
        """Policy and strategy; of `auto` what it took."""
        found = self.run.step.report.strategy
        return f"{self.policy}, {self.strategy}" + (f": {found}" if self.strategy == "auto" else "")

    @property
    def volume(self) -> dict[str, float]:
        """Exchanges, messages and bytes of a step."""
        volume = self.run.step.report.volume
        return {part: float(getattr(volume, part)) for part in ("exchanges", "messages", "bytes")}


def run(request: PoliciesRequest) -> int:
    """Measure all sizes and print the table. Collective over the world."""
    results: list[Result] = []
    with ProgressBar(request.progress, len(request.sizes) * request.samples) as progress:
        for size in request.sizes:
            cases = {
                policy: sized_case(LAYERED, size, request.levels, policy)
                for policy in ("literal", "needed")
            }
            measure = partial(_measure, request, str(size), cases, progress)
            results += on_domain(partition_of(cases["needed"]), measure)
    words = "per macro step of the slowest rank; speed-up: median of turns (middle half)"
    return tell(request, results, _table(results), words, width=110)


def _measure(
    request: PoliciesRequest,
    name: str,
    cases: dict[str, Case],
    progress: ProgressBar,
    domain: Domain,
) -> list[Result]:
    """All ways alternating on one size. Collective."""
    ways = [
        Way(policy, strategy, make_run(cases[policy], domain, strategy, request.transport))
        for policy, strategy in WAYS
    ]
    _settle(ways)

    def take(way: Way) -> float:
        return slowest(MPI.COMM_WORLD, partial(way.run.advance, request.steps)) / request.steps

    by_name = {way.name: way for way in ways}
    taken = alternate(by_name, take, request.samples, partial(progress.advance, name))
    progress.finish(name)
    first = taken[ways[0].name]
    return [
        Result(name, way, mine, by_name[way].volume | ratio("speed_up", first, mine))
        for way, mine in taken.items()
    ]


def _settle(ways: list[Way]) -> None:
    """Pass the first steps and the trial of auto, all to the same moment of the case. Collective.

    What kernels take depends on the moment.
    """
    for way in ways:
        way.run.advance(4)
        while step_of(way.run, LAYERED).report.strategy == "auto" and way.run.step_number < TRIAL:
            way.run.advance(20)
    latest = max(way.run.step_number for way in ways)
    for way in ways:
        way.run.advance(latest - way.run.step_number)


def _table(results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("ms per step", columns.middle("ms", 2)),
            ("rounds", columns.number("exchanges")),
            ("messages", columns.number("messages")),
            ("bytes", lambda result: f"{result.extra['bytes']:,.0f}"),
            ("speed-up", columns.spread("speed_up")),
        ],
        words=[("cells", lambda result: result.work), ("exchanges", columns.METHOD[1])],
    )
