"""`lapwing bench lattice`: the kernels of the lattice model against what memory allows.

Every cell moves its 19 populations out of memory and back: read, fetched before they are written,
and written on two lattices (456 bytes in double precision), read and written in place (304). The
limit is the bandwidth of a copy of as many streams, 2 x 19, which all ranks do in turns with the
methods, by two loops: the faster one counts. lapwing's methods run whole steps, halos included;
lbmpy's have none.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from lapwing.agreement import together
from lapwing.case import Case, load_case
from lapwing.domain import Domain
from lapwing.partition import Grid, block_partition
from lapwing.stream_copy import StreamCopy, check_copy
from lapwing_lattice import LatticeRun, model
from mpi4py import MPI
from rich.console import Console
from rich.table import Table

from lapwing_bench.lattice_lbmpy import lbmpy_steps
from lapwing_bench.lattice_request import LatticeRequest
from lapwing_bench.method import MethodMissingError, missing_together
from lapwing_bench.progress_bar import WorkProgress
from lapwing_bench.report import Result, ratio, write
from lapwing_bench.request import Blocks

VALUE = 8  # bytes of a population
STREAMS = 19  # of each lattice
COPIES = {f"copy-{loop}": loop for loop in ("blocked", "pieces")}  # of 2 x 19 streams
# accesses to memory of each population in a step: on two lattices the target is fetched too
ACCESSES = {"two-lattice": 3, "in-place": 2, "lbmpy-pull": 3, "lbmpy-inplace": 2}
PEERS = {"two-lattice": "lbmpy-pull", "in-place": "lbmpy-inplace"}


@dataclass
class Way:
    """A method on a work item, and its samples."""

    name: str
    run: Callable[[int], None]  # so many steps
    steps: int
    lattice: LatticeRun | None = None  # of lapwing's methods
    seconds: list[float] = field(default_factory=list)  # per step
    computing: list[float] = field(default_factory=list)  # of these in kernels


def run(request: LatticeRequest) -> int:
    """Measure all works and print the table. Collective over the world."""
    results: list[Result] = []
    notes: dict[str, None] = {}
    peers: dict[str, str] = {}
    turns = request.samples * len(request.works) * len(request.blocks)
    with WorkProgress(request.progress, turns) as progress:
        for work in request.works:
            for blocks in request.blocks:
                results += _measure(request, work, blocks, progress, notes, peers)
                gc.collect()  # the lattices of the last work
    if MPI.COMM_WORLD.Get_rank() == 0:
        Console(width=100, highlight=False).print(_table(request, results))
        for note in notes:
            print(note)
        if request.json is not None:
            write(request.json, results, peers)
    return 0


def _measure(
    request: LatticeRequest,
    work: int,
    blocks: Blocks,
    progress: WorkProgress,
    notes: dict[str, None],
    peers: dict[str, str],
) -> list[Result]:
    """Measure one work, cut one way. Collective."""
    name, cells = request.name(work, blocks), request.cells(work, blocks)
    domain = Domain(block_partition(_grid(cells), list(blocks)))
    ways = [_lapwing_way(domain, cells, m, request.steps) for m in request.methods if m in PEERS]
    for method in request.methods:
        if method not in PEERS:
            try:
                ways.append(_lbmpy_way(domain, cells, method, request.steps, peers))
            except MethodMissingError as problem:  # on all ranks alike
                notes[str(problem)] = None
    copies, moved = _copies(domain)
    for turn in range(-1, request.samples):  # the first turn warms up
        for way in [*copies, *ways]:
            _sample(way, keep=turn >= 0)
        if turn >= 0:
            progress.advance(name)
    progress.done(name)
    for way in ways:
        if way.lattice is not None:
            way.lattice.check_state()
    domain.close()
    return _results(name, cells, moved, copies, ways)


def _copies(domain: Domain) -> tuple[list[Way], float]:
    """Copies of as many values as the cells of a rank have, and bytes that all move. Collective."""
    world = MPI.COMM_WORLD
    copy = together(world, lambda: StreamCopy(STREAMS, domain.box.volume, huge_pages=True))
    for loop in COPIES.values():
        together(world, partial(check_copy, loop, copy))
    ways = [Way(name, partial(_run_copy, copy, loop), 1) for name, loop in COPIES.items()]
    counted = StreamCopy.moved_arrays("blocked", STREAMS)  # pieces move as much
    return ways, world.allreduce(counted * copy.bytes)


def _run_copy(copy: StreamCopy, loop: str, copies: int) -> None:
    for _ in range(copies):
        copy.run(loop)


def _grid(cells: tuple[int, int, int]) -> Grid:
    return Grid(cells, (True, True, True))


def _case(cells: tuple[int, int, int], *sets: str) -> Case:
    """Vortices that fade."""
    sizes = [f"grid.cells_{axis}={n}" for axis, n in zip("xyz", cells, strict=True)]
    return load_case("taylor-green", {"lattice": model}, [*sizes, *sets])


def _lapwing_way(domain: Domain, cells: tuple[int, int, int], method: str, steps: int) -> Way:
    """The case on all ranks together. Collective."""
    case = _case(cells, f"lattice.kernel={method}")
    geometry = model.geometry(case.settings, case.folder)
    lattice = model.create(domain, case.settings, geometry, strategy="blocking", transport="auto")
    return Way(method, lattice.advance, steps, lattice)


def _lbmpy_way(
    domain: Domain,
    cells: tuple[int, int, int],
    method: str,
    steps: int,
    peers: dict[str, str],
) -> Way:
    """The cells of each rank by themselves. Collective, as ranks compile one after the other."""
    shape = domain.box.shape
    times = _case(cells).settings.relaxation_times
    work = partial(lbmpy_steps, method, (shape[0], shape[1], shape[2]), times)
    found = None
    for rank in range(domain.ranks):  # they share a folder of compiled kernels
        made = missing_together(MPI.COMM_WORLD, work if rank == domain.rank else _nothing)
        found = made or found
    assert found is not None
    run, peers["lbmpy"] = found
    return Way(method, run, steps)


def _nothing() -> None:
    """The turn of another rank."""


def _sample(way: Way, keep: bool) -> None:
    """Take the time of the slowest rank. Collective."""
    world = MPI.COMM_WORLD
    if way.lattice is not None:
        way.lattice.step.reset_times()
    world.Barrier()
    began = time.perf_counter()
    way.run(way.steps)
    seconds = world.allreduce(time.perf_counter() - began, MPI.MAX)
    computing = seconds
    if way.lattice is not None:
        computing = world.allreduce(sum(way.lattice.step.times.compute), MPI.MAX)
    if keep:
        way.seconds.append(seconds / way.steps)
        way.computing.append(computing / way.steps)


def _results(
    name: str, cells: tuple[int, int, int], moved: float, copies: list[Way], ways: list[Way]
) -> list[Result]:
    """Of copies and methods, whose limit is the faster copy."""
    results = [
        Result(name, copy.name, copy.seconds, {"bandwidth": moved / median(copy.seconds)})
        for copy in copies
    ]
    limit = max(result.extra["bandwidth"] for result in results)
    count = cells[0] * cells[1] * cells[2]
    by_name = {way.name: way for way in ways}
    for way in ways:
        update = VALUE * STREAMS * ACCESSES[way.name]
        rates = [count / median(seconds) for seconds in (way.seconds, way.computing)]
        extra = {
            "mlups": rates[0] / 1e6,
            "bytes_per_update": float(update),
            "limit_share": update * rates[0] / limit,
            "mlups_computing": rates[1] / 1e6,
            "limit_share_computing": update * rates[1] / limit,
        }
        peer = by_name.get(PEERS.get(way.name, ""))
        if peer is not None:
            extra |= ratio("over_lbmpy", peer.seconds, way.seconds)
        results.append(Result(name, way.name, way.seconds, extra))
    return results


def _table(request: LatticeRequest, results: list[Result]) -> Table:
    ranks = MPI.COMM_WORLD.Get_size()
    cut = "x".join(map(str, request.blocks[0]))
    table = Table(
        title=f"lattice Boltzmann, D3Q19, float64, {ranks} ranks, {cut} blocks",
        caption="million updates per second of all ranks; limit: the faster copy of 2 x 19 "
        "streams,\nwith what is fetched before it is written; over lbmpy: median of turns "
        "(middle half)",
    )
    table.add_column("work", no_wrap=True)
    table.add_column("method", no_wrap=True)
    for heading in ("ms/step", "MLUP/s", "share of limit", "kernels alone", "over lbmpy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        extra, milliseconds = result.extra, f"{1e3 * result.median:.2f}"
        if result.method in COPIES:
            first = result.method == next(iter(COPIES))
            if first:
                table.add_section()
            work, speed = result.work if first else "", f"{extra['bandwidth'] / 1e9:.1f} GB/s"
            table.add_row(work, result.method, milliseconds, speed, "", "", "")
            continue
        over = ""
        if "over_lbmpy" in extra:
            low, high = extra["over_lbmpy_quarter"], extra["over_lbmpy_three_quarters"]
            over = f"{extra['over_lbmpy']:.2f} ({low:.2f}-{high:.2f})"
        table.add_row(
            "",
            result.method,
            milliseconds,
            f"{extra['mlups']:.1f}",
            f"{100 * extra['limit_share']:.0f} %",
            f"{100 * extra['limit_share_computing']:.0f} %",
            over,
        )
    return table
