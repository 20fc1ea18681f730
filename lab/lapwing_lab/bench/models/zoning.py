"""`lapwing bench zoning`: what cutting stages into zones costs the kernels, and the engine itself.

Two ranks have two subdomains each, like the squares of a chess board on a grid that closes on
itself: every side of every subdomain has a message. The tracer of the coast model (P2-PDM, five
steps along x, y, z, y and x, as GETM's report cuts it) is run by every strategy alternately, and
its kernels timed by the step's own clock. Then kernels that do nothing: what a step with many tasks
takes longer than one with few is the cost of the engine.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from lapwing import Box
from lapwing.core._core import Step
from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Grid, Partition, Subdomain
from lapwing_coast import _kernels
from mpi4py import MPI
from numpy.typing import NDArray
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models.request import ZoningRequest
from lapwing_lab.bench.models.tracer import tracer_in_gyres

Times = NDArray[np.floating[Any]]

STEPS = 4  # of the tracer in a sample: short, so that what else the machine does hits few samples
EMPTY_STEPS = 200
EMPTY_SIZE = (60, 60, 60)
ENGINE = "engine"
RANKS, UNDIVIDED = ZoningRequest.RANKS, ZoningRequest.UNDIVIDED


def run(request: ZoningRequest) -> int:
    """Measure all works and the engine, and print the tables. Collective over the world."""
    with Session(request, len(request.works) + 1, request.samples) as session:
        for work in request.works:
            nx, ny, _ = request.size_of(work)
            session.work(work, chess_board(nx, ny), partial(_measure, session, work))
        session.work(ENGINE, chess_board(*EMPTY_SIZE[:2]), partial(_measure_engine, session))
    engine = [result for result in session.results if result.work == ENGINE]
    works = [result for result in session.results if result.work != ENGINE]
    return session.tell(_table(request, works), _engine_table(engine))


def chess_board(nx: int, ny: int) -> Partition:
    """2 x 2 subdomains of nx x ny cells, each with the other rank on all its sides. Local."""
    subdomains = [
        Subdomain((bx + by) % RANKS, Box((bx * nx, by * ny, 0), ((bx + 1) * nx, (by + 1) * ny, 1)))
        for by in (0, 1)
        for bx in (0, 1)
    ]
    return Partition(Grid((2 * nx, 2 * ny, 1), periodic=(True, True, False)), RANKS, subdomains)


def _measure(session: Session[ZoningRequest], work: str, domain: Domain) -> list[Result]:
    request = session.request
    _, _, layers = request.size_of(work)
    levels_fastest = work.endswith(request.LEVELS)
    tracers = {
        method: _settled(tracer_in_gyres(domain, layers, method, request.transport, levels_fastest))
        for method in request.chosen
    }
    taken = session.alternate(work, tracers, partial(_sample, domain))
    _check(domain, tracers, work)
    results = []
    undivided = np.transpose(taken[UNDIVIDED])
    for method, tracer in tracers.items():
        kernels, step = np.transpose(taken[method])
        extra = {"step": float(np.median(step)), "tasks": tracer.step.report.tasks_per_step}
        extra |= ratio("over_undivided", kernels, undivided[0])
        extra |= ratio("step_over_undivided", step, undivided[1])
        results.append(Result(work, method, kernels.tolist(), extra))
    return results


def _settled(tracer: _kernels.TracerAdvection) -> _kernels.TracerAdvection:
    """The tracer after the trial of `auto`, which is not what it costs. Collective."""
    while tracer.step.report.strategy == "auto":
        tracer.advance(STEPS)
    return tracer


def _sample(domain: Domain, tracer: _kernels.TracerAdvection) -> Times:
    """Seconds in kernels and of the whole, per step on the mean of the ranks. Collective."""
    tracer.advance(1)
    tracer.step.reset_times()
    domain.mpi.Barrier()
    begin = time.perf_counter()
    tracer.advance(STEPS)
    mine = np.array([sum(tracer.step.report.times.compute), time.perf_counter() - begin])
    times: Times = domain.mpi.allreduce(mine) / (STEPS * RANKS)
    return times


def _check(domain: Domain, tracers: dict[str, _kernels.TracerAdvection], work: str) -> None:
    """Raise unless strategies have the same bits: else times say nothing. Collective.

    That of `auto` has gone further.
    """

    def bits(tracer: _kernels.TracerAdvection) -> bytes:
        cells = Field(domain, tracer.tracer)
        return b"".join(cells[box].tobytes() for box in domain.boxes)

    compared = {name: bits(tracer) for name, tracer in tracers.items() if name != "auto"}
    others = [name for name, mine in compared.items() if mine != compared[UNDIVIDED]]
    if domain.mpi.allreduce(len(others)):
        raise RuntimeError(f"bench zoning: other bits in {work} than by {UNDIVIDED}: {others}")


def _measure_engine(session: Session[ZoningRequest], domain: Domain) -> list[Result]:
    """Steps of kernels that do nothing, by few and by many tasks. Collective."""
    steps = {
        method: _core.empty_step(domain, EMPTY_SIZE[2], method, session.request.transport)
        for method in session.request.chosen
        if method != "auto"
    }

    def take(step: Step) -> float:
        seconds = _core.step_seconds(domain, step, EMPTY_STEPS)
        return float(domain.mpi.allreduce(seconds, MPI.MAX))

    seconds = session.alternate(ENGINE, steps, take)
    results = []
    for method, step in steps.items():
        extra = {"tasks": step.report.tasks_per_step}
        more = step.report.tasks_per_step - steps[UNDIVIDED].report.tasks_per_step
        if more > 0:
            costs = np.subtract(seconds[method], seconds[UNDIVIDED]) / more
            extra["seconds_per_task"] = float(np.median(costs))
        results.append(Result(ENGINE, method, seconds[method], extra))
    return results


def _table(request: ZoningRequest, results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("tasks", columns.number("tasks")),
            ("kernels ms", columns.middle("ms", 3)),
            ("over undivided", columns.spread("over_undivided", 3)),
            ("step ms", columns.number("step", 1e3, 3)),
            ("over undivided", columns.spread("step_over_undivided", 3)),
        ],
        no_wrap=False,
        title=f"Zoning, {RANKS} ranks with two subdomains each, transport {request.transport}, "
        f"{request.samples} samples",
        caption="kernels: ms of a step; over undivided: kernels, and the whole step, of the same "
        "turn: median (middle half). @levels: layers next to each other in memory.",
    )


def _engine_table(results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("tasks", columns.number("tasks")),
            ("step us", columns.middle("us", 2)),
            ("per task ns", columns.number("seconds_per_task", 1e9, missing="-")),
        ],
        words=[columns.METHOD],
        title="The engine: kernels that do nothing",
        caption=f"per task: (step - step by {UNDIVIDED}) / (tasks - tasks by {UNDIVIDED}), median",
    )
