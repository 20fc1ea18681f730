"""An output server: a rank that receives what the model sends and keeps it in files."""

from __future__ import annotations

from collections.abc import Callable

from lapwing.base.agreement import DONE, PATIENCE, together
from lapwing.base.atomic_file import writing
from lapwing.run.servers.crew import Crew, Line, shared_out
from lapwing.run.servers.delivery import Delivery
from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.run.servers.orders import (
    BOUNDARY,
    FILES,
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
)
from lapwing.run.records import RecordFiles
from lapwing.run.request import Setup
from lapwing.io.restart import write_restart
from lapwing.io.result_files import RESTART


def serve(setup: Setup, crew: Crew) -> int:
    """Keep the results of the model until it ends; the exit code of the job.

    On a server. It does what rank 0 tells it, in that order, and never waits for anything that
    was not announced: so the end of the model, good or bad, is its end too.
    """
    return _Server(setup, crew).run()


class _Server:
    """The state of one server: its files, and the deliveries that it takes part in."""

    def __init__(self, setup: Setup, crew: Crew) -> None:
        self.setup, self.crew = setup, crew
        self.line = Line(crew.control, 0)
        self.domain: Domain | None = None
        self.deliveries: dict[str, Delivery] = {}
        self.files: RecordFiles | None = None
        self.broken = False  # it could not write, and only takes what comes

    def run(self) -> int:
        """Obey until the end."""
        what, about = self.line.hear()
        while what != "end":
            getattr(self, what)(*about)
            what, about = self.line.hear()
        return self.end(*about)

    def end(self, code: int) -> int:
        """Finish what can be finished, and return the exit code that rank 0 has told."""
        if self.files is not None:
            self.files.keep_good()
        self.line.flush()
        if code == DONE and self.domain is not None:
            self.domain.close()
            self.crew.part()
        return code

    def prepare(self, manifest: Manifest) -> None:
        """Make the deliveries and the files. Collective over the world."""
        try:
            self.domain, self.deliveries = make_deliveries(self.crew, self.setup, manifest, {})
            self.boundary = manifest.boundary
            lines = together(self.crew.world, lambda: self.open(manifest))
            self.crew.world.gather(lines)
        except Exception:
            # The ranks of the model have met it too, and will say that it is the end. Else they wait
            # for this rank, whose problem ends the job.
            self.broken = True
            if not self.line.comes_within(2 * PATIENCE):
                raise

    def open(self, manifest: Manifest) -> list[str]:
        """Make the files of this server, and return readable lines. Local."""
        setup, crew = self.setup, self.crew
        me = crew.servers.index(crew.world.rank)
        shares = shared_out(len(crew.servers), bool(setup.points))
        mine = [name for name, server in shares.items() if server == me]
        # there already, unless this node has a disk of its own; no trial: servers would meet in it
        with writing(setup.out):
            setup.out.mkdir(parents=True, exist_ok=True)
        self.described = manifest.described
        self.files = RecordFiles(setup, manifest.dt, manifest.described, mine, self.tell_alive)
        return self.files.open(manifest.agenda, manifest.first)

    def take(self, name: str, step: int) -> None:
        """Receive what all ranks of the model send, and keep it unless something failed before."""
        delivery = self.deliveries.get(name)  # none where it has no fields
        if delivery is not None:
            delivery.start()
            delivery.wait()
        if name != FIXED:  # this one is written with the maps
            self.trying(lambda: self.keep(name, step))

    def fetch(self, record: int) -> None:
        """Read a record of boundary values and send it; nothing of worth where it cannot be read."""
        assert self.boundary is not None
        supply = self.deliveries[BOUNDARY]
        try:
            for name, values in self.boundary.read(record).items():
                supply.values()[name][...] = values
            word: Fetched | Unread = Fetched()
        except Exception as problem:
            word = Unread(type(problem).__name__, str(problem))
        supply.start()
        self.line.tell(word)
        supply.wait()

    def keep(self, delivery: str, step: int) -> None:
        """Add what has arrived to its file, or put it in the place of the restart file before."""
        parts = (FIXED, MAPS) if delivery == MAPS else (delivery,)
        arrived = [self.deliveries[part].values() for part in parts if part in self.deliveries]
        values = {name: array for part in arrived for name, array in part.items()}
        if delivery != STATE:
            assert self.files is not None
            ordered = {name: values[name] for name in self.described}
            self.files.append(FILES[delivery], step, ordered)
            return
        path = self.setup.out / RESTART
        with writing(path):
            write_restart(path, self.setup.belongs, step, values)
        self.line.tell(Kept(step))

    def finish(self, good: bool) -> None:
        """Finish the files, as nothing more comes, and say so; not `good`: the state is bad."""
        files = self.files
        if files is not None:
            self.trying(files.close if good else files.keep_good)
        self.line.tell(Finished())

    def tell_alive(self) -> None:
        """Answer ranks that wait for this one, and whose watchdogs ask whether it works. Local."""
        me = self.crew.world.rank
        _core.answer_roll_call(_core.Occupation.works, f"rank {me}, an output server, writes")

    def trying(self, work: Callable[[], None]) -> None:
        """Do local work; if it fails, keep the records before it and tell rank 0 once."""
        if self.broken:
            return
        try:
            self.tell_alive()
            work()
            self.tell_alive()
        except Exception as problem:
            self.broken = True
            if self.files is not None:
                self.files.keep_good()
            self.line.tell(Failed(type(problem).__name__, str(problem)))
