"""`lapwing bench exchange`: the halo exchange compared with hand-written MPI and peers, in one run.

Edges are rewritten before every exchange, and the time of rewriting alone is subtracted: what an
exchange pushes out of the caches counts as its time. Methods alternate (A B A B ...), with the same
number of rounds, so that a drifting machine hits all of them. Each must have moved every value to
its place before, in the rounds that were timed last, and after. Where ranks share cores, samples
are longer (`timing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import median
from time import perf_counter

from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain, HaloExchange
from lapwing.core.partition import Grid, Partition, block_partition
from mpi4py import MPI
from rich.table import Table

from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.exchange import request as names
from lapwing_lab.bench.exchange.methods import make_method, peer_versions
from lapwing_lab.bench.exchange.request import ExchangeRequest
from lapwing_lab.bench.exchange.timing import Sampling, Timed, sampling_on, warm_up
from lapwing_lab.bench.kept.results import require_positive
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.binding import bound_to_cores
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import Method, available, require_right
from lapwing_lab.bench.measure.report import Result, missing_lines, ratio, tell

JUDGED = 5  # samples; fewer are a trial, whose times say nothing
CALL = "python-call"  # work of `exchange.run()` from Python with nothing to move


def run(request: ExchangeRequest) -> int:
    """Measure every work item and print the table. Collective over the world."""
    with bound_to_cores(MPI.COMM_WORLD) as bound:
        return _run(request, bound)


def _run(request: ExchangeRequest, bound: bool) -> int:
    sampling = on_domain((request.ranks,), lambda domain: sampling_on(domain, request.samples))
    results: list[Result] = []
    missing: dict[str, str] = {}  # with the reasons
    with ProgressBar(request.progress, len(request.works) * sampling.samples) as progress:
        for name in request.works:
            measure = partial(_measure, request, name, sampling, missing, progress)
            results += on_domain(partition_of(request, name), measure)
            progress.finish(request.full_name(name))
    call = Result(CALL, "run", call_times(sampling.samples))
    idle = (
        f"A call of exchange.run() from Python with nothing to move: {1e6 * call.median:.2f} us "
        f"(min {1e6 * min(call.samples):.2f}, max {1e6 * max(call.samples):.2f})"
    )
    here = MPI.COMM_WORLD.Get_rank() == 0  # it asks programs
    peers = peer_versions({result.method for result in results}) if here else {}
    shown = [idle, *missing_lines(missing)]
    table = _table(request, results, sampling, bound)
    return tell(request, [*results, call], table, *shown, width=120, peers=peers)


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
    request: ExchangeRequest,
    name: str,
    sampling: Sampling,
    missing: dict[str, str],
    progress: ProgressBar,
    domain: Domain,
) -> list[Result]:
    """Results of all methods on one work item. Collective."""
    full_name = request.full_name(name)
    methods = right_methods(request, name, missing, domain)
    timed = {one: Timed(method, sampling) for one, method in methods.items()}
    warm_up(timed, names.REFERENCE)
    for _ in range(sampling.samples):
        for one in timed.values():
            one.take()
        progress.advance(full_name)
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
    for name, seconds in taken.items():
        if len(seconds) >= JUDGED:
            require_positive(work, name, seconds)
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


def _table(
    request: ExchangeRequest, results: list[Result], sampling: Sampling, bound: bool
) -> Table:
    blocks_x, blocks_y = request.blocks
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
        run_it = HaloExchange([domain.field("idle")]).run
        seconds = []
        for _ in range(samples + 1):
            begin = perf_counter()
            for _ in range(calls):
                run_it()
            seconds.append((perf_counter() - begin) / calls)
        return seconds[1:]  # the first one warms up

    return on_domain((8, 8), timed, MPI.COMM_SELF)
