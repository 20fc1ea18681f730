"""`lapwing bench getm`: the tables of the GETM latency-hiding report, with this machine's numbers.

Every rank has a subdomain of one of the report's sizes; all strategies alternate on it. A step's
own timeline says what a rank did when, and `getm_timers` whose time it was.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from functools import partial
from typing import Any

from lapwing.core.domain import Domain
from lapwing.model.case import Case
from lapwing.run.creation import step_of

from lapwing_lab.bench.getm import timers
from lapwing_lab.bench.getm.case import FLAT, LAYERED, make_run, partition_of, sized_case
from lapwing_lab.bench.getm.request import POLICIES, UNDIVIDED, GetmRequest
from lapwing_lab.bench.getm.table import WIDTH, Measured, Samples, tables
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.timeline.timeline import Event

ROOM = 1 << 17  # events of a round on a rank
MICRO_STEPS = 10  # of the depth-integrated mode in a macro step


def run(request: GetmRequest) -> int:
    """Measure all sizes and print the tables. Collective over the world."""
    measured = Measured({}, {})
    with Session(request, 2 * len(request.sizes), request.rounds) as session:
        for size in request.sizes:
            for name in (FLAT, LAYERED):
                case = sized_case(name, size, request.levels, request.policy)
                measure = partial(_measure, session, name, case, size, measured)
                session.work(f"{name} {size}", partition_of(case), measure)
    for policy in POLICIES:
        case = sized_case(LAYERED, request.sizes[0], request.levels, policy)
        measured.counts[policy] = on_domain(partition_of(case), partial(count, request, case))
    session.results += _counted(measured)
    return session.tell(*tables(request, measured), width=WIDTH)


def _measure(
    session: Session[GetmRequest],
    name: str,
    case: Case,
    size: Shape,
    measured: Measured,
    domain: Domain,
) -> list[Result]:
    """Alternate rounds of all strategies; the depth-integrated case undivided only. Collective."""
    request = session.request
    strategies = request.chosen if name == LAYERED else (UNDIVIDED,)
    steps = request.steps * (1 if name == LAYERED else MICRO_STEPS * 10)
    runs = {
        strategy: make_run(case, domain, strategy, request.transport) for strategy in strategies
    }

    def take(model: Any) -> dict[str, float]:
        return _round(domain, model, step_of(model, name), steps)

    results = []
    for strategy, rounds in session.alternate(str(size), runs, take, warm_up=1).items():
        samples = Samples({row: [one[row] for one in rounds] for row in rounds[0]})
        measured.samples[name, str(size), strategy] = samples
        for row, seconds in samples.items():
            part = row != "Total runtime"
            results.append(Result(f"{name}-{size}/{row}", strategy, seconds, part=part))
    for model in runs.values():
        model.check_state()
    return results


def _round(domain: Domain, model: Any, step: Any, steps: int) -> dict[str, float]:
    """Some steps, by row of the tables: seconds per step. Collective."""
    step.draw_timeline(ROOM)
    domain.mpi.Barrier()
    begin = time.perf_counter()
    model.advance(steps)
    whole = time.perf_counter() - begin
    noted = step.report.timeline
    step.draw_timeline(0)
    if len(noted) >= ROOM:
        raise RuntimeError(f"bench getm: more than {ROOM} events in a round; take fewer --steps")
    events = sorted((Event(*one) for one in noted), key=lambda event: event.begin)
    rows = rows_of(
        timers.book(events, timers.writers_of(step), step.report.strategy == UNDIVIDED), whole
    )
    of_ranks = domain.mpi.allgather(rows)
    return {name: sum(one[name] for one in of_ranks) / (len(of_ranks) * steps) for name in rows}


def rows_of(booking: timers.Booking, whole: float) -> dict[str, float]:
    """The seconds of all rows of Tables 5-1, 5-2 and 7-2 to 7-4. Local."""
    part = booking.sum
    either = f"{timers.PART_A}|{timers.PART_B}"
    return {
        "Total runtime": whole,
        "Halo runtime": part("halo"),
        "Non-halo runtime": whole - part("halo"),
        "update_2d_halo": part("update"),
        "update_*d_halo": part("update"),
        "wait_halo": part("wait"),
        "Momentum - total": part("total", timer="momentum"),
        "Momentum - halo": part("halo", timer="momentum"),
        "Sealevel": part("total", timer="sealevel"),
        "Sealevel - halo": part("halo", timer="sealevel"),
        "do_temperature - total": part("total", timer="do_temperature"),
        "do_temperature - halo": part("halo", timer="do_temperature"),
        "total": part("total", either),
        "update-halo": part("update", either),
        "wait-halo": part("wait", either),
        '"red" zones': part("red", either),
        '"green" zones': part("green", either),
        "Part A": part("red", timers.PART_A) + part("green", timers.PART_A),
        "Part B": part("red", timers.PART_B) + part("green", timers.PART_B),
    }


def count(request: GetmRequest, case: Case, domain: Domain) -> dict[str, timers.RowCount]:
    """Table 7-1 from the census of a macro step, of the rank that sends most. Collective."""
    model = make_run(case, domain, UNDIVIDED, request.transport)
    step = step_of(model, LAYERED)
    step.observe()
    model.advance(2)  # the first begins with halos that are all stale
    sent = [
        {share.name: (share.messages, share.bytes) for share in entry.fields}
        for entry in step.report.census()
        if entry.steady and entry.position == 0
    ]
    mine = timers.count_rounds(step, step.report.task_lists()[0], sent)
    ranks: list[dict[str, timers.RowCount]] = domain.mpi.allgather(mine)
    return max(ranks, key=lambda one: one["all"].bytes)


def _counted(measured: Measured) -> list[Result]:
    """List what each policy exchanges, for the file. Local."""
    results = []
    for policy, rows in measured.counts.items():
        for row, counted in rows.items():
            extra = {part: float(number) for part, number in asdict(counted).items()}
            rounds = [float(counted.rounds)]
            results.append(Result(f"exchanges/{row}", policy, rounds, extra, part=True))
    return results
