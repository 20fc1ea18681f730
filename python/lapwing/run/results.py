"""The results of a run on the way, records and restart files, as the ranks of the model see it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import at_root, of_root
from lapwing.core.domain import Domain
from lapwing.io.agenda import Agenda, Due
from lapwing.io.record_file import Earlier
from lapwing.io.records.layout import about_case
from lapwing.io.records.records import Restart
from lapwing.io.result_files import OUTPUT, OUTPUT_STORE, POINTS, restart_name
from lapwing.io.store.record_store import RecordStore, find_earlier_store
from lapwing.io.variable_description import Description, describe_variable
from lapwing.model.model import Run
from lapwing.run.records import RecordFiles, chosen_variables, what_is_kept
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
        in_chunks = setup.case.output.format == "zarr"
        self.clock = OutputClock("writing chunks on every rank" if in_chunks else self.way)
        self.files: RecordFiles | None = None  # on rank 0
        self.store: RecordStore | None = None  # where all ranks write the maps together
        self._former = 0  # bytes that were written on former domains

    def choose(self, run: Run, domain: Domain) -> None:
        """Choose what is written of a model. UserError for an unknown name."""
        self.run, self.model_domain, self.cells = run, domain, domain.partition
        variables = self.setup.case.output.variables
        self.chosen = chosen_variables(run, self.setup.geometry, variables)
        self.columns = self._columns(domain)
        path = self.setup.out / restart_name(self.setup.case.output.format)
        self.restart = Restart(domain, path, run.state, belongs=self.setup.belongs)

    def _columns(self, domain: Domain) -> Delivery | None:
        """The gathering of columns at points on rank 0; None if no points are named."""
        points = self.setup.points
        if not points:
            return None
        fields = {name: variable.field for name, variable in self.chosen.items()}
        items = [item_of_columns(name, field) for name, field in fields.items()]
        source = from_columns(list(fields.values()), points)
        return Delivery(domain, partition_of_points(points, self.cells), items, 0, source)

    def written(self) -> int:
        """The bytes that this rank has written, once the files are complete. Local."""
        files = self.files.files if self.files is not None else []
        sizes = [file.path.stat().st_size for file in files if file.path.is_file()]
        return sum(sizes) + self._own_bytes()

    def _own_bytes(self) -> int:
        """The bytes of stores and restarts. Local."""
        store = self.store.bytes if self.store is not None else 0
        return self._former + store + self.restart.bytes

    def move_to(self, run: Run, domain: Domain) -> None:
        """Go on with the model made again on another domain of the same ranks. Collective."""
        self._former = self._own_bytes()
        self.choose(run, domain)
        if self.store is not None:
            kept = self.store.records
            self.store.release()
            self.store = self._store_of(Earlier(self.store.path, [], kept))

    def described(self) -> Mapping[str, Description]:
        """The descriptions of the chosen variables for files. Local."""
        geometry = self.setup.geometry
        return {name: describe_variable(v, geometry) for name, v in self.chosen.items()}

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """Make the files, with the records before step `first`; lines to print on rank 0."""

        together_in_store = self.setup.case.output.format == "zarr"

        def make() -> list[str]:
            names = (POINTS,) if together_in_store else (OUTPUT, POINTS)
            self.files = RecordFiles(self.setup, self.run.dt, self.described(), names)
            return self.files.open(agenda, first)

        found = at_root(self.comm, make) or []
        return found + self._open_stores(agenda, first) if together_in_store else found

    def _open_stores(self, agenda: Agenda, first: int) -> list[str]:
        """Open the stores that all ranks write, records behind those before step `first`."""
        setup, path = self.setup, self.setup.out / OUTPUT_STORE
        earlier: Earlier | None = None
        if first > 0:
            look = partial(find_earlier_store, path, setup.belongs, agenda, first)
            earlier = of_root(self.comm, at_root(self.comm, look), "the earlier records")
        self.store = self._store_of(earlier)
        if earlier is not None:
            return what_is_kept(earlier, agenda, first)
        return [f"  note   {path} begins after step {first}"] if first > 0 else []

    def _store_of(self, earlier: Earlier | None) -> RecordStore:
        """The store of maps, with the records that `earlier` keeps. Collective."""
        return RecordStore(
            self.model_domain,
            self.setup.out / OUTPUT_STORE,
            about_case(self.setup.case, self.setup.belongs),
            self.setup.geometry,
            self.described(),
            {name: variable.field for name, variable in self.chosen.items()},
            earlier,
        )

    def keep(self, due: Due) -> None:
        """Keep the present state in the files in which it is due.

        Raises errors of files on all ranks; with servers later, at another call.
        """
        with self.clock.of("keeping"):
            if due.output:
                self._keep_maps()
            if due.points and self.columns is not None:
                self.columns.start()
                self.columns.wait()
                self._append(POINTS, self.columns.values())
            if due.restart:
                self._keep_state()

    def _keep_maps(self) -> None:
        """Add a record of whole maps."""
        if self.store is not None:
            step = self.run.step_number
            self.store.append(step * self.run.dt, step)
        else:
            chosen = self.chosen.items()
            self._append(OUTPUT, {name: variable.field.gather() for name, variable in chosen})

    def _append(self, name: str, values: Mapping[str, Any]) -> None:
        def write() -> None:
            if self.files is not None:
                self.files.append(name, self.run.step_number, values)

        at_root(self.comm, write)

    def _keep_state(self) -> None:
        """Write a restart file that replaces the previous one."""
        step = self.run.step_number
        self.restart.write(step)
        self.last_restart = f"{self.restart.path}, step {step}"

    def move_on(self) -> None:
        """Move what is under way. Local, does not block."""
        return

    def close(self) -> None:
        """Finish the files. Raises, on all ranks, what happened to one."""
        with self.clock.of("closing"):
            at_root(self.comm, lambda: self.files.close() if self.files else None)
            if self.store is not None:
                self.store.close()

    def keep_good(self) -> None:
        """Finish the files with the records before a bad state, and find the last restart file.

        Local, as a bad state need not be known to all ranks: does not wait for any.
        """
        if self.files is not None:
            self.files.keep_good()
        if self.store is not None:
            self.store.release()

    def leave(self) -> None:
        """Keep the records before any other error, as far as this rank can. Local."""
        self.keep_good()

    def end(self, code: int) -> int:
        """Finish with all ranks that take part in the output, and return the job's exit code."""
        return code
