"""Records that a server has read on their way to the ranks of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lapwing import _core
from lapwing.agreement import together_on
from lapwing.crew import pause
from lapwing.delivery import Item, copies_of, from_fields
from lapwing.orders import Failed, Fetch, Fetched

if TYPE_CHECKING:
    from lapwing.domain import Domain
    from lapwing.field import Field
    from lapwing.partition import Partition
    from lapwing.served_results import ServedResults


class Supply:
    """Whole fields on their way from one server, as one message to each rank that owns anything.

    The way of a `Delivery` backwards.
    """

    def __init__(
        self, domain: Domain, partition: Partition, items: Sequence[Item], server: int
    ) -> None:
        """Plan the way and make the memory: what is owned, or the whole on the server.

        Collective over the domain, which holds the server too. OutsideError on all ranks when one
        has not the memory.
        """
        self._items = items
        specs = [item.spec for item in items]

        def prepare() -> tuple[_core.MessagePlan, list[_core.Field], list[_core.Field]]:
            plan = _core.gather_plan(partition, domain.rank, specs, server).reversed()
            here = domain.rank == server
            whole = [_core.Field.whole(partition.grid, spec, here) for spec in specs]
            own = [_core.Field.allocate(partition, domain.rank, spec) for spec in specs]
            return plan, own, whole

        plan, self._own, self._whole = together_on(domain, prepare)
        self._exchange = _core.Exchange.of_plan(domain, plan, self._whole, self._own)
        self._pending: _core.Pending | None = None

    def fill(self, values: Mapping[str, NDArray[Any]]) -> None:
        """Put a record into the memory of the whole. Local, on the server."""
        for item, whole in zip(self._items, self._whole, strict=True):
            item.seen(whole.array(0))[...] = values[item.name]

    def start(self) -> None:
        """Send, or be ready to receive. Local, does not block; not while one is under way."""
        self._pending = self._exchange.start()

    def wait(self) -> None:
        """Wait until nothing is under way. Local; leaves the core to others meanwhile."""
        while self._pending is not None and not self._pending.test():
            pause(short=True)
        self._pending = None

    def put(self, fields: Mapping[str, Field]) -> None:
        """Copy what has come into the owned cells of fields. Local, on the ranks of the model."""
        ordered = [fields[item.name] for item in self._items]
        for memory, cells in copies_of(self._own, from_fields(ordered)):
            np.copyto(cells, memory)
        for field in ordered:
            field.modified()


class ServedRecords:
    """A server reads the next record while the model goes on; see `RecordSource`."""

    def __init__(self, results: ServedResults, supply: Supply, server: int) -> None:
        """By a supply that the server has made too."""
        self._results, self._supply, self._server = results, supply, server
        self._answers: list[
            Any
        ] = []  # of the server, on rank 0: one for each record, as it is asked

    def fetch(self, record: int) -> None:
        """See `RecordSource`. Every rank is ready to receive before the server hears of it."""
        self._supply.start()
        if self._results.lines:
            self._results.lines[self._server].tell(Fetch(record))

    def set_aside(self, heard: list[Any]) -> list[Any]:
        """Keep what was heard of records for `deliver`, and return the rest. Local."""
        self._answers += [word for word in heard if _is_answer(word)]
        return [word for word in heard if not _is_answer(word)]

    def deliver(self, record: int, fields: Mapping[str, Field]) -> None:
        """See `RecordSource`. Raises on all ranks what the server could not read."""
        heard: list[Any] = []
        if self._results.lines:
            line = self._results.lines[self._server]
            while not self._answers:
                heard += self.set_aside([line.hear()])
            heard += self._answers
            self._answers.clear()
        self._supply.wait()
        self._results.take_up(heard)
        self._supply.put(fields)

    def wait(self) -> None:
        """Wait until nothing is under way. Local."""
        self._supply.wait()


def _is_answer(word: Any) -> bool:
    return isinstance(word, Fetched) or (isinstance(word, Failed) and word.record is not None)
