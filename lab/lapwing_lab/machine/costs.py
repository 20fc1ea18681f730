"""The costs of the processor in a machine file: computing, packing, and calls of an MPI."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lapwing.base.error import shown, user_error
from lapwing.base.settings import Where, convert, unknown_key

from lapwing_lab.machine.quantity import Kind, positive, quantity

LINKS = ("network", "node", "joint")
OTHER = "other"  # the cost of stages that are not named
PROGRESS = ("background", "calls")


@dataclass(frozen=True)
class StageCost:
    """The time of a stage: of cells, of the rows that they lie in, and of each call of a kernel."""

    cell: float  # s
    row: float = 0.0  # s per row of cells along x, in each layer
    call: float = 0.0  # s per box
    rim: int = 0  # cells along x and y that a box of a rank is computed wider, together
    crowded: float = 1.0  # times as long where all cores of the node compute; fewer in proportion

    def widened(self, box: Sequence[int]) -> StageCost:
        """The same without rim: its cells shared among those of the box of a rank. Local."""
        wider = [cells + self.rim for cells in box[:2]]
        share = math.prod(wider) / math.prod(box[:2])
        return StageCost(self.cell * share, self.row, self.call, 0, self.crowded)


@dataclass(frozen=True)
class ComputeCost:
    """The cost of computing a box of one size."""

    box: tuple[int, ...]  # cells along x and y, or x, y and z
    stages: Mapping[str, StageCost]  # interface stands for interface_x and so on

    @property
    def seconds(self) -> dict[str, float]:
        """Per cell, by stage, without what rows and calls take. Local."""
        return {name: cost.cell for name, cost in self.stages.items()}


@dataclass(frozen=True)
class PackingCost:
    """The time to copy pieces of fields to a message, or from it."""

    byte: float = 0.0  # s
    row: float = 0.0  # s per piece that lies in a row in memory


@dataclass(frozen=True)
class MessageCost:
    """The costs of messages of an MPI on a link, besides its latency and bandwidth."""

    send: float  # s of the processor per message
    receive: float  # s
    send_byte: float = 0.0  # s of the processor per byte
    receive_byte: float = 0.0  # s
    poll: float = 0.0  # s per call that asks what has arrived
    eager_limit: float = math.inf  # bytes: longer ones ask the receiver first
    progress: str = "background"  # who answers that: or calls
    rate: float = math.inf  # messages/s of a node
    noise: float = 0.0  # s, mean of what a message is late, exponentially distributed
    # bytes of a message and the bytes/s that it gets alone, ascending; none: the link's bandwidth
    bandwidth_by_size: tuple[tuple[float, float], ...] = ()

    def own_time(self, size: float) -> tuple[float, float]:
        """Seconds of the processor to send and to receive a message of `size` bytes. Local."""
        return self.send + size * self.send_byte, self.receive + size * self.receive_byte


@dataclass(frozen=True)
class MessageCosts:
    """The costs of one MPI: by link; and packing, which no MPI changes."""

    links: Mapping[str, MessageCost] = field(default_factory=dict)
    packing: PackingCost = PackingCost()


_STAGE: dict[str, Kind] = {"cell": "seconds", "row": "seconds", "call": "seconds"}
_PACKING: dict[str, Kind] = {"byte": "seconds per byte", "row": "seconds"}
_MESSAGE: dict[str, Kind] = {
    "send": "seconds",
    "receive": "seconds",
    "send_byte": "seconds per byte",
    "receive_byte": "seconds per byte",
    "poll": "seconds",
    "noise": "seconds",
}


def read_packing(table: Any, where: Where) -> PackingCost:
    """The table [packing]. Local; UserError with the name of what cannot be."""
    given = _known(table, where, _PACKING)
    return PackingCost(
        **{name: quantity(_PACKING[name], given[name], where.inside(name)) for name in given}
    )


def read_messages(table: Any, where: Where) -> dict[str, dict[str, MessageCost]]:
    """The tables [messages.MPI.LINK], by MPI and link. Local; UserError likewise."""
    if not isinstance(table, dict):
        raise user_error(where.name(), shown(table), "tables [messages.MPI.LINK]", "write them")
    found: dict[str, dict[str, MessageCost]] = {}
    for mpi, links in table.items():
        place = where.inside(mpi)
        links = _known(links, place, dict.fromkeys(LINKS))
        found[mpi] = {link: _message(row, place.inside(link)) for link, row in links.items()}
    return found


def _message(table: Any, where: Where) -> MessageCost:
    readers: dict[str, Callable[[Any, Where], Any]] = {
        **{name: _reader(kind) for name, kind in _MESSAGE.items()},
        "eager_limit": lambda value, place: quantity("bytes", value, place),
        "rate": lambda value, place: positive("per second", value, place),
        "progress": _progress,
        "bandwidth_by_size": _by_size,
    }
    given = _known(table, where, readers)
    for name in ("send", "receive"):
        _require_there(given, name, where)
    if "eager_limit" in given:
        _require_there(given, "progress", where)
    return MessageCost(
        **{name: readers[name](value, where.inside(name)) for name, value in given.items()}
    )


def _reader(kind: Kind) -> Callable[[Any, Where], float]:
    return lambda value, place: quantity(kind, value, place)


def _progress(value: Any, where: Where) -> str:
    if value not in PROGRESS:
        expected = '"background", or "calls" where a message moves on in calls of MPI only'
        raise user_error(where.name(), shown(value), expected, "choose one of them")
    return str(value)


def _by_size(rows: Any, where: Where) -> tuple[tuple[float, float], ...]:
    pairs = isinstance(rows, list) and rows and all(isinstance(r, list) for r in rows)
    if not pairs or any(len(row) != 2 for row in rows):
        expected = 'pairs like ["64 KiB", "80 MB/s"]: bytes of a message, bytes/s that it gets'
        raise user_error(where.name(), shown(rows), expected, "change it")
    found = tuple(
        (positive("bytes", size, where), positive("bytes per second", speed, where))
        for size, speed in rows
    )
    if [size for size, _ in found] != sorted({size for size, _ in found}):
        raise user_error(where.name(), "sizes out of order", "ascending sizes", "sort them")
    return found


def read_models(table: Any, where: Where) -> dict[str, list[ComputeCost]]:
    """The tables [[compute.MODEL]], by model. Local; UserError likewise."""
    if not isinstance(table, dict):
        raise user_error(where.name(), shown(table), "tables [[compute.MODEL]]", "write them")
    # a line would be that of the first of several tables
    return {
        model: read_costs(rows, replace(where, text="", path=(*where.path, model)))
        for model, rows in table.items()
    }


def read_costs(rows: Any, where: Where) -> list[ComputeCost]:
    """The cost of computing by the size of the box, from the tables of a model. Local."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        expected = "tables, one per size of a rank's box"
        remedy = f"write [[{where.dotted()}]] above each"
        raise user_error(where.name(), shown(rows), expected, remedy)
    return [_cost(row, where) for row in rows]


