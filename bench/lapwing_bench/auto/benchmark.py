"""`lapwing bench auto`: the choice of `auto`, made many times, against the best of all transports.

Each time a domain, an exchange by `auto` and one by every transport are made again. They alternate,
as in `lapwing bench exchange`. The even turns say which transport is the best, the odd ones how
long `auto` takes next to it: the least of many medians is too small in the turns that it is found
by. A choice is as good as the best where that, a median of ratios, is at most 1.05.

The transport that `auto` took is made once more, as a control: two exchanges by one transport
differ by where their memory lies and by when in a turn they come. No choice can be
expected to be nearer to the best than these are to each other.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import partial
from statistics import median

import lapwing
from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_bench.auto.request import ENOUGH, NEAR, AutoRequest
from lapwing_bench.exchange.benchmark import partition_of, work_of
from lapwing_bench.exchange.methods import lapwing_method, make_method
from lapwing_bench.exchange.request import ExchangeRequest
from lapwing_bench.exchange.timing import Timed, sampling_on
from lapwing_bench.measure import columns
from lapwing_bench.measure.binding import bound_to_cores
from lapwing_bench.measure.domains import on_domain
from lapwing_bench.measure.method import Method, available, require_right
from lapwing_bench.measure.report import Result, ratio, tell

AUTO, AGAIN, REFERENCE = "auto", "again", "p2p"

Seconds = dict[str, list[float]]  # by method, a time per turn


def over(mine: list[float], theirs: list[float]) -> float:
    """The median of the ratios of the same turns. Local."""
    return ratio("over", mine, theirs)["over"]


@dataclass
class Choices:
    """What came of all choices for one work."""

    over_best: list[float] = field(default_factory=list)
    apart: list[float] = field(default_factory=list)  # the slower of two alike / the other
    times: dict[str, list[float]] = field(default_factory=dict)  # medians, s, by method
    words: list[str] = field(default_factory=list)  # what auto said

    def add(self, seconds: Seconds, taken: str) -> None:
        """What came of one choice: of all methods the times in the same turns."""
        others = [one for one in seconds if one not in (AUTO, AGAIN)]
        best = min(others, key=lambda one: median(seconds[one][::2]))
        self.over_best.append(over(seconds[AUTO][1::2], seconds[best][1::2]))
        self.apart.append(
            max(over(seconds[AGAIN], seconds[taken]), over(seconds[taken], seconds[AGAIN]))
        )
        for name, mine in seconds.items():
            self.times.setdefault(name, []).append(median(mine))

    @property
    def good(self) -> int:
        """How many are as good as the best."""
        return sum(one <= NEAR for one in self.over_best)

    @property
    def alike(self) -> int:
        """How often two exchanges by the transport that was taken were as good as each other."""
        return sum(one <= NEAR for one in self.apart)


def run(request: AutoRequest) -> int:
    """Make all choices, print what came of them, and return 0 where they were good. Collective."""
    results: list[Result] = []
    said: list[str] = []
    enough = True
    with (
        bound_to_cores(MPI.COMM_WORLD),
        ProgressBar(request.progress, len(request.works) * request.times) as progress,
    ):
        for name in request.works:
            choices = Choices()
            for _ in range(request.times):
                _choose(request, name, choices)
                progress.advance(name)
            progress.finish(name)
            results += _results(name, choices)
            said.append(f"{name}, the last choice: {choices.words[-1]}")
            enough = enough and choices.good >= ENOUGH * request.times
    code = tell(request, results, _table(request, results), *said, width=120)
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
    others = available(names, lambda one: make_method(one, domain, work), missing)
    again, _ = lapwing_method(exchange.transport, domain, work)
    methods: dict[str, Method] = {AUTO: chosen, **others, AGAIN: again}
    require_right("auto", methods, name)
    choices.add(_timed(methods, domain, request.samples), exchange.transport)
    for method in methods.values():
        method.close()


def _timed(methods: dict[str, Method], domain: Domain, samples: int | None) -> Seconds:
    """Seconds of all methods, alternating. Collective."""
    sampling = sampling_on(domain, samples)
    timed = {one: Timed(method, sampling) for one, method in methods.items()}
    timed[REFERENCE].find_rounds()
    for one in timed.values():
        one.rounds = timed[REFERENCE].rounds
        one.method.sample(one.rounds)
    for _ in range(sampling.samples):
        for one in timed.values():
            one.take()
    return {method: one.seconds for method, one in timed.items()}


def _results(work: str, choices: Choices) -> list[Result]:
    extra = {
        "good": float(choices.good),
        "alike": float(choices.alike),
        "choices": float(len(choices.over_best)),
    }
    results = []
    for name, medians in choices.times.items():
        more = extra if name == AUTO else {}
        results.append(Result(work, name, medians, dict(more)))
    results.append(Result(f"{work}:over-best", AUTO, choices.over_best, dict(extra)))
    results.append(Result(f"{work}:apart", AGAIN, choices.apart))
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
            ("two alike", lambda result: f"{result.extra['alike']:.0f} of {request.times}"),
        ],
        words=[("work", lambda result: result.work.partition(":")[0])],
        title=f"Transport auto, chosen {request.times} times, {request.ranks} ranks",
        caption="Time of an exchange by auto / by the fastest of all transports, of each choice "
        "the median of the turns. Two alike: two exchanges by the transport that auto took, within "
        "5 % of each other.",
    )
