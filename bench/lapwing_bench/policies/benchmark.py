"""`lapwing bench policies`: exchanges as GETM makes them against those that the stages need.

The case kelvin3d with a subdomain of the report's size on every rank, in three ways that take
turns: every listed exchange, one after the other and waited for (`literal`, blocking); those that
the stages need, waited for; and those, in the strategy that `auto` finds.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lapwing.base.progress import ProgressBar
from lapwing.run.creation import step_of
from mpi4py import MPI
from rich.table import Table

from lapwing_bench.getm.case import LAYERED, make_run, open_case
from lapwing_bench.measure import columns
from lapwing_bench.measure.method import slowest
from lapwing_bench.measure.options import Shape
from lapwing_bench.measure.report import Result, ratio, tell
from lapwing_bench.policies.request import PoliciesRequest

WAYS = (("literal", "blocking"), ("needed", "blocking"), ("needed", "auto"))
TRIAL = 2000  # macro steps, at most, in which auto finds a strategy


@dataclass
class Way:
    """One of the three, its model and its samples."""

    policy: str
    strategy: str
    domain: Any
    run: Any
    seconds: list[float] = field(default_factory=list)  # per macro step

    @property
    def name(self) -> str:
        """Policy and strategy; of `auto` what it took."""
        found = self.run.step.strategy
        return f"{self.policy}, {self.strategy}" + (f": {found}" if self.strategy == "auto" else "")


def run(request: PoliciesRequest) -> int:
    """Measure all sizes and print the table. Collective over the world."""
    results: list[Result] = []
    with ProgressBar(request.progress, len(request.sizes) * request.samples) as progress:
        for size in request.sizes:
            name = str(size)
            ways = [_make(request, size, *way) for way in WAYS]
            _even_out(ways)
            for _ in range(request.samples):
                for way in ways:
                    advance = partial(way.run.advance, request.steps)
                    way.seconds.append(slowest(MPI.COMM_WORLD, advance) / request.steps)
                progress.advance(name)
            progress.finish(name)
            results += [_result(name, way, ways[0]) for way in ways]
            _close(ways)
    words = "per macro step of the slowest rank; speed-up: median of turns (middle half)"
    return tell(request, results, _table(results), words, width=110)


def _make(request: PoliciesRequest, size: Shape, policy: str, strategy: str) -> Way:
    """A model, past its first steps and the trial of auto. Collective."""
    case, domain = open_case(LAYERED, size, request.levels, policy)
    way = Way(policy, strategy, domain, make_run(case, domain, strategy, request.transport))
    step = step_of(way.run, LAYERED)
    way.run.advance(4)
    while step.strategy == "auto" and way.run.step_number < TRIAL:
        way.run.advance(20)
    return way


def _even_out(ways: list[Way]) -> None:
    """Bring all to the same moment of the case: what kernels take depends on it. Collective."""
    latest = max(way.run.step_number for way in ways)
    for way in ways:
        way.run.advance(latest - way.run.step_number)


def _result(name: str, way: Way, slowest: Way) -> Result:
    volume = way.run.step.volume
    extra = {part: float(getattr(volume, part)) for part in ("exchanges", "messages", "bytes")}
    gain = ratio("speed_up", slowest.seconds, way.seconds)
    return Result(name, way.name, way.seconds, extra | gain)


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


def _close(ways: list[Way]) -> None:
    """Free models and domains, in one order on all ranks. Collective."""
    domains = [way.domain for way in ways]
    ways.clear()
    gc.collect()
    for domain in domains:
        domain.close()