def _cost(row: Mapping[str, Any], where: Where) -> ComputeCost:
    box = row.get("box")
    if not isinstance(box, list) or len(box) not in (2, 3):
        expected = "cells along x and y, like [60, 60], or x, y and z"
        raise user_error(where.inside("box").name(), shown(box), expected, "change it")
    for cells in convert(list[int], box, where.inside("box")):
        if cells <= 0:
            raise user_error(where.inside("box").name(), shown(box), "numbers above 0", "change it")
    stages = {
        name: _stage(value, where.inside(name)) for name, value in row.items() if name != "box"
    }
    return ComputeCost(tuple(box), stages)


def _stage(value: Any, where: Where) -> StageCost:
    """Seconds per cell, or a table of what more there is."""
    if not isinstance(value, dict):
        return StageCost(positive("seconds", value, where, bare=True))
    given = _known(value, where, {**_STAGE, "rim": None, "crowded": None})
    _require_there(given, "cell", where)
    costs = {
        name: quantity(kind, given[name], where.inside(name))
        for name, kind in _STAGE.items()
        if name in given
    }
    rim = convert(int, given.get("rim", 0), where.inside("rim"))
    crowded = convert(float, given.get("crowded", 1.0), where.inside("crowded"))
    if rim < 0:
        raise user_error(where.inside("rim").name(), str(rim), "cells, 0 or more", "change it")
    if not (crowded >= 1 and math.isfinite(crowded)):
        expected = "1 or more: how many times as long, a ratio without a unit"
        raise user_error(where.inside("crowded").name(), shown(crowded), expected, "change it")
    return StageCost(**costs, rim=rim, crowded=crowded)


def interpolated(rows: Sequence[ComputeCost], box: Sequence[int]) -> ComputeCost:
    """The costs of a box between those of the next smaller and the next larger one. Local.

    In the logarithms of cells and seconds; beyond all rows the nearest counts. Of rows with as many
    cells, the one with rows of the most similar length.
    """
    cells = math.prod(box)

    def distance(row: ComputeCost) -> tuple[float, int]:
        return abs(math.log(math.prod(row.box) / cells)), abs(row.box[0] - box[0])

    smaller = [row for row in rows if math.prod(row.box) <= cells]
    larger = [row for row in rows if math.prod(row.box) >= cells]
    if not smaller or not larger:
        return min(rows, key=distance)
    low, high = min(smaller, key=distance), min(larger, key=distance)
    if math.prod(low.box) == math.prod(high.box):
        return low
    share = math.log(cells / math.prod(low.box)) / math.log(
        math.prod(high.box) / math.prod(low.box)
    )
    both = {
        name: (cost, high.stages[name]) for name, cost in low.stages.items() if name in high.stages
    }
    return ComputeCost(tuple(box), {name: _between(*pair, share) for name, pair in both.items()})


def _between(low: StageCost, high: StageCost, share: float) -> StageCost:
    def mean(one: float, other: float) -> float:
        if min(one, other) <= 0:
            return (1 - share) * one + share * other
        return math.exp((1 - share) * math.log(one) + share * math.log(other))

    return StageCost(
        mean(low.cell, high.cell),
        mean(low.row, high.row),
        mean(low.call, high.call),
        low.rim,
        mean(low.crowded, high.crowded),
    )


def _known(table: Any, where: Where, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The table, once all of its keys are known."""
    if not isinstance(table, dict):
        raise user_error(where.name(), shown(table), f"a table of {', '.join(keys)}", "change it")
    for key in table:
        if key not in keys:
            raise unknown_key(where.name(), key, keys, f"a key of [{where.dotted()}]")
    return table


def _require_there(table: Mapping[str, Any], name: str, where: Where) -> None:
    if name not in table:
        expected = f"a value in [{where.dotted()}]"
        raise user_error(where.inside(name).name(), "nothing", expected, "add it")
