"""The costs of the processor in a machine file: computing, packing, and calls of an MPI."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from lapwing.base.error import shown, user_error
from lapwing.base.settings import Where, convert

from lapwing_lab.machine.quantity import (
    Count,
    Pairs,
    Quantity,
    Seconds,
    SecondsPerByte,
    Size,
    Tables,
    Unread,
    Within,
)

OTHER = "other"  # the cost of stages that are not named
# the cost of all that a model does between two steps, per cell of the grid that a rank owns: only
# a message that leaves ahead of its step travels meanwhile
BETWEEN = "between_steps"

_Ratio = Within(float, 1, unit="how many times as long, ")
_SIZES = Pairs(
    Annotated[float, Quantity("bytes", positive=True)],
    Annotated[float, Quantity("bytes per second", positive=True)],
    '["64 KiB", "80 MB/s"]: bytes of a message, bytes/s that it gets',
)


@dataclass(frozen=True)
class StageCost:
    """The time of a stage: of cells, of the rows that they lie in, and of each call of a kernel."""

    cell: Seconds
    row: Seconds = 0.0  # per row of cells along x, in each layer
    call: Seconds = 0.0  # per box
    byte: SecondsPerByte = 0.0  # that no cache holds; 0: at the bandwidth of a core
    # cells along x and y that a box of a rank is computed wider, together
    rim: Annotated[int, Within(int, 0, unit="cells, ")] = 0
    # times as long where all cores of the node compute; fewer in proportion
    crowded: Annotated[float, _Ratio] = 1.0

    def widened(self, box: Sequence[int]) -> StageCost:
        """The same without rim: its cells shared among those of the box of a rank. Local."""
        wider = [cells + self.rim for cells in box[:2]]
        share = math.prod(wider) / math.prod(box[:2])
        return replace(self, cell=self.cell * share, rim=0)


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

    byte: SecondsPerByte = 0.0
    row: Seconds = 0.0  # per piece that lies in a row in memory


@dataclass(frozen=True)
class Memory:
    """What stages find in a cache, and how fast the rest of their fields comes from memory.

    With `cache`, the costs of stages are for fields in it. Without, they hold wherever fields are.
    """

    cache: Size = 0.0  # bytes that a rank has of the last one while all cores compute
    bandwidth: Annotated[float, Quantity("bytes per second", positive=True)] = math.inf  # of a node
    core_bandwidth: Annotated[float, Quantity("bytes per second", positive=True)] = math.inf
    two_streams: Unread = None  # bytes/s, as probed
    lattice_streams: Unread = None
    copy: Unread = None


@dataclass(frozen=True)
class MessageCost:
    """The costs of messages of an MPI on a link, besides its latency and bandwidth."""

    send: Seconds  # of the processor per message
    receive: Seconds
    send_byte: SecondsPerByte = 0.0  # of the processor
    receive_byte: SecondsPerByte = 0.0
    poll: Seconds = 0.0  # per call that asks what has arrived
    eager_limit: Size = math.inf  # longer ones ask the receiver first
    # who answers that: calls, where a message advances in calls of MPI only
    progress: Literal["background", "calls"] | None = None
    rate: Annotated[float, Quantity("per second", positive=True)] = math.inf  # of a node
    noise: Seconds = 0.0  # mean of what a message is late, exponentially distributed
    # bytes of a message and the bytes/s that it gets alone, ascending; none: the link's bandwidth
    bandwidth_by_size: Annotated[tuple[tuple[float, float], ...], _SIZES] = ()

    def own_time(self, size: float) -> tuple[float, float]:
        """Seconds of the processor to send and to receive a message of `size` bytes. Local."""
        return self.send + size * self.send_byte, self.receive + size * self.receive_byte


@dataclass(frozen=True)
class MessageCosts:
    """The costs of one MPI: by link; and packing, which no MPI changes."""

    links: Mapping[str, MessageCost] = field(default_factory=dict)
    packing: PackingCost = PackingCost()


Messages = dict[Literal["network", "node", "joint"], MessageCost]


def _stage(value: Any, where: Where) -> StageCost:
    """Seconds per cell, or a table of what more there is."""
    if isinstance(value, Mapping):
        return convert(StageCost, value, where)  # type: ignore[no-any-return]
    return StageCost(Quantity("seconds", positive=True, bare=True)(value, where))


def _cost(row: Any, where: Where) -> ComputeCost:
    """A table whose keys are its box and the names of stages."""
    box = row.get("box")
    if not isinstance(box, list) or len(box) not in (2, 3):
        expected = "cells along x and y, like [60, 60], or x, y and z"
        raise user_error(where.inside("box").name(), shown(box), expected, "change it")
    stages = {name: value for name, value in row.items() if name != "box"}
    return ComputeCost(
        convert(tuple[Count, ...], box, where.inside("box")),
        convert(dict[str, Annotated[StageCost, _stage]], stages, where),
    )


Costs = Annotated[tuple[ComputeCost, ...], Tables(Annotated[ComputeCost, _cost])]  # by box


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
        mean(low.byte, high.byte),
        low.rim,
        mean(low.crowded, high.crowded),
    )
