"""`lapwing bench exchange`: the halo exchange beside hand-written MPI and peers, in one run.

Edges are rewritten before every exchange and the time of rewriting is subtracted. Methods take
turns (A B A B ...), so that a drifting machine hits all of them; before and after, each must move
every value to its place. Where ranks share cores, samples are longer (`exchange_timing`).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from time import perf_counter

from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain, Exchange
from lapwing.core.partition import Grid, block_partition
from mpi4py import MPI
from rich.table import Table

from lapwing_bench._core import ExchangeWork
from lapwing_bench.exchange.methods import make_method, peer_versions
from lapwing_bench.exchange.request import HAND, LEVELS, LIMIT, REFERENCE, SIZES, ExchangeRequest
from lapwing_bench.exchange.timing import Measured, Sampling, Timed, sampling_on
from lapwing_bench.measure import columns
from lapwing_bench.measure.method import MethodMissingError
from lapwing_bench.measure.report import Result, missing_lines, ratio, tell

CALL = "python-call"  # work of `exchange.run()` from Python with nothing to move


def run(request: ExchangeRequest) -> int:
    """Measure every work item and print the table. Collective over the world."""
    measured = measure(request)
    call = Result(CALL, "run", measured.call)
    results = [*measured.results, call]
    idle = (
        f"A call of exchange.run() from Python with nothing to move: {1e6 * call.median:.2f} us "
        f"(min {1e6 * min(call.samples):.2f}, max {1e6 * max(call.samples):.2f})"
    )
    asked = {result.method for result in results} if MPI.COMM_WORLD.Get_rank() == 0 else set()
    peers = peer_versions(asked)  # which starts programs
    shown: list[Table | str] = [_table(request, measured), idle, *missing_lines(measured.missing)]
    return tell(request, results, *shown, width=120, peers=peers)


def measure(request: ExchangeRequest) -> Measured:
    """Measure every work item of a request. Collective over the world."""
    measured = Measured(_sampling(request))
    samples = measured.sampling.samples
    with ProgressBar(request.progress, len(request.works) * samples) as progress:
        for name in request.works:
            full_name = request.full_name(name)
            methods = _measure_work(request, name, measured, progress)
            measured.results += _results(full_name, methods, work_of(request, name).halo_bytes)
            progress.finish(full_name)
    measured.call = call_times(samples)
    return measured


def _sampling(request: ExchangeRequest) -> Sampling:
    """How to sample on all ranks of the world. Collective."""
    domain = Domain((MPI.COMM_WORLD.Get_size(),))
    sampling = sampling_on(domain, request.samples)
    domain.close()
    return sampling


def work_of(request: ExchangeRequest, name: str) -> ExchangeWork:
    """Sizes of the named work under a request. Local."""
    nx, ny, levels, fields = SIZES[name.removesuffix(LEVELS)]
    return ExchangeWork(
        nx, ny, levels, fields, request.width, list(request.blocks), name.endswith(LEVELS)
    )


def check_methods(request: ExchangeRequest) -> None:
    """Raise unless every method moves every value to its place. Collective over the world."""
    for name in request.works:
        with _methods_of(request, name, Measured()) as methods:
            _check(methods, request.full_name(name))


def _measure_work(
    request: ExchangeRequest, name: str, measured: Measured, progress: ProgressBar
) -> dict[str, Timed]:
    """Samples of all methods on one work item. Collective."""
    full_name = request.full_name(name)
    with _methods_of(request, name, measured) as methods:
        _check(methods, full_name)
        for timed in methods.values():
            timed.warm_up()
        for _ in range(measured.sampling.samples):
            for timed in methods.values():
                timed.take()
            progress.advance(full_name)
        _check(methods, full_name)
    return methods


@contextmanager
def _methods_of(
    request: ExchangeRequest, name: str, measured: Measured
) -> Iterator[dict[str, Timed]]:
    """The methods for one work item, on a domain of their own. Collective."""
    work = work_of(request, name)
    blocks_x, blocks_y = request.blocks
    grid = Grid((blocks_x * work.nx, blocks_y * work.ny), periodic=True)
    domain = Domain(block_partition(grid, blocks=(blocks_x, blocks_y, 1)))
    methods = _make_methods(request.chosen, domain, work, measured)
    yield methods
    for timed in methods.values():
        timed.method.close()
        del timed.method  # before the domain that it works on
    gc.collect()
    domain.close()


def _make_methods(
    names: Sequence[str], domain: Domain, work: ExchangeWork, measured: Measured
) -> dict[str, Timed]:
    methods = {}
    for name in names:
        try:
            method = make_method(name, domain, work)
        except MethodMissingError as reason:
            measured.missing[name] = str(reason)
            continue
        if method is not None:
            methods[name] = Timed(method, measured.sampling)
    return methods


def _check(methods: dict[str, Timed], work: str) -> None:
    """Raise unless every method moves every value to its place: else times say nothing."""
    for name, timed in methods.items():
        wrong = timed.method.wrong_cells()
        if wrong:
            raise RuntimeError(f"bench exchange: {name} leaves {wrong} wrong cells in {work}")


def _results(work: str, methods: dict[str, Timed], halo_bytes: int) -> list[Result]:
    taken = {name: timed.seconds for name, timed in methods.items()}
    best = min((name for name in HAND if name in taken), key=lambda name: median(taken[name]))
    limit = median(taken[LIMIT])
    results = []
    for name, mine in taken.items():
        extra = {
            "bytes": float(halo_bytes),
            "rounds": float(methods[name].rounds),
            "oversubscribed": float(methods[name].sampling.oversubscribed),
            "limit_share": limit / median(mine),
            **ratio("ratio", mine, taken[best]),
            **ratio("speedup", taken[REFERENCE], mine),
        }
        results.append(Result(work, name, mine, extra))
    return results


def _table(request: ExchangeRequest, measured: Measured) -> Table:
    blocks_x, blocks_y = request.blocks
    return columns.table(
        measured.results,
        [
            *columns.times("us", 2),
            ("share of limit", columns.percent("limit_share")),
            ("speed-up", columns.spread("speedup")),
        ],
        title=f"Halo exchange, width {request.width}, float64, periodic, corners, "
        f"{blocks_x} x {blocks_y} ranks, {measured.sampling.description}",
        caption="Median, min and max over the turns of the mean time per exchange, rewriting of "
        f"edges subtracted. Share: time of {LIMIT} / time. Speed-up: time of {REFERENCE} / time in "
        "the same turn, median (middle half of the turns).",
    )


def call_times(samples: int, calls: int = 5000) -> list[float]:
    """Seconds that `exchange.run()` takes from Python where nothing has to move. Collective."""
    domain = Domain((8, 8), MPI.COMM_SELF)
    exchange: Exchange = domain.exchange(domain.field("idle"))
    run_it = exchange.run
    seconds = []
    for _ in range(samples + 1):
        begin = perf_counter()
        for _ in range(calls):
            run_it()
        seconds.append((perf_counter() - begin) / calls)
    del exchange, run_it
    domain.close()
    return seconds[1:]  # the first one warms up
