"""`lapwing bench policies`: exchanges as GETM makes them against those that the stages need.

The case kelvin3d with a subdomain of the report's size on every rank, in three ways that alternate:
every listed exchange, one after the other and waited for (`literal`, blocking); the exchanges that
the stages need, waited for; and the same in the strategy that `auto` finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from lapwing.core.domain import Domain
from lapwing.model.case import Case
from lapwing.run.creation import step_of
from rich.table import Table

from lapwing_lab.bench.getm.case import LAYERED, make_run, partition_of, sized_case
from lapwing_lab.bench.getm.request import POLICIES, PoliciesRequest
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session

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
    with Session(request, len(request.sizes), request.samples) as session:
        for size in request.sizes:
            cases = {one: sized_case(LAYERED, size, request.levels, one) for one in POLICIES}
            measure = partial(_measure, session, str(size), cases)
            session.work(str(size), partition_of(cases["needed"]), measure)
    words = "per macro step of the slowest rank; speed-up: median of turns (middle half)"
    return session.tell(_table(session.results), words, width=110)


def _measure(
    session: Session[PoliciesRequest], name: str, cases: dict[str, Case], domain: Domain
) -> list[Result]:
    """All ways alternating on one size. Collective."""
    request = session.request
    ways = [
        Way(policy, strategy, make_run(cases[policy], domain, strategy, request.transport))
        for policy, strategy in WAYS
    ]
    _settle(ways)
    by_name = {way.name: way for way in ways}
    taken = session.alternate_runs(name, by_name, lambda way, n: way.run.advance(n), request.steps)
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
