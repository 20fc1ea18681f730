"""`lapwing bench exchange`: the halo exchange compared with hand-written MPI and peers, in one run.

Edges are rewritten before every exchange, and the time of rewriting alone is subtracted: what an
exchange pushes out of the caches counts as its time. Methods alternate (A B A B ...), with the same
number of rounds, so that a drifting machine hits all of them. Each must have moved every value to
its place before, in the rounds that were timed last, and after. Where ranks share cores, samples
are longer (`timing`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from statistics import median
from time import perf_counter

from lapwing.core.domain import Domain, Exchange
from lapwing.core.partition import Grid, Partition, block_partition
from mpi4py import MPI
from rich.table import Table

from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.exchange import request as names
from lapwing_lab.bench.exchange.methods import make_method, peer_versions
from lapwing_lab.bench.exchange.request import ExchangeRequest
from lapwing_lab.bench.exchange.timing import Sampling, Timed, sampling_on, warm_up
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import Method, available, require_right
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session

CALL = "python-call"  # work of `exchange.run()` from Python with nothing to move


def run(request: ExchangeRequest) -> int:
    """Measure every work item and print the table. Collective over the world."""
    sampling = on_domain((request.ranks,), lambda domain: sampling_on(domain, request.samples))
    with Session(request, len(request.works), sampling.samples) as session:
        for name in request.works:
            measure = partial(_measure, session, name, sampling)
            session.work(request.full_name(name), partition_of(request, name), measure)
    table = _table(request, session.results, sampling)
    call = Result(CALL, "run", call_times(sampling.samples))
    session.notes.append(
        f"A call of exchange.run() from Python with nothing to move: {1e6 * call.median:.2f} us "
        f"(min {1e6 * min(call.samples):.2f}, max {1e6 * max(call.samples):.2f})"
    )
    if MPI.COMM_WORLD.rank == 0:  # it asks programs
        session.peers |= peer_versions({result.method for result in session.results})
    session.results.append(call)
    return session.tell(table, width=120)


def work_of(request: ExchangeRequest, name: str) -> ExchangeWork:
    """Sizes of the named work under a request. Local."""
    nx, ny, levels, fields = names.SIZES[name.removesuffix(names.LEVELS)]
    return ExchangeWork(
        nx, ny, levels, fields, request.width, list(request.blocks), name.endswith(names.LEVELS)
    )


def partition_of(request: ExchangeRequest, name: str) -> Partition:
    """A block of the named work for every rank. Local."""
    work, (blocks_x, blocks_y) = work_of(request, name), request.blocks
    grid = Grid((blocks_x * work.nx, blocks_y * work.ny), periodic=True)
    return block_partition(grid, blocks=(blocks_x, blocks_y, 1))


def right_methods(
    request: ExchangeRequest, name: str, missing: dict[str, str], domain: Domain
) -> dict[str, Method]:
    """The methods for one work item, which move every value to its place, or raise. Collective."""
    work = work_of(request, name)
    chosen = [one for one in request.chosen if one != names.SEPARATE or work.fields > 1]
    methods = available(chosen, lambda one: make_method(one, domain, work), missing)
    require_right("exchange", methods, request.full_name(name))
    return methods


def _measure(
    session: Session[ExchangeRequest], name: str, sampling: Sampling, domain: Domain
) -> list[Result]:
    """Results of all methods on one work item. Collective."""
    request, full_name = session.request, session.request.full_name(name)
    methods = right_methods(request, name, session.missing, domain)
    timed = {one: Timed(method, sampling) for one, method in methods.items()}
    warm_up(timed, names.REFERENCE)
    session.alternate(full_name, timed, lambda one: one.take())
    for method_name, method in methods.items():
        if wrong := method.wrong_after_sample():
            raise RuntimeError(
                f"bench exchange: {method_name} left {wrong} wrong cells in {full_name} in the "
                "rounds that were timed"
            )
    require_right("exchange", methods, full_name)
    for method in methods.values():
        method.close()
    return _results(full_name, timed, work_of(request, name).halo_bytes)


def _results(work: str, methods: dict[str, Timed], halo_bytes: int) -> list[Result]:
    taken = {name: timed.seconds for name, timed in methods.items()}
    best = _fastest(taken, names.HAND)
    if (means := _fastest(taken, names.MEANS)) is not None:
        methods, taken = dict(methods), dict(taken)
        methods[names.LIMIT], taken[names.LIMIT] = methods[means], taken[means]
    results = []
    for name, mine in taken.items():
        extra = {
            "bytes": float(halo_bytes),
            "rounds": float(methods[name].rounds),
            "oversubscribed": float(methods[name].sampling.oversubscribed),
            **ratio("speedup", taken[best or name], mine),
        }
        if means is not None:
            extra["limit_share"] = median(taken[means]) / median(mine)
        results.append(Result(work, name, mine, extra))
    return results


def _fastest(taken: dict[str, list[float]], among: Sequence[str]) -> str | None:
    """The method with the least median; None where none of them was measured. Local."""
    there = [name for name in among if name in taken]
    return min(there, key=lambda name: median(taken[name])) if there else None


def _table(request: ExchangeRequest, results: list[Result], sampling: Sampling) -> Table:
    blocks_x, blocks_y = request.blocks
    bound = len(os.sched_getaffinity(0)) == 1
    return columns.table(
        results,
        columns.compared("us", 2),
        title=f"Halo exchange, width {request.width}, float64, periodic, corners, "
        f"{blocks_x} x {blocks_y} ranks{', bound to cores' if bound else ''}, "
        f"{sampling.description}",
        caption="Median, min and max over the turns of the mean time per exchange, rewriting of "
        f"edges subtracted. Share: time of {names.LIMIT}, the fastest of the limits / time. "
        "Speed-up: time of the fastest method by hand / time in the same turn, median (middle half "
        "of the turns).",
    )


def call_times(samples: int, calls: int = 5000) -> list[float]:
    """Seconds that `exchange.run()` takes from Python where nothing has to move. Collective."""

    def timed(domain: Domain) -> list[float]:
        run_it = Exchange([domain.field("idle")]).run
        seconds = []
        for _ in range(samples + 1):
            begin = perf_counter()
            for _ in range(calls):
                run_it()
            seconds.append((perf_counter() - begin) / calls)
        return seconds[1:]  # the first one warms up

    return on_domain((8, 8), timed, MPI.COMM_SELF)
