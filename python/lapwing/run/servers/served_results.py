"""The results of a run that servers keep, as the ranks of the model see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import (
    DONE,
    all_came,
    all_values,
    end_job,
    of_root,
    raise_again,
    together,
)
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.io.agenda import Agenda, Due
from lapwing.io.boundary.boundary_values import BoundaryValues, boundary_values_of
from lapwing.io.result_files import RESTART
from lapwing.run.request import Setup
from lapwing.run.results import Results
from lapwing.run.servers.crew import Crew, Line, ServerWatch, pause
from lapwing.run.servers.delivery import (
    Delivery,
    Source,
    from_columns,
    from_fields,
    item_of_columns,
    item_of_map,
)
from lapwing.run.servers.orders import (
    BOUNDARY,
    COLUMNS,
    FIXED,
    MAPS,
    STATE,
    Failed,
    Fetched,
    Finished,
    Kept,
    Manifest,
    Unread,
    make_deliveries,
    server_of,
)

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

_KINDS = {"single": "float32", "double": "float64"}  # types of values in output.nc


class ServedResults(Results):
    """The model copies what is due, sends it to a server, and continues.

    Rank 0 announces each delivery to its server, so that a server never waits for a message that
    does not come. Messages of servers are received at every `keep`, on all ranks.
    """

    def __init__(self, setup: Setup, crew: Crew, comm: Comm) -> None:
        """Sum up for the ranks of `comm`, the ranks of the model. Local."""
        count = len(crew.servers)
        self.way = f"copying, and handing over to {count} server rank{'s' if count > 1 else ''}"
        super().__init__(setup, comm)
        self.crew = crew
        root = comm.rank == 0
        self.lines = {s: Line(crew.control, s) for s in crew.servers} if root else {}
        self.domain: Domain | None = None
        self.deliveries: dict[str, Delivery] = {}
        self.records: ServedRecords | None = None  # boundary values that change in time

    def _columns(self, domain: Domain) -> None:
        """See `Results`: the way to a server is among its deliveries."""

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """See `Results`. Collective over the world: the servers come when they are told."""
        boundary = boundary_values_of(self.run)
        manifest, sources = self._manifest(agenda, first, boundary)
        for line in self.lines.values():
            line.order("prepare", manifest)
        slots = boundary.slots if boundary is not None else ()
        made = make_deliveries(self.crew, self.setup, manifest, sources, slots)
        self.domain, self.deliveries = made
        if boundary is not None:
            boundary.source = self.records = ServedRecords(self)
        together(self.crew.world, lambda: None)  # the servers open their files
        found = self.crew.world.gather(self._crowding())
        return [line for lines in found or [] for line in lines]

    def _crowding(self) -> list[str]:
        """A line on cores that the model has to share with its servers, on rank 0. Local."""
        domain = self.domain
        if domain is None or not domain.node.oversubscribed or not self.lines:
            return []
        where = f"{domain.node.ranks} ranks on {domain.node.cores} cores, servers among them"
        return [f"  note   {where}: what these need to write is missing to the model"]

    def _manifest(
        self, agenda: Agenda, first: int, boundary: BoundaryValues | None
    ) -> tuple[Manifest, dict[str, Source]]:
        setup = self.setup
        every = {name: variable.field for name, variable in self.chosen.items()}
        wholes: dict[str, Mapping[str, Field]] = {
            FIXED: {name: field for name, field in every.items() if self.chosen[name].fixed},
            MAPS: {name: field for name, field in every.items() if not self.chosen[name].fixed},
            STATE: self.run.state,
            BOUNDARY: boundary.slots[0] if boundary is not None else {},
        }
        kinds = dict.fromkeys((FIXED, MAPS), _KINDS[setup.case.output.precision])
        items = {
            name: [item_of_map(own, field, kinds.get(name, "")) for own, field in fields.items()]
            for name, fields in wholes.items()
        }
        sources = {
            name: from_fields(list(fields.values()))
            for name, fields in wholes.items()
            if name != BOUNDARY
        }
        if setup.points:
            items[COLUMNS] = [item_of_columns(name, field) for name, field in every.items()]
            sources[COLUMNS] = from_columns(list(every.values()), setup.points)
        boxes = [(one.rank, one.box.lo, one.box.hi) for one in self.cells.subdomains]
        file = boundary.file if boundary is not None else None
        described = self.described()
        return Manifest(boxes, described, items, self.run.dt, agenda, first, file), sources

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
        """Announce a delivery and send it on its way; waits if the previous one has not arrived.

        A delivery without fields is only announced: fields that never change make a record too.
        """
        if self.lines:
            line = self.lines[server_of(name, self.crew, self.setup)]
            line.order("take", name, self.run.step_number)
        if name in self.deliveries:
            self.deliveries[name].start()

    def _without_answers(self, heard: list[Any]) -> list[Any]:
        """Return what was heard, except answers about records, for `deliver`. Local."""
        return self.records.set_aside(heard) if self.records is not None else heard

    def take_up(self, heard: list[Any]) -> None:
        """Make what rank 0 has heard known to all ranks; raises what a server could not do."""
        for word in of_root(self.comm, heard, "what the output servers say"):
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
            line.order("finish", good)
        heard: list[Any] = []
        for line in self.lines.values():
            while not isinstance(word := line.hear(), Finished):
                heard.append(word)
        # rank 0 may wait for a disk: other ranks leave their cores to the servers meanwhile
        barrier = self.comm.Ibarrier()
        watch = ServerWatch(self.comm.rank, self.crew.servers[0])
        while not barrier.Test():
            pause()
            watch.look()
        # a record that could not be read ahead was not needed any more
        self.take_up(self._without_answers(heard))

    def _settle(self) -> None:
        """Wait until nothing is under way. Local."""
        for delivery in self.deliveries.values():
            delivery.wait()

    def leave(self) -> None:
        """See `Results`: the servers finish their files when they are told the end."""

    def end(self, code: int) -> int:
        """See `Results`. If the ranks have not sent the same, a server waits, so the job ends."""
        sent = [delivery.started for delivery in self.deliveries.values()]
        if any(others != sent for others in all_values(self.comm, sent, "the end of the output")):
            end_job(code)
        self._settle()
        for line in self.lines.values():
            line.order("end", code)
            line.flush()
        if code == DONE and self.domain is not None:
            self.domain.close()
            self.crew.part()
        return code


class ServedRecords:
    """A server reads the next record while the model goes on; see `RecordSource`."""

    def __init__(self, results: ServedResults) -> None:
        """Take the boundary values from the delivery that the server has made too."""
        self._results, self._supply = results, results.deliveries[BOUNDARY]
        self._server = results.crew.servers[-1]
        # of the server, on rank 0: one for each record, as it is asked
        self._answers: list[Any] = []

    def fetch(self, record: int) -> None:
        """See `RecordSource`. Every rank is ready to receive before the server hears of it."""
        self._supply.start()
        if self._results.lines:
            self._results.lines[self._server].order("fetch", record)

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
