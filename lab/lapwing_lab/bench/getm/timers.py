"""The timer of GETM that each stage of the coast model belongs to, and the time of a run by timer.

GETM exchanges a field right after a routine has updated it, and charges the routine. A halo that
lapwing moves is charged to the stage that wrote the field last, wherever it travels.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lapwing_lab.timeline.timeline import Event

# Every stage has one timer, and at most one row of Table 7-1; stages of the depth-integrated mode
# share a row that the table does not have. Patterns match whole names.
STAGES = (
    # stages, GETM's timer, row of Table 7-1
    (r"momentum_[xy]", "momentum", "2D"),
    (r"transport_advection_[xy]", "uv_advect", None),
    (r"try_level|brake", "sealevel", "2D"),
    (r"continuity|open_boundary", "sealevel", "2D"),
    (r"mean_transport", "integrate_2d", "2D"),
    (r"layers_(before|after)", "coordinates", None),
    (r"buoyancy", "do_eqstate", None),
    (r"internal_pressure_[xy]", "internal_pressure", None),
    (r"bottom_drag_[xy]", "bottom_friction_3d", None),
    (r"(layer_sum|carrying_speeds|sum_advection|slow_terms)_[xy]", "slow_terms", None),
    (r"momentum_advection_[xy]", "uv_advect_3d", "momentum advection"),
    (r"layer_momentum_[xy]|tracer_flow", "momentum_3d", "momentum"),  # uu_, vv_ and ww_momentum_3d
    (r"turbulence", "gotm", "GOTM"),
    (r"salinity_(interface|update)_[xyz]+", "do_advection_3d", "salinity advection"),
    (r"temperature_(interface|update)_[xyz]+", "do_advection_3d", "temperature advection"),
    (r"mix_salinity", "do_salinity", "salinity"),
    (r"mix_temperature", "do_temperature", "temperature"),
)

# Exchanges per macro step in GETM, and in the depth-integrated mode per micro step: Table 7-1, 5-1.
ROWS = {
    "GOTM": 2,
    "salinity": 1,
    "temperature": 1,
    "momentum": 3,
    "momentum advection": 2,
    "salinity advection": 5,
    "temperature advection": 5,
}
FLAT_ROW, FLAT_EXCHANGES = "2D", 3

PART_A = r"(temperature|salinity)_interface_x"  # of u_split_adv: concentrations at the interfaces
PART_B = r"(temperature|salinity)_update_x"  # and the cells between them


def booked_to(stage: str) -> tuple[str, str | None]:
    """GETM's timer of a stage, and the row of Table 7-1 of what travels after it, if it has one.

    Local; raises LookupError for a stage in no row of STAGES, or in several.
    """
    found = [(timer, row) for names, timer, row in STAGES if re.fullmatch(names, stage)]
    if len(found) != 1:
        raise LookupError(f"stage {stage}: {len(found)} of GETM's timers in bench getm, not one")
    return found[0]


class Writers:
    """The stage that wrote each field last, on the way through a step again and again."""

    def __init__(self, stages: Sequence[tuple[str, Collection[str], Collection[str]]]) -> None:
        """Begin where a step of these stages ends: name, fields read, fields written. Local."""
        self._writes: dict[str, set[str]] = defaultdict(set)
        self._readers: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._last: dict[str, str] = {}
        for name, _, writes in stages:
            self._writes[name] |= set(writes)
            self.compute(name)
        for number, (name, _, writes) in enumerate(stages):
            later = [*stages[number + 1 :], *stages[: number + 1]]
            for written in writes:
                reader = next((other for other, reads, _ in later if written in reads), name)
                self._readers[name, written].add(reader)

    def compute(self, stage: str) -> None:
        """A stage computes. Local."""
        self._last |= dict.fromkeys(self._writes[stage], stage)

    def of(self, fields: str) -> list[str]:
        """The stages that wrote some fields, as an event or a task names them. Local."""
        return [self._last[name] for name in fields.split(", ") if name in self._last]

    def readers_of(self, fields: str) -> set[str]:
        """The stages that read some fields next. Local."""
        found = [self._readers[self._last[n], n] for n in fields.split(", ") if n in self._last]
        return set().union(*found)


def writers_of(step: Any) -> Writers:
    """The writers of a step, which begins. Local."""
    return Writers(
        [
            (name, {spec.name for spec in reads}, {spec.name for spec in writes})
            for stages in step.report.stages
            for name, reads, writes in stages
        ]
    )


SUMS = {"halo": ("update", "wait"), "total": ("red", "green", "update", "wait")}


class Booking(defaultdict[tuple[str, str], float]):
    """Seconds of one rank by stage, and by what it did for its cells or halos of what it wrote.

    red: computing while nothing travels; green: while messages do; update: packing and posting;
    wait: waiting and unpacking.
    """

    def __init__(self) -> None:
        """Begin with nothing. Local."""
        super().__init__(float)

    def charge(self, owners: Sequence[str], what: str, seconds: float) -> None:
        """Divide a time among some stages. Local."""
        for owner in owners:
            self[owner, what] += seconds / len(owners)

    def sum(self, what: str, stages: str = ".*", timer: str | None = None) -> float:
        """Seconds of one or of SUMS over the stages of a pattern and of a timer. Local."""
        return sum(
            seconds
            for (stage, one), seconds in self.items()
            if one in SUMS.get(what, (what,))
            and re.fullmatch(stages, stage)
            and timer in (None, booked_to(stage)[0])
        )


def book(events: Sequence[Event], writers: Writers, undivided: bool) -> Booking:
    """Book what a rank did, in the order in which it did it. Local.

    A wait is charged to the exchange that is unpacked next, or the last one begun. As in GETM, a
    message travels from its start until it is needed, however soon it came; `undivided`: that is at
    once.
    """
    booking, waited, owners = Booking(), 0.0, list[str]()
    begun, needed_by = dict[str, list[str]](), dict[str, set[str]]()  # by what travels
    arriving = _arriving(events)
    for number, event in enumerate(events):
        seconds = event.end - event.begin
        if event.kind == "compute":
            for subject in [s for s, readers in needed_by.items() if event.subject in readers]:
                del needed_by[subject]
            colour = "green" if needed_by and not undivided else "red"
            booking.charge([event.subject], colour, seconds)
            writers.compute(event.subject)
        elif event.kind == "start":
            owners = begun[event.subject] = writers.of(event.subject)
            booking.charge(owners, "update", seconds)
            if number in arriving:
                needed_by[event.subject] = writers.readers_of(event.subject)
        elif event.kind == "wait":
            waited += seconds
        else:
            owners = begun.get(event.subject) or writers.of(event.subject)
            booking.charge(owners, "wait", seconds + waited)
            waited = 0.0
    booking.charge(owners, "wait", waited)
    return booking


def _arriving(events: Sequence[Event]) -> set[int]:
    """The starts, by their numbers, of what something arrives of. Local.

    Nothing does where a rank only sends, or where nothing crosses the sides of its box.
    """
    found, started = set[int](), dict[str, int]()
    for number, event in enumerate(events):
        if event.kind == "start":
            started[event.subject] = number
        elif event.kind == "unpack" and event.subject in started:
            found.add(started[event.subject])
    return found


@dataclass
class RowCount:
    """The messages of one row of Table 7-1 in a step, on the rank that sends most."""

    rounds: int = 0  # exchanges in which some of it travels
    messages: int = 0
    bytes: int = 0


def count_rounds(
    step: Any, tasks: Sequence[Any], sent: Sequence[Mapping[str, tuple[int, int]]]
) -> dict[str, RowCount]:
    """The exchanges of one step by row of Table 7-1, with their sum as "all" and "all 3D". Local.

    `tasks`: those of a step that is run undivided; `sent`: messages and bytes of each field in each
    of its exchanges, in order.
    """
    writers, found = writers_of(step), dict[str, RowCount]()
    exchanges = iter(sent)
    for task in tasks:
        if task.kind == "compute":
            writers.compute(task.subject)
        if task.kind != "start":
            continue
        shares = next(exchanges)
        rows: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for name, share in shares.items():
            for writer in writers.of(name):
                timer, row = booked_to(writer)
                rows[row or timer].append(share)
        for whole in ("all", *(["all 3D"] if set(rows) - {FLAT_ROW} else [])):
            rows[whole] = list(shares.values())
        for row, parts in rows.items():
            count = found.setdefault(row, RowCount())
            count.rounds += 1
            count.messages += max(messages for messages, _ in parts)
            count.bytes += sum(size for _, size in parts)
    return found
