"""The results of a run on the way, records and restart files, as the ranks of the model see it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import at_root
from lapwing.base.atomic_file import writing
from lapwing.core.domain import Domain
from lapwing.io.agenda import Agenda, Due
from lapwing.io.restart import write_restart
from lapwing.io.result_files import OUTPUT, POINTS, RESTART
from lapwing.io.variable_description import Description, describe_variable
from lapwing.model.model import Run
from lapwing.run.records import RecordFiles, chosen_variables
from lapwing.run.request import Setup
from lapwing.run.servers.delivery import (
    Delivery,
    from_columns,
    item_of_columns,
    partition_of_points,
)

if TYPE_CHECKING:
    from mpi4py.MPI import Comm


class OutputClock:
    """The cost of output for the model on this rank, in seconds."""

    def __init__(self, way: str) -> None:
        """Begin with nothing; `way`: how the model writes its output."""
        self.way = way
        self.keeping = 0.0  # in the time loop
        self.closing = 0.0  # after it, until the files are complete

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Count the time of a block as `keeping` or `closing`. Local."""
        began = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, part, getattr(self, part) + time.perf_counter() - began)


class Results:
    """The results of the model, kept: gathered when they are due on rank 0, which writes them.

    Collective over the model's ranks, `open` over the servers too, where there are any;
    `move_on`, `keep_good` and `leave` are local.
    """

    way = "gathering and writing"

    def __init__(self, setup: Setup, comm: Comm) -> None:
        """Sum up for the ranks of `comm`, the ranks of the model. Local."""
        self.setup, self.comm = setup, comm
        self.last_restart = ""  # the last file that is known to be good, empty without one
        self.clock = OutputClock(self.way)
        self.files: RecordFiles | None = None  # on rank 0

    def choose(self, run: Run, domain: Domain) -> None:
        """Choose what is written of a model. UserError for an unknown name."""
        self.run, self.cells = run, domain.partition
        variables = self.setup.case.output.variables
        self.chosen = chosen_variables(run, self.setup.geometry, variables)
        self.columns = self._columns(domain)

    def _columns(self, domain: Domain) -> Delivery | None:
        """The way of columns at points to rank 0, None without points."""
        points = self.setup.points
        if not points:
            return None
        fields = {name: variable.field for name, variable in self.chosen.items()}
        items = [item_of_columns(name, field) for name, field in fields.items()]
        source = from_columns(list(fields.values()), points)
        return Delivery(domain, partition_of_points(points, self.cells), items, 0, source)

    def described(self) -> Mapping[str, Description]:
        """The descriptions of the chosen variables for files. Local."""
        geometry = self.setup.geometry
        return {name: describe_variable(v, geometry) for name, v in self.chosen.items()}

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """Make the files, with the records before step `first`; lines to print on rank 0."""

        def make() -> list[str]:
            names = (OUTPUT, POINTS)
            self.files = RecordFiles(self.setup, self.run.dt, self.described(), names)
            return self.files.open(agenda, first)

        return at_root(self.comm, make) or []

    def keep(self, due: Due) -> None:
        """Keep the present state in the files in which it is due.

        Raises errors of files on all ranks; with servers later, at another call.
        """
        with self.clock.of("keeping"):
            if due.output:
                self._append(OUTPUT, {name: v.field.gather() for name, v in self.chosen.items()})
            if due.points and self.columns is not None:
                self.columns.start()
                self.columns.wait()
                self._append(POINTS, self.columns.values())
            if due.restart:
                self._keep_state()

    def _append(self, name: str, values: Mapping[str, Any]) -> None:
        def write() -> None:
            if self.files is not None:
                self.files.append(name, self.run.step_number, values)

        at_root(self.comm, write)

    def _keep_state(self) -> None:
        """Write a restart file that replaces the previous one."""
        setup, step = self.setup, self.run.step_number
        values = {name: field.gather() for name, field in self.run.state.items()}
        path = setup.out / RESTART

        def write() -> None:
            known = {name: array for name, array in values.items() if array is not None}
            with writing(path):
                write_restart(path, setup.belongs, step, known)

        at_root(self.comm, write)
        self.last_restart = f"{path}, step {step}"

    def move_on(self) -> None:
        """Move what is under way. Local, does not block."""
        return

    def close(self) -> None:
        """Finish the files. Raises, on all ranks, what happened to one."""
        with self.clock.of("closing"):
            at_root(self.comm, lambda: self.files.close() if self.files else None)

    def keep_good(self) -> None:
        """Finish the files with the records before a bad state, and find the last restart file.

        Local, as a bad state need not be known to all ranks: does not wait for any.
        """
        if self.files is not None:
            self.files.keep_good()

    def leave(self) -> None:
        """After any other error: keep the records before it, as far as this rank can. Local."""
        self.keep_good()

    def end(self, code: int) -> int:
        """Part with everybody who takes part in the output, and return the exit code of the job."""
        return code
