"""`lapwing bench lattice`: the kernels of the lattice model against what memory allows.

Every cell moves its 19 populations out of memory and back: read, fetched before they are written,
and written on two lattices (456 bytes in double precision), read and written in place (304). The
limit is the bandwidth of a copy of as many streams, 2 x 19, which all ranks do in turns with the
methods. lapwing's methods run whole steps, halos included; lbmpy's have none.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from lapwing.case import load_case
from lapwing.domain import Domain
from lapwing.partition import Grid, block_partition
from lapwing_lattice import LatticeRun, model
from mpi4py import MPI
from rich.console import Console
from rich.table import Table

from lapwing_bench._core import LATTICE_STREAMS, StreamCopy
from lapwing_bench.lattice_lbmpy import lbmpy_steps
from lapwing_bench.lattice_request import Blocks, LatticeRequest
from lapwing_bench.method import MethodMissingError
from lapwing_bench.progress_bar import WorkProgress
from lapwing_bench.report import Result, ratio, write

VALUE = 8  # bytes of a population
COPY = "copy-2x19"
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
                ways.append(_lbmpy_way(domain, method, request.steps, peers))
            except MethodMissingError as problem:  # on all ranks alike
                notes[str(problem)] = None
    own = domain.box
    copy = StreamCopy(LATTICE_STREAMS, own.volume)
    copies = Way(COPY, lambda _: copy.run(), 1)
    for turn in range(-1, request.samples):  # the first turn warms up
        for way in [copies, *ways]:
            _sample(way, keep=turn >= 0)
        if turn >= 0:
            progress.advance(name)
    progress.done(name)
    for way in ways:
        if way.lattice is not None:
            way.lattice.check_state()
    domain.close()
    bandwidth = MPI.COMM_WORLD.allreduce(copy.bytes) / median(copies.seconds)
    return _results(name, cells, bandwidth, copies, ways)


def _grid(cells: tuple[int, int, int]) -> Grid:
    return Grid(cells, (True, True, True))


def _settings(cells: tuple[int, int, int], method: str) -> list[str]:
    sizes = [f"grid.cells_{axis}={n}" for axis, n in zip("xyz", cells, strict=True)]
    return [*sizes, f"lattice.kernel={method}"]


def _lapwing_way(domain: Domain, cells: tuple[int, int, int], method: str, steps: int) -> Way:
    """Vortices that fade, on all ranks together. Collective."""
    case = load_case("taylor-green", {"lattice": model}, _settings(cells, method))
    geometry = model.geometry(case.settings, case.folder)
    lattice = model.create(domain, case.settings, geometry, strategy="blocking", transport="auto")
    return Way(method, lattice.advance, steps, lattice)


def _lbmpy_way(domain: Domain, method: str, steps: int, peers: dict[str, str]) -> Way:
    """The cells of each rank by themselves. Collective, as ranks compile one after the other."""
    box = domain.box
    cells = (box.shape[0], box.shape[1], box.shape[2])
    found: tuple[Callable[[int], None], str] | MethodMissingError = MethodMissingError("")
    for rank in range(domain.ranks):  # they share a folder of compiled kernels
        if rank == domain.rank:
            try:
                found = lbmpy_steps(method, cells, (0.7, 1.4375))
            except MethodMissingError as problem:
                found = problem
        MPI.COMM_WORLD.Barrier()
    missing = found if isinstance(found, MethodMissingError) else None
    if reasons := [text for text in MPI.COMM_WORLD.allgather(missing and str(missing)) if text]:
        raise MethodMissingError(reasons[0])
    assert not isinstance(found, MethodMissingError)
    peers["lbmpy"] = found[1]
    return Way(method, found[0], steps)


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
    name: str, cells: tuple[int, int, int], bandwidth: float, copies: Way, ways: list[Way]
) -> list[Result]:
    results = [Result(name, COPY, copies.seconds, {"bandwidth": bandwidth})]
    count = cells[0] * cells[1] * cells[2]
    by_name = {way.name: way for way in ways}
    for way in ways:
        update = VALUE * LATTICE_STREAMS * ACCESSES[way.name]
        rates = [count / median(seconds) for seconds in (way.seconds, way.computing)]
        extra = {
            "mlups": rates[0] / 1e6,
            "bytes_per_update": float(update),
            "limit_share": update * rates[0] / bandwidth,
            "mlups_computing": rates[1] / 1e6,
            "limit_share_computing": update * rates[1] / bandwidth,
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
        caption="million updates per second of all ranks; limit: a copy of 2 x 19 streams in the "
        "same run,\nwith what is fetched before it is written; over lbmpy: median of turns "
        "(middle half)",
    )
    table.add_column("work", no_wrap=True)
    table.add_column("method", no_wrap=True)
    for heading in ("ms/step", "MLUP/s", "share of limit", "kernels alone", "over lbmpy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        extra, milliseconds = result.extra, f"{1e3 * result.median:.2f}"
        if result.method == COPY:
            table.add_section()
            speed = f"{extra['bandwidth'] / 1e9:.1f} GB/s"
            table.add_row(result.work, COPY, milliseconds, speed, "", "", "")
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
