"""`lapwing timeline`: run a case under several strategies, and draw what each rank does when."""

from __future__ import annotations

import gc
import math
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import DONE, at_root, end_together, together
from lapwing.base.atomic_file import make_folder, write_json_file, writing
from lapwing.base.error import user_error
from lapwing.core.names import steps_per_exchange
from lapwing.core.versions import report_head
from lapwing.run.creation import create_case_run, step_of
from lapwing.run.request import Request, Setup, agree_on_setup
from lapwing.run.summary import crowding

from lapwing_lab.timeline.picture import draw_timelines
from lapwing_lab.timeline.timeline import NAMES, Event, Timeline, print_timelines

if TYPE_CHECKING:
    from lapwing.core._core import Step
    from lapwing.core.domain import Domain
    from lapwing.model.model import Run
    from mpi4py.MPI import Comm

WARM_UP = 10  # steps before the first round
_ROUNDS, _MOST_ROUNDS = 20, 400  # at least and at most
_PATIENCE = 2.0  # s, until there are no more than _ROUNDS more
_ROOM = 1 << 17  # events of a round on a rank
_TRIALS = 100  # times as many steps as a round has, at most, until `auto` has chosen

_BOOT = Path("/proc/sys/kernel/random/boot_id")  # one per running kernel, as its clock is
_ROUND_TRIPS = 200


def run_timeline(
    request: Request, strategies: Sequence[str], steps: int, folder: Path | None, comm: Comm
) -> int:
    """Run some steps with each strategy, write their timelines, and return the exit code.

    `steps` is rounded up, so that all strategies end where the tiles of each have gone through.
    Collective, the code is the same on all ranks. Errors are printed, not raised, as `run_case`
    does.
    """
    where = "set-up"
    try:
        setup = agree_on_setup(request, comm)
        out = folder or Path("out") / setup.case.name
        at_root(comm, lambda: make_folder(out))
        from lapwing.core.domain import Domain  # needs MPI, which the caller has started

        domain = Domain(setup.partition, comm)
        offset = clock_offset(comm)
        steps = whole_passes(steps, strategies)
        timelines = []
        for strategy in strategies:
            where = f"strategy {strategy}"
            timelines.append(_measure(setup, domain, strategy, steps, offset))
        where = "files"
        at_root(comm, lambda: _tell(setup, timelines, crowding(domain), out))
        domain.close()
    except Exception as problem:
        return end_together(comm, problem, where, request.debug)
    return DONE


