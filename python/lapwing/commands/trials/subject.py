"""The subject of `lapwing verify`: a case, or a model in a Python file."""

from __future__ import annotations

import ast
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

from lapwing.base.agreement import all_came, together
from lapwing.base.error import OutsideError, StateError, UserError, state_error, user_error
from lapwing.commands.trials.verification import Way
from lapwing.core import _core
from lapwing.model.model import bring_up_to_date
from lapwing.model.user_module import DEFAULT, check_file, object_of
from lapwing.run.creation import create_case_run

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.core.domain import Domain
    from lapwing.core.field import Field
    from lapwing.model.model import Run
    from lapwing.run.request import Setup

Result = TypeVar("Result")

_POLL = 0.002  # s between two looks of ranks that wait for rank 0

_FORM = "a lapwing.Step, or an object with advance(steps) and fields"


@dataclass
class Trial:
    """A model on some ranks, with one strategy and one transport. Its calls are collective."""

    fields: Mapping[str, Field]
    advance: Callable[[int], None]
    keep: Any = None  # objects that must live as long

    @property
    def step(self) -> _core.Step | None:
        """The step of its stages, if it has one. Local."""
        step = getattr(self.keep, "step", self.keep)
        return step if isinstance(step, _core.Step) else None

    @property
    def strategy(self) -> str:
        """The name of the strategy in use, "auto" while it tries strategies; "" for no step."""
        return "" if self.step is None else self.step.report.strategy

    def close(self) -> None:
        """Close the domains of its fields."""
        for domain in {id(field.domain): field.domain for field in self.fields.values()}.values():
            domain.close()


def on_rank_0(comm: Comm, work: Callable[[], Result]) -> Result | None:
    """Return what `work` returns on rank 0, None elsewhere; others sleep meanwhile. Collective.

    When it raises, all raise. Ranks that waited in MPI would take the cores from rank 0.
    """

    def work_or_sleep() -> Result | None:
        try:
            return work() if comm.rank == 0 else None
        finally:
            barrier = comm.Ibarrier()
            while not barrier.Test():
                time.sleep(_POLL)

    return together(comm, work_or_sleep)


class CaseSubject:
    """A case, from the state that one rank reaches after some steps. Local."""

    def __init__(self, setup: Setup, after: int) -> None:
        """Take a plan; `after`: steps to run on one rank before all others."""
        self.name, self.setup, self.after = setup.case.name, setup, after
        self._start: Mapping[str, NDArray[Any] | None] | None = None  # before `prepare`: at rest

    def prepare(self, comm: Comm) -> None:
        """Let rank 0 find the state to start from."""
        if self.after == 0:
            return
        from mpi4py.MPI import COMM_SELF

        self._start = on_rank_0(comm, lambda: self._developed(COMM_SELF)) or {}

    def _developed(self, alone: Comm) -> Mapping[str, NDArray[Any] | None]:
        run, domain = self._run(alone, Way("blocking", "p2p"))
        run.advance(self.after)
        try:
            run.check_state()
        except StateError as problem:
            raise state_error(
                f"{self.name}, run on one rank (--after {self.after})",
                str(problem),
                "values that are finite, as only those have bits to compare",
                "choose fewer steps (--after), or a shorter time step (--set)",
            ) from problem
        state = {name: field.gather() for name, field in run.state.items()}
        domain.close()
        return state

    def _run(self, comm: Comm, way: Way) -> tuple[Run, Domain]:
        from lapwing.core.domain import Domain  # needs MPI, which the caller has started

        setup = self.setup
        domain = Domain(setup.geometry.grid if comm.size == 1 else setup.partition, comm)
        try:
            run = create_case_run(setup, domain, **asdict(way))
        except (UserError, OutsideError):
            if all_came(comm):  # else a rank alone has met it, and the job will be ended
                domain.close()
            raise
        return run, domain

    def create(self, comm: Comm, way: Way) -> Trial:
        """Put the model on the ranks, in the state to start from."""
        run, _ = self._run(comm, way)
        if self._start is not None:
            for name, field in run.state.items():
                field.scatter(self._start.get(name))
            run.resume(self.after)
        moving = {name: v.field for name, v in run.variables.items() if not v.fixed}

        def advance(steps: int) -> None:
            run.advance(steps)
            bring_up_to_date(run)

        return Trial({**run.state, **moving}, advance, keep=run)


class FileSubject:
    """The function `model(comm, strategy, transport[, threads])` of a Python file. Local."""

    def __init__(self, path: Path) -> None:
        """Read the file; UserError when it lacks what is needed."""
        self.name = path.name
        self.model: Callable[..., Any] = object_of(str(path), Path()).value
        self.takes_threads = "threads" in inspect.signature(self.model).parameters

    def prepare(self, comm: Comm) -> None:
        """Nothing to do."""

    def create(self, comm: Comm, way: Way) -> Trial:
        """Call the file's model, and see what it returned."""
        more = {"threads": way.threads} if self.takes_threads else {}
        if way.threads > 1 and not more:
            got, expected = "none that takes threads", "model(comm, strategy, transport, threads)"
            remedy = "add the argument, and hand it to lapwing.Step(..., threads=threads)"
            raise user_error(f"function model of {self.name}", got, expected, remedy)
        made = self.model(comm, way.strategy, way.transport, **more)
        is_step = isinstance(made, _core.Step)
        advance = getattr(made, "run" if is_step else "advance", None)
        fields = _named(getattr(made.report if is_step else made, "fields", None))
        if not callable(advance) or not fields:
            raise user_error(f"what model() of {self.name} returns", repr(made), _FORM, "return it")
        for name, field in fields.items():
            if getattr(field.domain, "mpi", None) != comm:
                raise user_error(
                    f"domain of field {name} in {self.name}",
                    f"one on another communicator, of {field.domain.ranks} ranks",
                    f"one on the communicator that model() is given, of {comm.size}",
                    "pass it on: Domain(..., comm)",
                )
        return Trial(fields, advance, keep=made)


def has_function(path: Path) -> bool:
    """True if a file defines a function `model`. Local, runs nothing; UserError for no Python."""
    tree = check_file(path)
    return any(isinstance(one, ast.FunctionDef) and one.name == DEFAULT for one in tree.body)


def _named(fields: Any) -> dict[str, Field]:
    """Fields by name; a name that comes again is numbered. None of them where there are others."""
    from lapwing.core.field import Field

    given: list[tuple[str, Any]] = []
    if isinstance(fields, Mapping):
        given = [(str(name), field) for name, field in fields.items()]
    elif isinstance(fields, Iterable):
        given = [(str(getattr(field, "name", "?")), field) for field in fields]
    named: dict[str, Field] = {}
    for name, field in given:
        if not isinstance(field, Field):
            return {}
        named[name if name not in named else f"{name} ({len(named)})"] = field
    return named


Subject = CaseSubject | FileSubject
