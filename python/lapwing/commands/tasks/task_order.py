"""Task lists in the order in which they are done, with what travels meanwhile. Pure numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lapwing.core._core import Box, NamedTask

ALL_SIDES, FIRST_PHASE, SECOND_PHASE = "all sides", "W-E", "N-S"

_Key = tuple[int, int]  # identifies an exchange: its task list, and its entry there


@dataclass(frozen=True)
class Flight:
    """A phase of an exchange on its way: from its start to its arrival."""

    fields: str
    sides: str  # the halos that it fills
    begin: int  # place in the order of all steps; -1: in the last step of the round before
    end: int  # likewise; the number of all places: in the first step of the next round


@dataclass(frozen=True)
class Done:
    """A task where it is done."""

    list: int  # number of its task list
    step: int  # among the steps of all lists
    number: int  # in its list
    task: NamedTask
    rank_of_box: int  # computing: its number among the boxes of the list, from 1; else 0


@dataclass(frozen=True)
class TaskOrder:
    """The tasks of one rank in the steady state under one strategy."""

    strategy: str
    rank: int
    owned: list[Box]
    order: list[Done]
    flights: list[Flight]

    @property
    def lists(self) -> int:
        """Task lists of the steady state, after which all repeats: of a step, or of a pass."""
        return 1 + max((done.list for done in self.order), default=0)

    def steps_of(self, number: int) -> list[int]:
        """The steps that a task list runs: one, or those that tiles go through together. Local."""
        return sorted({done.step for done in self.order if done.list == number})

    @property
    def steps(self) -> int:
        """Steps of the steady state."""
        return 1 + max((done.step for done in self.order), default=0)

    def travelling(self, place: int) -> list[Flight]:
        """The messages on their way during the task at a place of the order. Local."""
        return [flight for flight in self.flights if flight.begin < place < flight.end]

    def hidden_share(self) -> float:
        """Share of the computed cells that are computed while something travels, 0 to 1. Local."""
        cells = hidden = 0
        for place, done in enumerate(self.order):
            if done.task.kind == "compute":
                cells += done.task.box.volume
                hidden += done.task.box.volume if self.travelling(place) else 0
        return hidden / max(1, cells)


def task_order(
    strategy: str, rank: int, owned: list[Box], lists: Sequence[Sequence[NamedTask]], in_order: bool
) -> TaskOrder:
    """Put the task lists of a round of steps into the order in which they are done. Local.

    A list holds the tasks of a step, or of several that tiles go through together.

    If tasks are done as they become ready, every message comes as late as possible: when nothing
    else is left to do.
    """
    order: list[Done] = []
    begin = 0  # steps of the lists before
    for place, tasks in enumerate(lists):
        boxes = 0
        for number in range(len(tasks)) if in_order else _by_priority(tasks):
            task = tasks[number]
            computes = task.kind == "compute"
            boxes += computes
            step = begin + (0 if task.ahead else task.later)
            order.append(Done(place, step, number, task, boxes if computes else 0))
        begin += 1 + max((task.later for task in tasks if not task.ahead), default=0)
    return TaskOrder(strategy, rank, owned, order, _flights(order, len(lists)))


def _by_priority(tasks: Sequence[NamedTask]) -> list[int]:
    """Whatever is ready, the least priority first, arrivals last. Local."""
    missing = [set(task.after) for task in tasks]
    left = set(range(len(tasks)))
    order: list[int] = []
    while left:
        ready = [n for n in left if not missing[n]]
        chosen = min(ready, key=lambda n: (tasks[n].kind == "arrive", tasks[n].priority))
        order.append(chosen)
        left.remove(chosen)
        for before in missing:
            before.discard(chosen)
    return order


def _flights(order: list[Done], lists: int) -> list[Flight]:
    """The ways of all phases, in the order of their arrivals; ways over the end come twice."""
    started: dict[_Key, int] = {}
    for place, done in enumerate(order):  # what left in the step before
        if done.task.kind == "start" and done.task.ahead:
            started[((done.list + 1) % lists, done.task.entry)] = place
    arrivals = [done for done in order if done.task.kind == "arrive"]
    in_phases = {(done.list, done.task.entry) for done in arrivals if done.task.phase > 0}
    flights: list[Flight] = []
    for place, done in enumerate(order):
        task, key = done.task, (done.list, done.task.entry)
        if task.kind == "start" and not task.ahead and key not in started:
            started[key] = place
        if task.kind != "arrive":
            continue
        sides = (FIRST_PHASE, SECOND_PHASE)[task.phase > 0] if key in in_phases else ALL_SIDES
        begin = started.get(key, -1)
        if begin > place:  # it left at the end of the round
            flights.append(Flight(task.subject, sides, begin, len(order)))
            begin = -1
        flights.append(Flight(task.subject, sides, begin, place))
        started[key] = place
    return flights
