"""`lapwing bench auto`: the choice of `auto`, made many times, against the best of all transports.

Each time a domain, an exchange by `auto` and two by every transport are made again. They alternate,
in another order each turn. Even turns say which transport is the best, by the first exchange of
each; odd turns say how long `auto` takes compared with that exchange, as the least of many medians
is too small in the turns that it is found by. A choice is good where this ratio is at most 1.05.

The second exchange by the best transport is the control, by the same rule: how often would a choice
be good that knew the best, but had to make an exchange of its own?
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import partial
from random import Random
from statistics import median

import lapwing
from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.exchange.exchange import partition_of, work_of
from lapwing_lab.bench.exchange.methods import lapwing_method, make_method
from lapwing_lab.bench.exchange.request import ENOUGH, NEAR, AutoRequest, ExchangeRequest
from lapwing_lab.bench.exchange.timing import Timed, sampling_on
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import Method, available, require_right
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session

AUTO, AGAIN, REFERENCE = "auto", "@again", "p2p"

Seconds = dict[str, list[float]]  # by method, a time per turn


def over(mine: list[float], theirs: list[float]) -> float:
    """The median of the ratios of the same turns. Local."""
    return ratio("over", mine, theirs)["over"]


@dataclass
class Choices:
    """The outcome of all choices for one work."""

    over_best: list[float] = field(default_factory=list)
    best_again: list[float] = field(default_factory=list)  # the best made again / the best
    times: dict[str, list[float]] = field(default_factory=dict)  # medians, s, by method
    words: list[str] = field(default_factory=list)  # what auto said

    def add(self, seconds: Seconds) -> None:
        """Count one choice, of all methods the times in the same turns. Local."""
        firsts = [one for one in seconds if one != AUTO and not one.endswith(AGAIN)]
        best = min(firsts, key=lambda one: median(seconds[one][::2]))
        odd = {one: mine[1::2] for one, mine in seconds.items()}
        self.over_best.append(over(odd[AUTO], odd[best]))
        self.best_again.append(over(odd[best + AGAIN], odd[best]))
        for name in (AUTO, *firsts):
            self.times.setdefault(name, []).append(median(seconds[name]))


def good(ratios: list[float]) -> int:
    """The number of choices that are as good as the best; ratios below 0 do not count. Local."""
    return sum(0 < one <= NEAR for one in ratios)


def run(request: AutoRequest) -> int:
    """Make all choices, print what came of them, and return 0 where they were good. Collective."""
    enough = True
    with Session(request, len(request.works), request.times) as session:
        for name in request.works:
            choices = Choices()
            for _ in range(request.times):
                _choose(request, name, choices)
                session.bar.advance(name)
            session.bar.finish(name)
            session.results += _results(name, choices)
            session.notes.append(f"{name}, the last choice: {choices.words[-1]}")
            enough = enough and good(choices.over_best) >= ENOUGH * request.times
    code = session.tell(_table(request, session.results), width=120)
    if not enough and MPI.COMM_WORLD.Get_rank() == 0:
        print("error: too few choices are within 5 % of the best", file=sys.stderr)
    return code if enough else 1


def _choose(request: AutoRequest, name: str, choices: Choices) -> None:
    """Make everything once, measure it, and add what came of it. Collective."""
    exchange = ExchangeRequest(ranks=request.ranks, works=(name,), samples=request.samples)
    on_domain(partition_of(exchange, name), partial(_measured, exchange, name, choices))


def _measured(request: ExchangeRequest, name: str, choices: Choices, domain: Domain) -> None:
    work = work_of(request, name)
    missing: dict[str, str] = {}
    chosen, (exchange,) = lapwing_method(AUTO, domain, work)
    choices.words.append(exchange.choice)
    names = [one for one in lapwing.transport_names() if one != AUTO]
    firsts = available(names, lambda one: make_method(one, domain, work), missing)
    again = {one + AGAIN: make_method(one, domain, work) for one in firsts}
    methods: dict[str, Method] = {AUTO: chosen, **firsts, **again}
    require_right("auto", methods, name)
    seconds = _timed(methods, domain, request.samples)
    for one, mine in seconds.items():
        Result(name, one, mine).require_positive()
    choices.add(seconds)
    for method in methods.values():
        method.close()


def in_another_order(turn: int, methods: list[Timed]) -> list[Timed]:
    """Who comes after whom in this turn: what the one before left in the caches counts. Local."""
    return Random(turn).sample(methods, len(methods))  # alike on all ranks


def _timed(methods: dict[str, Method], domain: Domain, samples: int | None) -> Seconds:
    """Seconds of all methods, alternating. Collective."""
    sampling = sampling_on(domain, samples)
    timed = {one: Timed(method, sampling) for one, method in methods.items()}
    timed[REFERENCE].find_rounds()
    for one in timed.values():
        one.rounds = timed[REFERENCE].rounds
        one.method.sample(one.rounds)
    for turn in range(sampling.samples):
        for one in in_another_order(turn, list(timed.values())):
            one.take()
    return {method: one.seconds for method, one in timed.items()}


def _results(work: str, choices: Choices) -> list[Result]:
    extra = {
        "good": float(good(choices.over_best)),
        "again": float(good(choices.best_again)),
        "choices": float(len(choices.over_best)),
    }
    results = [Result(work, name, medians) for name, medians in choices.times.items()]
    results.append(Result(f"{work}:over-best", AUTO, choices.over_best, extra))
    results.append(Result(f"{work}:best-again", "best", choices.best_again))
    return results


def _table(request: AutoRequest, results: list[Result]) -> Table:
    shown = [result for result in results if result.work.endswith(":over-best")]
    return columns.table(
        shown,
        [
            ("over the best", lambda result: f"{result.median:.3f}"),
            ("least", lambda result: f"{min(result.samples):.3f}"),
            ("most", lambda result: f"{max(result.samples):.3f}"),
            ("within 5 %", lambda result: f"{result.extra['good']:.0f} of {request.times}"),
            ("best again", lambda result: f"{result.extra['again']:.0f} of {request.times}"),
        ],
        words=[("work", lambda result: result.work.partition(":")[0])],
        title=f"Transport auto, chosen {request.times} times, {request.ranks} ranks",
        caption="Time of an exchange by auto / by the fastest of all transports, of each choice "
        "the median of the turns. Best again: how often the best transport is within 5 % of itself "
        "when its exchange is made again.",
    )