def whole_passes(steps: int, strategies: Sequence[str]) -> int:
    """The least number of steps, not below `steps`, that each deep:k divides by k. Local."""
    whole = math.lcm(*map(steps_per_exchange, strategies))
    return whole * -(-steps // whole)


def _measure(
    setup: Setup, domain: Domain, strategy: str, steps: int, offset: float
) -> Timeline | None:
    """The quickest round under a strategy on rank 0, None elsewhere. Collective."""
    run = create_case_run(setup, domain, strategy=strategy)
    step = step_of(run, setup.case.name)
    warm_up = steps * -(-WARM_UP // steps)  # whole passes, so that a round begins with one
    run.advance(warm_up)
    for _ in range(_TRIALS):
        if step.report.strategy != "auto":
            break
        run.advance(warm_up)
    rounds: list[list[Event]] = []
    begin = time.monotonic()
    more = True
    while more:
        rounds += [_round(run, step, steps, offset) for _ in range(_ROUNDS)]
        more = len(rounds) < _MOST_ROUNDS and time.monotonic() < begin + _PATIENCE
        more = bool(domain.mpi.bcast(more))
    run.check_state()
    taken = step.report.strategy
    del run, step
    gc.collect()
    together(domain.mpi, lambda: _check_room(rounds, steps))
    ranks = _quickest(rounds, domain)
    return None if ranks is None else Timeline(strategy, taken, steps, len(rounds), ranks)


def _round(run: Run, step: Step, steps: int, offset: float) -> list[Event]:
    """The work of this rank in some steps, by begin on rank 0's clock. Collective."""
    step.run(0, lambda: None)  # a barrier that lets others run
    step.draw_timeline(_ROOM)
    run.advance(steps)
    noted = step.report.timeline
    step.draw_timeline(0)
    return sorted((Event(*one).since(-offset) for one in noted), key=lambda event: event.begin)


def _quickest(rounds: Sequence[list[Event]], domain: Domain) -> list[list[Event]] | None:
    """The events of the round that all ranks together did in the shortest time, on rank 0.

    From its first moment on. None elsewhere. Collective.
    """
    spans = [(mine[0].begin, max(e.end for e in mine)) if mine else None for mine in rounds]
    of_ranks = domain.mpi.allgather(spans)
    of_rounds = [[span for span in ranks if span] for ranks in zip(*of_ranks, strict=True)]
    whole = [max(end for _, end in ranks) - min(ranks)[0] for ranks in of_rounds]
    best = whole.index(min(whole))
    gathered = domain.mpi.gather(rounds[best])
    if gathered is None:
        return None
    first = min(of_rounds[best])[0]
    return [[event.since(first) for event in mine] for mine in gathered]


def _check_room(rounds: Sequence[list[Event]], steps: int) -> None:
    if max(map(len, rounds)) >= _ROOM:
        got = f"{steps}, more than {_ROOM} events on a rank"
        raise user_error("--steps", got, "fewer events than that", "draw fewer steps")


def _tell(setup: Setup, timelines: list[Any], notes: list[str], out: Path) -> None:
    """Print the table and write all files. Rank 0."""
    print_timelines(setup, timelines, notes)
    for timeline in timelines:
        name = timeline.strategy.replace(":", "_").replace("+", "_")  # timeline_6s_0.3.json
        file = out / f"timeline_{name}.json"
        write_json_file(file, _trace(setup, timeline))
        print(f"trace    {file}")
    picture = out / "timeline.png"
    ranks = setup.partition.ranks
    on = f"{ranks} rank{'s' if ranks > 1 else ''}"
    title = f"{setup.case.name}: {timelines[0].steps} steps on {on}, {setup.cut}"
    with writing(picture):
        draw_timelines(picture, timelines, title)
    print(f"picture  {picture}")


def _trace(setup: Setup, timeline: Timeline) -> dict[str, Any]:
    """The timeline in the format of Chrome's tracing, a process per rank. Local.

    A thread of a rank has a track of its own.
    """
    events: list[dict[str, Any]] = []
    for rank, mine in enumerate(timeline.ranks):
        events.append(_name("process_name", rank, 0, f"rank {rank}"))
        for thread in sorted({event.thread for event in mine}):
            events.append(_name("thread_name", rank, thread, f"thread {thread}"))
        events += [_trace_event(rank, event) for event in mine]
    about = report_head("lapwing-timeline-1") | {
        "case": setup.case.name,
        "strategy": timeline.strategy,
        "taken": timeline.taken,
        "transport": setup.case.run.transport,
        "steps": timeline.steps,
        "rounds": timeline.rounds,
        "written": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": about}


def _name(what: str, rank: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": rank, "tid": thread, "args": {"name": name}}


def _trace_event(rank: int, event: Event) -> dict[str, Any]:
    name = event.subject if event.kind == "compute" else f"{NAMES[event.kind]} {event.subject}"
    return {
        "name": name.strip(),
        "cat": NAMES.get(event.kind, event.kind),
        "ph": "X",
        "pid": rank,
        "tid": event.thread,
        "ts": event.begin * 1e6,
        "dur": (event.end - event.begin) * 1e6,
        "args": {"cells": event.cells} if event.kind == "compute" else {},
    }


# ---- clocks of several nodes, brought to one time


def clock_offset(comm: Comm) -> float:
    """Seconds to add to this rank's time.monotonic() to get rank 0's.

    Collective. Ranks under one kernel have one clock, so it is 0 on a single computer, exactly;
    to others some hundred messages go and return, and the quickest tells.
    """
    try:
        mine = _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        mine = platform.node()
    kernels = comm.allgather(mine)
    offsets = {kernels[0]: 0.0}
    for rank, kernel in enumerate(kernels):
        if kernel in offsets:
            continue
        offset = 0.0
        if comm.rank == 0:
            offset = best_offset([_round_trip(comm, rank) for _ in range(_ROUND_TRIPS)])
        elif comm.rank == rank:
            for _ in range(_ROUND_TRIPS):
                comm.recv(source=0)
                comm.send(time.monotonic(), dest=0)
        offsets[kernel] = comm.bcast(offset)
    return offsets[kernels[comm.rank]]


def best_offset(round_trips: Sequence[tuple[float, float, float]]) -> float:
    """Seconds to add to the other's clock, from moments of sending, there and back. Local.

    The quickest round trip bounds the error by half its time.
    """
    sent, there, back = min(round_trips, key=lambda trip: trip[2] - trip[0])
    return 0.5 * (sent + back) - there


def _round_trip(comm: Comm, rank: int) -> tuple[float, float, float]:
    sent = time.monotonic()
    comm.send(None, dest=rank)
    there = comm.recv(source=rank)
    return sent, there, time.monotonic()
