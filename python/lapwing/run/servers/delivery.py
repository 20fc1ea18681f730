"""Values of fields on their way from the ranks that own them to an output server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.core import _core
from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Box, Grid, Partition, Subdomain
from lapwing.core.together import together_on
from lapwing.io.points import Point
from lapwing.run.servers.crew import ModelWatch, ServerWatch, pause


@dataclass(frozen=True)
class Item:
    """A field without its memory: enough for a server to receive it. It can be sent."""

    name: str
    kind: str  # float32, float64, int32 or int64, while it travels
    levels: int
    components: int
    location: str
    order: tuple[int, int, int, int]
    axes: tuple[int, ...]  # the axes of its arrays, out of [x, y, z, component]

    @property
    def spec(self) -> _core.FieldSpec:
        """The field as a plan knows it: without a halo, as none travels. Local."""
        extents = [_core.Extent()]
        return _core.FieldSpec(
            self.name, self.kind, extents, self.levels, self.components, self.location, self.order
        )

    def seen(self, memory: NDArray[Any]) -> NDArray[Any]:
        """An array [x, y, z, component] without the axes that this field lacks. Local."""
        return memory[tuple(slice(None) if axis in self.axes else 0 for axis in range(4))]


def item_of_map(name: str, field: Field, kind: str = "") -> Item:
    """A field of the whole grid; `kind`: the type that its values get before they leave. Local."""
    spec = field.spec
    order = tuple(spec.order)
    return Item(
        name,
        kind or spec.type,
        int(spec.levels),
        int(spec.components),
        spec.location,
        (order[0], order[1], order[2], order[3]),
        tuple(field.axes),
    )


def item_of_columns(name: str, field: Field) -> Item:
    """A column of a field at each of some points, as float64. Local."""
    levels = int(field.spec.levels)
    return Item(name, "float64", levels, 1, "center", (0, 1, 2, 3), (0, 2) if levels else (0,))


def partition_of_points(points: Sequence[Point], cells: Partition) -> Partition:
    """The points as cells of a line, each of the rank that owns it. Local."""
    shares = [
        Subdomain(point.owner(cells), Box((n, 0, 0), (n + 1, 1, 1)))
        for n, point in enumerate(points)
    ]
    return Partition(Grid((len(points),)), cells.ranks, shares)


# Views of the values of an item in a block of this rank: in the delivery's memory, and the model's.
Views = tuple[NDArray[Any], NDArray[Any]]
Source = Callable[[int, int, NDArray[Any], Box], Views]


def from_fields(fields: Sequence[Field]) -> Source:
    """The owned cells of fields. Local."""

    def views(item: int, block: int, memory: NDArray[Any], box: Box) -> Views:
        core = fields[item].core
        first = core.allocated(block).lo
        lo = [box.lo[axis] - first[axis] for axis in range(3)]
        cells = tuple(slice(lo[a], lo[a] + memory.shape[a]) for a in range(3))
        return memory, core.array(block)[cells]

    return views


def from_columns(fields: Sequence[Field], points: Sequence[Point]) -> Source:
    """The columns of fields at points. Local."""

    def views(item: int, _block: int, memory: NDArray[Any], box: Box) -> Views:
        column = fields[item][points[box.lo[0]].column]
        return memory[0, 0, :, 0], column.reshape(-1)

    return views


class Delivery:
    """Fields of the whole grid on their way between the ranks that own them and one server.

    One message for each rank that owns anything. It moves a copy: the model writes on while that
    travels. The next start waits until the previous one has arrived.
    """

    def __init__(
        self,
        domain: Domain,
        partition: Partition,
        items: Sequence[Item],
        server: int,
        source: Source | None = None,
        slots: Sequence[Mapping[str, Field]] | None = None,
    ) -> None:
        """Plan the way to the server, or back, and make the memory: the owned part, and the whole.

        Collective over the domain, which holds the server too; `partition` is the partition of the
        items. `source`: the model's values, on its ranks; `slots`: given for the way back, sets of
        fields that values are put into, on the ranks of the model. OutsideError on all ranks when
        one lacks the memory.
        """
        self.items = items
        specs = [item.spec for item in items]
        self._server, self._rank = server, int(domain.rank)
        back = slots is not None

        def plan_and_allocate() -> tuple[_core.MessagePlan, list[_core.Field], list[_core.Field]]:
            plan = _core.gather_plan(partition, domain.rank, specs, root=server)
            here = domain.rank == server
            whole = [_core.Field.whole(partition.grid, spec, here) for spec in specs]
            own = [_core.Field.allocate(partition, domain.rank, spec) for spec in specs]
            return (plan.reversed() if back else plan), own, whole

        plan, self._own, self._whole = together_on(domain, plan_and_allocate)
        ends = (self._whole, self._own) if back else (self._own, self._whole)
        self._exchange = _core.Exchange(domain, plan, *ends)
        self._pending: _core.Pending | None = None
        self.started = 0
        self.copies = [] if source is None else self._views(source)
        fields = [[slot[item.name] for item in items] for slot in slots or ()]
        self._slots = [(one, self._views(from_fields(one))) for one in fields]

    def _views(self, source: Source) -> list[Views]:
        """The deliveries of all that is owned, here and at its source."""
        return [
            source(item, block, field.array(block), field.owned(block))
            for item, field in enumerate(self._own)
            for block in range(field.count)
        ]

    def start(self) -> None:
        """Send the values of now, or be ready to receive. Local; waits for the former start."""
        self.wait()
        for target, source in self.copies:
            np.copyto(target, source, casting="same_kind")
        self._pending = self._exchange.start()
        self.started += 1

    def test(self) -> bool:
        """Advance what is under way; True if nothing is left of it. Local, does not block."""
        if self._pending is not None and self._pending.test():
            self._pending = None
        return self._pending is None

    def wait(self) -> None:
        """Wait until nothing is under way. Local; leaves the core to others meanwhile.

        The ranks of the model do so under a watchdog. No halo is under way here that needs this
        rank to move it on.
        """
        me = self._rank
        serves = me == self._server
        watch = ModelWatch(me, "values of the model") if serves else ServerWatch(me, self._server)
        while not self.test():
            pause(short=True)
            watch.look()

    def values(self) -> Mapping[str, NDArray[Any]]:
        """The whole fields by name: views of what moves. Local; nothing but on the server."""
        return {
            item.name: item.seen(whole.array(0))
            for item, whole in zip(self.items, self._whole, strict=True)
            if whole.count
        }

    def put(self, slot: int) -> None:
        """Copy what has come into the owned cells of a slot. Local, on the ranks of the model."""
        fields, copies = self._slots[slot]
        for memory, cells in copies:
            np.copyto(cells, memory)
        for field in fields:
            field.modified()
