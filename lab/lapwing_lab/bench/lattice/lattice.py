"""`lapwing bench lattice`: the kernels of the lattice model against what memory allows.

Every cell moves its 19 populations out of memory and back. What that takes at least is a copy of as
many streams, 2 x 19, which all ranks do alternating with the methods, by several loops. A step on
two lattices is one such copy: its limit is the loop that copies the most cells per second, by
stores that pass the caches (304 bytes per cell in double precision) or not (456, as what is written
is fetched first). A step in place moves 304 bytes, at the most bytes per second of any loop.
lapwing's methods run whole steps, halos included;
lbmpy's have none. Cuts into fewer blocks than there are ranks leave the others asleep, so that one
run shows how a node, or many, fill up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import prod
from statistics import median

from lapwing.base.agreement import together
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from lapwing.model.case import Case, load_case
from lapwing_lattice import LatticeRun, model
from mpi4py import MPI
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.lattice.lbmpy import lbmpy_steps
from lapwing_lab.bench.lattice.request import LatticeRequest
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.domains import on_domain, on_first_ranks
from lapwing_lab.bench.measure.method import missing_together, slowest
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.machine.stream_copy import StreamCopy, check_copy

VALUE = 8  # bytes of a population
STREAMS = 19  # of each lattice
LARGEST_COPY = 1 << 21  # values of a stream: 304 MiB of each set, which no cache holds
# of lapwing: those of lbmpy
OWN = {"two-lattice": ("lbmpy-pull",), "in-place": ("lbmpy-inplace", "lbmpy-esotwist")}
IN_PLACE = ("in-place", *OWN["in-place"])
LOOPS = ("blocked", "pieces", "nontemporal")  # of a copy of 2 x 19 streams


@dataclass
class Way:
    """A method on a work item, and its samples."""

    name: str
    run: Callable[[], object]
    steps: int = 1  # of a run
    lattice: LatticeRun | None = None  # of lapwing's methods
    seconds: list[float] = field(default_factory=list)  # per step
    computing: list[float] = field(default_factory=list)  # of these in kernels


def run(request: LatticeRequest) -> int:
    """Measure all works and print the table. Collective over the world."""
    labels: dict[str, tuple[str, str]] = {}  # of works: cells and blocks
    with Session(request, len(request.works) * len(request.cuts), request.samples) as session:
        for work in request.works:
            alone: dict[str, float] = {}  # what a rank does in the first cut, by method
            for blocks in request.cuts:
                cells = f"{work}^3" + " per rank" * request.per_rank
                labels[request.name(work, blocks)] = cells, str(blocks)
                measure = partial(_measure_on, session, work, blocks)
                found = on_first_ranks(MPI.COMM_WORLD, prod(blocks), measure) or []
                for result in found:
                    if "mlups" in result.extra:
                        rank = result.extra["mlups"] / prod(blocks)
                        first = alone.setdefault(result.method, rank)
                        result.extra["rank_over_first"] = rank / first
                session.results += found
    return session.tell(_table(session.results, labels), width=130)


def _measure_on(
    session: Session[LatticeRequest], work: int, blocks: Shape, comm: MPI.Comm
) -> list[Result]:
    """Measure one work, cut one way, a block per rank of `comm`. Collective over it."""
    request = session.request
    name, cells = request.name(work, blocks), request.cells(work, blocks)

    def measured(domain: Domain) -> list[Result]:
        own = [method for method in request.methods if method in OWN]
        others = [method for method in request.methods if method not in OWN]
        ways = [_lapwing_way(domain, cells, method, request.steps) for method in own]
        make = partial(_lbmpy_way, domain, cells, request.steps, session.peers)
        ways += session.available(others, make).values()
        copies = _copies(domain)
        every = {way.name: way for way in (*(copy.way for copy in copies), *ways)}
        taken = session.alternate(name, every, partial(_sample, domain.mpi), warm_up=1)
        session.bar.finish(name)
        for way in every.values():
            way.seconds, way.computing = map(list, zip(*taken[way.name], strict=True))
            if way.lattice is not None:
                way.lattice.check_state()
        return _results(name, cells, copies, ways)

    partition = block_partition(Grid(tuple(cells), periodic=True), list(blocks))
    return on_domain(partition, measured, comm)


@dataclass
class Copy:
    """A copy of 2 x 19 streams by all ranks."""

    way: Way
    cells: float  # that it copies, on all ranks
    moved: float  # bytes per cell

    @property
    def rate(self) -> float:
        """Cells per second."""
        return self.cells / median(self.way.seconds)

    @property
    def bandwidth(self) -> float:
        """Bytes per second that really move."""
        return self.moved * self.rate


def _copies(domain: Domain) -> list[Copy]:
    """Copies of as many values as the cells of a rank have. Collective."""
    values = min(domain.box.volume, LARGEST_COPY)
    copy = together(domain.mpi, lambda: StreamCopy(STREAMS, values, huge_pages=True))
    cells = float(domain.mpi.allreduce(values))
    passing = domain.mpi.allreduce(bool(_core.has_nontemporal_stores()), MPI.LAND)
    copies = []
    for loop in LOOPS if passing else LOOPS[:-1]:
        together(domain.mpi, partial(check_copy, loop, copy))
        moved = VALUE * StreamCopy.moved_arrays(loop, STREAMS)
        copies.append(Copy(Way(f"copy-{loop}", partial(copy.run, loop)), cells, float(moved)))
    return copies


def _case(cells: Shape, *sets: str) -> Case:
    """Vortices that fade."""
    sizes = [f"grid.cells_{axis}={n}" for axis, n in zip("xyz", cells, strict=True)]
    return load_case("taylor-green", {"lattice": model}, [*sizes, *sets])


def _lapwing_way(domain: Domain, cells: Shape, method: str, steps: int) -> Way:
    """The case on all ranks together. Collective."""
    case = _case(cells, f"lattice.kernel={method}")
    geometry = model.geometry(case.settings, case.folder)
    lattice = model.create(domain, case.settings, geometry, strategy="blocking", transport="auto")
    return Way(method, partial(lattice.advance, steps), steps, lattice)


def _lbmpy_way(
    domain: Domain, cells: Shape, steps: int, versions: dict[str, str], method: str
) -> Way:
    """The cells of each rank by themselves. Collective, as ranks compile one after the other."""
    shape = domain.box.shape
    times = _case(cells).settings.relaxation_times
    work = partial(lbmpy_steps, method, (shape[0], shape[1], shape[2]), times)
    found = None
    for rank in range(domain.ranks):  # they share a folder of compiled kernels
        made = missing_together(domain.mpi, work if rank == domain.rank else lambda: None)
        found = made or found
    assert found is not None
    run, versions["lbmpy"] = found
    return Way(method, partial(run, steps), steps)


def _sample(comm: MPI.Comm, way: Way) -> tuple[float, float]:
    """Seconds per step of the slowest rank, and in kernels. Collective."""
    if way.lattice is not None:
        way.lattice.step.reset_times()
    computing = seconds = slowest(comm, way.run)
    if way.lattice is not None:
        computing = comm.allreduce(sum(way.lattice.step.report.times.compute), MPI.MAX)
    return seconds / way.steps, computing / way.steps


def _results(name: str, cells: Shape, copies: list[Copy], ways: list[Way]) -> list[Result]:
    """The results of copies and methods, whose limit is the fastest copy."""
    results = [
        Result(name, copy.way.name, copy.way.seconds, {"bandwidth": copy.bandwidth})
        for copy in copies
    ]
    fastest = max(copies, key=lambda copy: copy.rate)
    in_place = 2 * VALUE * STREAMS
    widest = max(copy.bandwidth for copy in copies) / in_place
    count = prod(cells)
    by_name = {way.name: way for way in ways}
    for way in ways:
        limit = widest if way.name in IN_PLACE else fastest.rate
        rates = [count / median(seconds) for seconds in (way.seconds, way.computing)]
        extra = {
            "mlups": rates[0] / 1e6,
            "bytes_per_update": in_place if way.name in IN_PLACE else fastest.moved,
            "limit_share": rates[0] / limit,
            "mlups_computing": rates[1] / 1e6,
            "limit_share_computing": rates[1] / limit,
        }
        peers = [by_name[name] for name in OWN.get(way.name, ()) if name in by_name]
        if peers:
            peer = min(peers, key=lambda one: median(one.seconds))
            extra |= ratio("over_lbmpy", peer.seconds, way.seconds)
        results.append(Result(name, way.name, way.seconds, extra))
    return results


def _table(results: list[Result], labels: dict[str, tuple[str, str]]) -> Table:
    return columns.table(
        results,
        [
            ("ms/step", columns.middle("ms", 2)),
            ("MLUP/s", _rate),
            ("share of limit", columns.percent("limit_share")),
            ("kernels alone", columns.percent("limit_share_computing")),
            ("per rank", columns.percent("rank_over_first")),
            ("over lbmpy", columns.spread("over_lbmpy")),
        ],
        words=[
            ("work", lambda result: labels[result.work][0]),
            ("blocks", lambda result: labels[result.work][1]),
            columns.METHOD,
        ],
        title="lattice Boltzmann, D3Q19, float64",
        caption="million updates per second of all ranks; limit: the fastest copy of 2 x 19 "
        "streams, in place the most bytes per second of any;\nper rank: of what a rank does in "
        "the first cut of the work; over the fastest of lbmpy's: median of turns (middle half)",
    )


def _rate(result: Result) -> str:
    if "bandwidth" in result.extra:
        return f"{result.extra['bandwidth'] / 1e9:.1f} GB/s"
    return f"{result.extra['mlups']:.1f}"
