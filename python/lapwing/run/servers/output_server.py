"""An output server: a rank that receives what the model sends and keeps it in files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lapwing.base.agreement import DONE, PATIENCE, together
from lapwing.base.atomic_file import writing
from lapwing.run.servers.crew import Crew, Line, shared_out
from lapwing.run.servers.deliveries import COLUMNS, FIXED, MAPS, STATE, make_deliveries
from lapwing.run.servers.delivery import Delivery, Supply
from lapwing.core.domain import Domain
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
from lapwing.run.records import RecordFiles
from lapwing.run.request import Setup
from lapwing.io.restart import write_restart
from lapwing.io.result_files import OUTPUT, POINTS, RESTART


def serve(setup: Setup, crew: Crew) -> int:
    """Keep the results of the model until it ends; the exit code of the job.

    On a server. It does what rank 0 tells it, in that order, and never waits for anything that
    was not announced: so the end of the model, good or bad, is its end too.
    """
    return _Server(setup, crew).run()


class _Server:
    """What one server has: its files, and the deliveries that it takes part in."""

    def __init__(self, setup: Setup, crew: Crew) -> None:
        self.setup, self.crew = setup, crew
        self.line = Line(crew.control, 0)
        self.domain: Domain | None = None
        self.deliveries: dict[str, Delivery] = {}
        self.files: RecordFiles | None = None
        self.broken = False  # it could not write, and only takes what comes

    def run(self) -> int:
        """Obey until the end."""
        while not isinstance(order := self.line.hear(), End):
            if isinstance(order, Manifest):
                self.prepare(order)
            elif isinstance(order, Comes):
                self.take(order)
            elif isinstance(order, Fetch):
                self.fetch(order.record)
            elif isinstance(order, Finish):
                self.finish(order)
        if self.files is not None:
            self.files.keep_good()
        self.line.flush()
        if order.code == DONE and self.domain is not None:
            self.domain.close()
            self.crew.part()
        return order.code

    def prepare(self, manifest: Manifest) -> None:
        """Make the deliveries and the files. Collective over the world."""
        try:
            self.domain, self.deliveries = make_deliveries(self.crew, self.setup, manifest, {})
            self.boundary = manifest.boundary
            if self.boundary is not None:
                items, reader = manifest.boundary_items, self.crew.servers[-1]
                self.supply = Supply(self.domain, self.domain.partition, items, reader)
            lines = together(self.crew.world, lambda: self.open(manifest))
            self.crew.world.gather(lines)
        except Exception:
            # The ranks of the model have met it too, and will say that it is the end. Else they wait
            # for this rank, whose problem ends the job.
            self.broken = True
            if not self.line.comes_within(2 * PATIENCE):
                raise

    def open(self, manifest: Manifest) -> list[str]:
        """Make the files that are this server's, and return lines for people. Local."""
        setup, crew = self.setup, self.crew
        me = crew.servers.index(crew.world.rank)
        shares = shared_out(len(crew.servers), bool(setup.points))
        mine = [name for name, server in shares.items() if server == me]
        # there already, unless this node has a disk of its own; no trial: servers would meet in it
        with writing(setup.out):
            setup.out.mkdir(parents=True, exist_ok=True)
        self.described = manifest.described
        self.files = RecordFiles(setup, manifest.dt, manifest.described, mine)
        return self.files.open(manifest.agenda, manifest.first)

    def take(self, coming: Comes) -> None:
        """Receive what was announced, and keep it unless something has failed before."""
        delivery = self.deliveries.get(coming.delivery)  # none where it has no fields
        if delivery is not None:
            delivery.start()
            delivery.wait()
        keep = {MAPS: self.keep_maps, COLUMNS: self.keep_columns, STATE: self.keep_state}
        if coming.delivery in keep:
            self.trying(lambda: keep[coming.delivery](coming.step))

    def fetch(self, record: int) -> None:
        """Read a record of boundary values and send it; nothing of worth where it cannot be read."""
        assert self.boundary is not None
        try:
            for name, values in self.boundary.read(record).items():
                self.supply.values()[name][...] = values
            word: Fetched | Unread = Fetched()
        except Exception as problem:
            word = Unread(type(problem).__name__, str(problem))
        self.supply.start()
        self.line.tell(word)
        self.supply.wait()

    def keep_maps(self, step: int) -> None:
        """Add a record of maps, with what never changes beside it."""
        assert self.files is not None
        values = {n: a for d in (FIXED, MAPS) for n, a in self.values(d).items()}
        self.files.append(OUTPUT, step, {name: values[name] for name in self.described})

    def keep_columns(self, step: int) -> None:
        """Add a record of columns."""
        assert self.files is not None
        self.files.append(POINTS, step, self.values(COLUMNS))

    def keep_state(self, step: int) -> None:
        """Put a restart file in the place of the one before."""
        path = self.setup.out / RESTART
        with writing(path):
            write_restart(path, self.setup.belongs, step, self.values(STATE))
        self.line.tell(Kept(step))

    def values(self, delivery: str) -> dict[str, np.ndarray]:
        """What has arrived last, nothing where there is no such delivery."""
        made = self.deliveries.get(delivery)
        return dict(made.values()) if made is not None else {}

    def finish(self, order: Finish) -> None:
        """Finish the files, and say so."""
        files = self.files
        if files is not None:
            self.trying(files.close if order.good else files.keep_good)
        self.line.tell(Finished())

    def trying(self, work: Callable[[], None]) -> None:
        """Do local work; where it fails, keep the records before it and tell rank 0 once."""
        if self.broken:
            return
        try:
            work()
        except Exception as problem:
            self.broken = True
            if self.files is not None:
                self.files.keep_good()
            self.line.tell(Failed(type(problem).__name__, str(problem)))
