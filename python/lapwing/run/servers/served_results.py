"""The results of a run that servers keep, as the ranks of the model see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import DONE, all_came, raise_again, together
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.io.agenda import Agenda, Due
from lapwing.io.boundary_values import boundary_values_of
from lapwing.io.result_files import RESTART
from lapwing.model.model import Variable
from lapwing.run.request import Setup
from lapwing.run.results import Results
from lapwing.run.servers.crew import Crew, Line, pause
from lapwing.run.servers.deliveries import COLUMNS, FIXED, MAPS, STATE, make_deliveries, server_of
from lapwing.run.servers.delivery import (
    Delivery,
    Item,
    Source,
    Supply,
    from_columns,
    from_fields,
    item_of_columns,
    item_of_map,
)
from lapwing.run.servers.orders import (
    Comes,
    End,
    Failed,
    Fetch,
    Fetched,
    Finish,
    Finished,
    Kept,
    Manifest,
    Unread,
)

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

_KINDS = {"single": "float32", "double": "float64"}  # of values in output.nc


class ServedResults(Results):
    """The model copies what is due, sends it on its way to a server, and goes on.

    Rank 0 announces each delivery to its server, so that a server never waits for a message that
    does not come. What servers have to say is taken up at every `keep`, by all ranks alike.
    """

    def __init__(self, setup: Setup, crew: Crew, comm: Comm) -> None:
        """For the ranks of `comm`, those of the model. Local."""
        count = len(crew.servers)
        self.way = f"copying, and handing over to {count} server rank{'s' if count > 1 else ''}"
        super().__init__(setup, comm)
        self.crew = crew
        root = comm.rank == 0
        self.lines = {s: Line(crew.control, s) for s in crew.servers} if root else {}
        self.domain: Domain | None = None
        self.deliveries: dict[str, Delivery] = {}
        self.records: ServedRecords | None = None  # of boundary values, where they change in time

    def _columns(self, domain: Domain) -> None:
        """See `Results`: the way to a server is among its deliveries."""

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """See `Results`. Collective over the world: the servers come when they are told."""
        manifest, sources = self._manifest(agenda, first)
        for line in self.lines.values():
            line.tell(manifest)
        self.domain, self.deliveries = make_deliveries(self.crew, self.setup, manifest, sources)
        boundary = boundary_values_of(self.run)
        if boundary is not None:
            reader = self.crew.servers[-1]
            cells, items = self.domain.partition, manifest.boundary_items
            supply = Supply(self.domain, cells, items, reader, boundary.slots)
            boundary.source = self.records = ServedRecords(self, supply, reader)
        together(self.crew.world, lambda: None)  # the servers open their files
        found = self.crew.world.gather(self._crowding())
        return [line for lines in found or [] for line in lines]

    def _crowding(self) -> list[str]:
        """A line on cores that the model has to share with its servers, on rank 0. Local."""
        domain = self.domain
        if domain is None or not domain.oversubscribed or not self.lines:
            return []
        where = f"{domain.ranks_on_node} ranks on {domain.cores} cores, servers among them"
        return [f"  note   {where}: what these need to write is missing to the model"]

    def _manifest(self, agenda: Agenda, first: int) -> tuple[Manifest, dict[str, Source]]:
        setup = self.setup
        kind = _KINDS[setup.case.output.precision]
        fixed, maps = _fields(self.chosen, fixed=True), _fields(self.chosen, fixed=False)
        every = {name: variable.field for name, variable in self.chosen.items()}
        state = dict(self.run.state)
        items: dict[str, list[Item]] = {
            FIXED: [item_of_map(name, field, kind) for name, field in fixed.items()],
            MAPS: [item_of_map(name, field, kind) for name, field in maps.items()],
            STATE: [item_of_map(name, field) for name, field in state.items()],
        }
        sources = {
            FIXED: from_fields(list(fixed.values())),
            MAPS: from_fields(list(maps.values())),
            STATE: from_fields(list(state.values())),
        }
        if setup.points:
            items[COLUMNS] = [item_of_columns(name, field) for name, field in every.items()]
            sources[COLUMNS] = from_columns(list(every.values()), setup.points)
        boxes = [(int(s.rank), _three(s.box.lo), _three(s.box.hi)) for s in self.cells.subdomains]
        manifest = Manifest(boxes, self.described(), items, self.run.dt, agenda, first)
        boundary = boundary_values_of(self.run)
        if boundary is None:
            return manifest, sources
        fields = tuple(item_of_map(name, field) for name, field in boundary.slots[0].items())
        return replace(manifest, boundary=boundary.file, boundary_items=fields), sources

    def keep(self, due: Due) -> None:
        """See `Results`."""
        with self.clock.of("keeping"):
            if due.output:
                if FIXED in self.deliveries and self.deliveries[FIXED].started == 0:
                    self._send(FIXED)
                self._send(MAPS)
            if due.points:
                self._send(COLUMNS)
            if due.restart:
                self._send(STATE)
            heard = [word for line in self.lines.values() for word in line.all_heard()]
            self.take_up(self._without_answers(heard))

    def _send(self, name: str) -> None:
        """Announce a delivery and send it on its way; waits where the former one has not arrived.

        One without fields is announced only: what never changes makes a record too.
        """
        if self.lines:
            line = self.lines[server_of(name, self.crew, self.setup)]
            line.tell(Comes(name, self.run.step_number))
        if name in self.deliveries:
            self.deliveries[name].start()

    def _without_answers(self, heard: list[Any]) -> list[Any]:
        """What was heard, but for answers about records: those wait for their `deliver`. Local."""
        return self.records.set_aside(heard) if self.records is not None else heard

    def take_up(self, heard: list[Any]) -> None:
        """Make what rank 0 has heard known to all ranks; raises what a server could not do."""
        for word in self.comm.bcast(heard):
            if isinstance(word, Kept):
                self.last_restart = f"{self.setup.out / RESTART}, step {word.step}"
            elif isinstance(word, Failed | Unread):
                raise_again(word.kind, word.text)

    def move_on(self) -> None:
        """See `Results`."""
        for delivery in self.deliveries.values():
            delivery.test()

    def close(self) -> None:
        """See `Results`."""
        with self.clock.of("closing"):
            self._finish(good=True)

    def keep_good(self) -> None:
        """See `Results`. Without all ranks nothing is done: the job will be ended."""
        if all_came(self.comm):
            self._finish(good=False)

    def _finish(self, good: bool) -> None:
        """Let what is under way arrive, and wait until the files are complete."""
        self._settle()
        for line in self.lines.values():
            line.tell(Finish(good))
        heard: list[Any] = []
        for line in self.lines.values():
            while not isinstance(word := line.hear(), Finished):
                heard.append(word)
        # rank 0 may wait for a disk: the others leave their cores to the servers meanwhile
        barrier = self.comm.Ibarrier()
        while not barrier.Test():
            pause()
        # a record that could not be read ahead was not needed any more
        self.take_up(self._without_answers(heard))

    def _settle(self) -> None:
        """Wait until nothing is under way. Local."""
        for delivery in self.deliveries.values():
            delivery.wait()
        if self.records is not None:
            self.records.wait()

    def leave(self) -> None:
        """See `Results`: the servers finish their files when they are told the end."""

    def end(self, code: int) -> int:
        """See `Results`. Where the ranks have not sent the same, a server waits: ends the job."""
        sent = [delivery.started for delivery in self.deliveries.values()]
        sent += [self.records.started] if self.records is not None else []
        if any(others != sent for others in self.comm.allgather(sent)):
            self.crew.world.Abort(code)
        self._settle()
        for line in self.lines.values():
            line.tell(End(code))
            line.flush()
        if code == DONE and self.domain is not None:
            self.domain.close()
            self.crew.part()
        return code


class ServedRecords:
    """A server reads the next record while the model goes on; see `RecordSource`."""

    def __init__(self, results: ServedResults, supply: Supply, server: int) -> None:
        """By a supply that the server has made too."""
        self._results, self._supply, self._server = results, supply, server
        # of the server, on rank 0: one for each record, as it is asked
        self._answers: list[Any] = []

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


def _fields(chosen: Mapping[str, Variable], fixed: bool) -> dict[str, Field]:
    return {name: v.field for name, v in chosen.items() if v.fixed == fixed}


def _three(index: Any) -> tuple[int, int, int]:
    return int(index[0]), int(index[1]), int(index[2])
