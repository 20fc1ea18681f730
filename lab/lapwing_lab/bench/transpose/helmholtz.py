"""`lapwing bench helmholtz`: a semi-implicit step's solver, undivided and by groups of levels.

The same equations are solved alternately with all levels at once and in groups, whose lines are
worked on while those of the next group travel. Next to them the parts: the moving alone, of all
levels at once, and the work on lines alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from lapwing import Domain, Field, Grid, UserError, block_partition
from lapwing.core import _core
from lapwing.core.solvers.helmholtz import Helmholtz
from lapwing.core.solvers.line_transform import Ends
from mpi4py import MPI
from numpy.typing import NDArray
from rich.table import Table

from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import slowest
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.transpose.request import HelmholtzRequest

ENDS: tuple[Ends, Ends] = ("neumann", "neumann")  # cosine transforms along x: walls
SPACING = (5000.0, 5000.0)  # m
FASTEST, STEP = 300.0, 240.0  # speed of the first vertical mode, m/s, and time step, s
MOVING, WORKING = "moving", "lines"


@dataclass
class Way:
    """One way to solve, or a part of it."""

    run: Callable[[], None]
    lines: _core.LineSolver | None = None  # what moves values, if that is part of it

    @property
    def moved(self) -> dict[str, float]:
        """Messages and bytes of buffers of this rank."""
        if self.lines is None:
            return {"messages": 0.0, "buffer_bytes": 0.0}
        messages = sum(transpose.census.messages for transpose in self.lines.transposes)
        return {"messages": float(messages), "buffer_bytes": float(self.lines.buffer_bytes)}


def run(request: HelmholtzRequest) -> int:
    """Measure and print the table. Collective over the world."""
    partition = block_partition(Grid(request.work[:2]), [*request.cut, 1])
    with Session(request, 1, request.samples) as session:
        session.work(str(request.work), partition, partial(_measure, session))
    words = (
        "per solution, of the slowest rank; messages and buffers of rank 0; speed-up: median of\n"
        "turns (middle half), against all levels at once; all ways give the same bits"
    )
    return session.tell(_table(request, session.results), words)


def _measure(session: Session[HelmholtzRequest], domain: Domain) -> list[Result]:
    """Solve in all ways, and do the parts of one, alternating. Collective."""
    request = session.request
    right = np.random.default_rng(1).standard_normal(request.work)  # on any number of ranks
    p = domain.field("p", levels=request.work[2], halo=1, order="xzy")
    solvers = {n: _solver(p, request, groups=n) for n in request.chosen}
    _check_bits(domain, p, right, solvers)
    ways = {f"{n} group" + "s" * (n > 1): Way(s.solve, s.lines) for n, s in solvers.items()}
    lines, nothing = solvers[1].lines, [lambda _: None] * 3
    ways[MOVING] = Way(lambda: lines.run(*nothing), lines)
    ways[WORKING] = Way(solvers[1].work_on_lines)

    def take(way: Way) -> float:
        _fill(domain, p, right)
        return slowest(MPI.COMM_WORLD, way.run)

    name = str(request.work)
    taken = session.alternate(name, ways, take)
    whole = next(iter(taken.values()))
    return [
        Result(name, way, mine, ways[way].moved | ratio("speed_up", whole, mine))
        for way, mine in taken.items()
    ]


def _solver(p: Field, request: HelmholtzRequest, groups: int) -> Helmholtz:
    """Equations of vertical modes, each half as fast as the one before. Collective."""
    speeds = FASTEST * 0.5 ** np.arange(request.work[2]).clip(max=8)
    shift = 1.0 / (STEP * speeds) ** 2
    return Helmholtz(p, shift, SPACING, ends=ENDS, method=request.method, groups=groups)


def _fill(domain: Domain, p: Field, right: NDArray[np.float64]) -> None:
    for box in domain.boxes:
        p[box] = right[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]


def _check_bits(
    domain: Domain, p: Field, right: NDArray[np.float64], solvers: dict[int, Helmholtz]
) -> None:
    """Raise UserError on all ranks unless every way solves to the same bits. Collective."""
    found = []
    for solver in solvers.values():
        _fill(domain, p, right)
        solver.solve()
        found.append([zlib.crc32(np.ascontiguousarray(p[box]).tobytes()) for box in domain.boxes])
    equal = all(bits == found[0] for bits in found)
    if not MPI.COMM_WORLD.allreduce(equal, MPI.LAND):
        raise UserError("solutions by groups of levels differ from that of all levels: a bug")


def _table(request: HelmholtzRequest, results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("ms", columns.middle("ms", 2)),
            ("messages", columns.number("messages")),
            ("buffers", lambda result: f"{result.extra['buffer_bytes'] / 1e6:.1f} MB"),
            ("speed-up", columns.spread("speed_up")),
        ],
        words=[("way", columns.METHOD[1])],
        title=f"Helmholtz equations, {request.work} points, {request.cut} blocks, {request.method}",
    )
