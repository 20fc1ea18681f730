"""The results of a run on the way, records and restart files, as the ranks of the model see it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from lapwing.base.agreement import at_root
from lapwing.base.atomic_file import writing
from lapwing.io.agenda import Agenda, Due
from lapwing.io.points import PointColumns
from lapwing.io.restart import write_restart
from lapwing.io.result_files import OUTPUT, POINTS, RESTART
from lapwing.io.variable_description import describe_variable
from lapwing.model.model import Run
from lapwing.run.records import RecordFiles, chosen_variables
from lapwing.run.request import Setup

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.core.domain import Domain


class Results(Protocol):
    """Who keeps what the model computes.

    Collective over the model's ranks, `open` over the servers too; `move_on`, `keep_good` and
    `leave` are local.
    """

    last_restart: str  # the last restart file that is known to be good, empty without one
    clock: OutputClock

    def choose(self, run: Run, domain: Domain) -> None:
        """Choose what is written of a model. UserError for an unknown name."""

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """Make the files, with the records before step `first`; lines for people, on rank 0."""
        ...

    def keep(self, due: Due) -> None:
        """Keep the state of now in the files in which it is due.

        Raises what happens to a file, on all ranks; with servers later, at another call.
        """

    def move_on(self) -> None:
        """Move what is under way. Local, does not block."""
        return

    def close(self) -> None:
        """Finish the files. Raises, on all ranks, what happened to one."""

    def keep_good(self) -> None:
        """Finish the files with the records before a bad state, and find the last restart file.

        Does not wait for ranks that do not come.
        """

    def leave(self) -> None:
        """After any other error: keep the records before it, as far as this rank can. Local."""

    def end(self, code: int) -> int:
        """Part with everybody who takes part in the output, and return the exit code of the job."""
        return code


class OutputClock:
    """What output costs the model on this rank, in seconds."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.way = "gathering and writing"  # what the model does for its output
        self.keeping = 0.0  # in the time loop
        self.closing = 0.0  # after it, until the files are complete

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Take the time of a block as that of `keeping` or `closing`. Local."""
        began = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, part, getattr(self, part) + time.perf_counter() - began)


class OwnResults(Results):
    """The model itself gathers what is due on rank 0, which writes it."""

    def __init__(self, setup: Setup, comm: Comm) -> None:
        """For the ranks of `comm`, those of the model. Local."""
        self.setup, self.comm = setup, comm
        self.last_restart = ""
        self.clock = OutputClock()
        self.files: RecordFiles | None = None  # on rank 0

    def choose(self, run: Run, domain: Domain) -> None:
        """See `Results`."""
        setup, self.run = self.setup, run
        self.chosen = chosen_variables(run, setup.geometry, setup.case.output.variables)
        fields = {name: variable.field for name, variable in self.chosen.items()}
        points = setup.points
        self.columns = PointColumns(self.comm, domain, fields, points) if points else None

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """See `Results`."""
        setup = self.setup

        def make() -> list[str]:
            described = {n: describe_variable(v, setup.geometry) for n, v in self.chosen.items()}
            self.files = RecordFiles(setup, self.run.dt, described, (OUTPUT, POINTS))
            return self.files.open(agenda, first)

        return at_root(self.comm, make) or []

    def keep(self, due: Due) -> None:
        """See `Results`."""
        with self.clock.of("keeping"):
            if due.output:
                maps = {name: v.field.gather() for name, v in self.chosen.items()}
                self._append(OUTPUT, maps)
            if due.points and self.columns is not None:
                self._append(POINTS, self.columns.gather() or {})
            if due.restart:
                self._keep_state()

    def _append(self, name: str, values: dict[str, Any]) -> None:
        def write() -> None:
            if self.files is not None:
                self.files.append(name, self.run.step_number, values)

        at_root(self.comm, write)

    def _keep_state(self) -> None:
        """Write a restart file in the place of the one before."""
        setup, step = self.setup, self.run.step_number
        values = {name: field.gather() for name, field in self.run.state.items()}
        path = setup.out / RESTART

        def write() -> None:
            known = {name: array for name, array in values.items() if array is not None}
            with writing(path):
                write_restart(path, setup.belongs, step, known)

        at_root(self.comm, write)
        self.last_restart = f"{path}, step {step}"

    def close(self) -> None:
        """See `Results`."""
        with self.clock.of("closing"):
            at_root(self.comm, lambda: self.files.close() if self.files else None)

    def keep_good(self) -> None:
        """See `Results`. Local, as a bad state need not be known to all ranks."""
        if self.files is not None:
            self.files.keep_good()

    def leave(self) -> None:
        """See `Results`."""
        self.keep_good()
