"""Records that a server has read on their way to the ranks of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lapwing.core import _core
from lapwing.run.servers.crew import Line
from lapwing.run.servers.delivery import Item, Passage, copies_of, from_fields
from lapwing.run.servers.orders import Fetch, Fetched, Unread

if TYPE_CHECKING:
    from lapwing.core.domain import Domain
    from lapwing.core.field import Field
    from lapwing.core.partition import Partition


class Requester(Protocol):
    """Who asks a server for records, and takes up what else it has to say."""

    lines: dict[int, Line]  # to each server, on rank 0

    def take_up(self, heard: list[Any]) -> None:
        """Act on the words of servers. Collective over the ranks of the model."""


class Supply(Passage):
    """Whole fields on their way from one server, as one message to each rank that owns anything."""

    def __init__(
        self,
        domain: Domain,
        partition: Partition,
        items: Sequence[Item],
        server: int,
        slots: Sequence[Mapping[str, Field]] = (),
    ) -> None:
        """Make the way, and room for what is owned. Collective; see `Passage`.

        `slots`: the fields that records are put into, on the ranks of the model.
        """

        def prepare(own: Sequence[_core.Field]) -> None:
            fields = [[slot[item.name] for item in items] for slot in slots]
            self._slots = [(one, copies_of(own, from_fields(one))) for one in fields]

        super().__init__(domain, partition, items, server, back=True, prepare=prepare)

    def put(self, slot: int) -> None:
        """Copy what has come into the owned cells of a slot. Local, on the ranks of the model."""
        fields, copies = self._slots[slot]
        for memory, cells in copies:
            np.copyto(cells, memory)
        for field in fields:
            field.modified()


class ServedRecords:
    """A server reads the next record while the model goes on; see `RecordSource`."""

    def __init__(self, results: Requester, supply: Supply, server: int) -> None:
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
        self._answers += [word for word in heard if isinstance(word, Fetched | Unread)]
        return [word for word in heard if not isinstance(word, Fetched | Unread)]

    def deliver(self, record: int, slot: int) -> None:
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
        self._supply.put(slot)

    def wait(self) -> None:
        """Wait until nothing is under way. Local."""
        self._supply.wait()

    @property
    def started(self) -> int:
        """How many records this rank has been ready to receive. Local."""
        return self._supply.started
