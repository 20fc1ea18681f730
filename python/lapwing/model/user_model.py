"""A model of the user's own: a class in a Python file or module, in the form of a shipped model.

    class Plate:
        "Heat in a plate."

        grid = (240, 160)
        dt = 0.5  # s

        def create(self, domain, **options):
            heat = domain.field("heat", units="K")
            ...
            return lapwing.Step(domain, stages, **options)

`lapwing run plate.py:Plate` runs it. It is made without arguments, or a dataclass, whose fields
are settings: the keys of `--set` and of case files that say model = "plate.py:Plate". Without
`dt`, the length of a step in s, times are numbers of steps. It may have `geometry`, a
`lapwing.model.Geometry` with mask and axes in the place of `grid`, and `case`, what a case file of
it says unless another does: {"run": {"duration": "2 h"}}. `create` is collective; all fields that
a stage writes are what a restart file holds, all fields of the stages what an output file may
hold, unless it returns an object as `lapwing.model.Run` describes, which says so itself.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lapwing.base.agreement import all_values
from lapwing.base.error import StateError, UserError, user_error
from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.fields.labels import Axis
from lapwing.core.partition import Grid
from lapwing.core.steps.step import Step
from lapwing.model.model import Geometry, Run, Variable, VerticalAxis
from lapwing.model.user_module import Named, object_of

_CREATED = "a lapwing.Step on the domain that it is given, or what lapwing.model.Run describes"
_OF_A_RUN = ("dt", "step", "variables", "state", "advance", "resume", "check_state")


@dataclasses.dataclass(frozen=True)
class _NoSettings:
    """The settings of a class that has none."""


class UserModel:
    """A user's class as the command line finds a model; see `lapwing.model.Model`. Local."""

    cases: Mapping[str, Path] = {}

    def __init__(self, text: str, folder: Path) -> None:
        """Find the class "FILE.py:CLASS" or "MODULE:CLASS"; UserError if there is none."""
        self.named = named = object_of(text, folder)
        self._made_of = text, folder
        self.made = _checked(named)
        self.name = f"{named.path.name}:{named.name}" if named.is_file else text
        self.title = (inspect.getdoc(self.made) or named.name).splitlines()[0].rstrip(".")
        has_settings = dataclasses.is_dataclass(self.made)
        self.settings: type[Any] = self.made if has_settings else _NoSettings
        if has_settings and (self.made.__doc__ or "").startswith(f"{named.name}("):
            self.title = named.name  # dataclass writes this one itself

    def __reduce__(self) -> tuple[type[UserModel], tuple[str, Path]]:
        """Let another rank find the class in its own copy of the file."""
        return UserModel, self._made_of

    def name_in(self, folder: Path) -> str:
        """The name of it in a case file in a folder. Local."""
        if not self.named.is_file:
            return self.name
        return f"{os.path.relpath(self.named.path, folder)}:{self.named.name}"

    def case(self) -> dict[str, Any]:
        """The tables that its class gives a case, a copy. Local."""
        given = getattr(self.made, "case", {})
        if not isinstance(given, Mapping) or not all(
            isinstance(t, Mapping) for t in given.values()
        ):
            expected = 'tables of a case: {"run": {"duration": "2 h"}}'
            raise user_error(f"case of {self.name}", repr(given), expected, "write it as a dict")
        return {"title": self.title, **{name: dict(table) for name, table in given.items()}}

    def geometry(self, settings: Any, folder: Path) -> Geometry:
        """The geometry of the class, or its grid with numbers of cells as axes. Local."""
        made = self._object(settings)
        own = getattr(made, "geometry", None)
        if own is None:
            return _plain_geometry(_grid_of(self.name, made.grid), not hasattr(made, "dt"))
        if not isinstance(own, Geometry):
            remedy = "make it an attribute or a property"
            raise user_error(
                f"geometry of {self.name}", repr(own), "a lapwing.model.Geometry", remedy
            )
        return own

    def create(
        self, domain: Domain, settings: Any, geometry: Geometry, *, strategy: str, transport: str
    ) -> Run:
        """Let the class put itself on the domain. Collective."""
        made = self._object(settings)
        created = made.create(domain, strategy=strategy, transport=transport)
        if isinstance(created, Step) and all(f.domain is domain for f in created.report.fields):
            return UserRun(
                created, domain, _seconds(self.name, getattr(made, "dt", 1.0)), self.name
            )
        if not isinstance(created, _core.Step) and all(hasattr(created, n) for n in _OF_A_RUN):
            return created  # type: ignore[no-any-return]
        raise user_error(
            f"what create() of {self.name} returns",
            f"{created!r}" if not isinstance(created, _core.Step) else "a step on another domain",
            _CREATED,
            "return lapwing.Step(domain, stages, strategy=strategy, transport=transport)",
        )

    def _object(self, settings: Any) -> Any:
        return self.made() if self.settings is _NoSettings else settings


def _checked(named: Named) -> Any:
    """The object of this name; UserError unless it is a class of the right form. Local."""
    made, what = named.value, f"model {named.text}"
    form = "a class with `grid` and `create(self, domain, *, strategy, transport)`"
    if not isinstance(made, type):
        function = callable(made) and hasattr(made, "__name__")
        got = f"a function {made.__name__}()" if function else repr(made)
        raise user_error(what, got, form, "docs/guide/first-model.md shows one")
    if not callable(getattr(made, "create", None)):
        raise user_error(
            what, "a class without `create`", form, "docs/guide/first-model.md shows one"
        )
    keys = (
        {field.name for field in dataclasses.fields(made)} if dataclasses.is_dataclass(made) else ()
    )
    if not any(hasattr(made, name) or name in keys for name in ("grid", "geometry")):
        raise user_error(what, "a class without `grid`", form, "say grid = (nx, ny), or a property")
    create: Any = getattr(made, "create")  # noqa: B009 (no type that is known has it)
    try:
        inspect.signature(create).bind(None, None, strategy="", transport="")
    except TypeError as problem:
        got = f"create{inspect.signature(create)}: {problem}"
        raise user_error(what, got, form, "or write def create(self, domain, **options)") from None
    return made


def _grid_of(name: str, given: Any) -> _core.Grid:
    if callable(given):
        raise user_error(
            f"grid of {name}", "a method", "a value or a property", "write @property above it"
        )
    try:
        return given if isinstance(given, _core.Grid) else Grid(given)
    except UserError as problem:
        raise UserError(f"grid of {name}: {problem}") from None


def _plain_geometry(grid: _core.Grid, counts_steps: bool) -> Geometry:
    """All cells are wet, and the axes count them. Local."""
    x, y, z = (np.arange(cells, dtype=np.float64) for cells in grid.size)
    vertical = VerticalAxis(z, z + 0.5, "1", "cell along z") if len(z) > 1 else None
    return Geometry(
        grid,  # type: ignore[arg-type]  # a Grid has no more than its base
        np.ones((len(x), len(y)), dtype=np.bool_),
        Axis(x, "1", "cell along x"),
        Axis(y, "1", "cell along y"),
        vertical,
        counts_steps,
    )


def _seconds(name: str, dt: Any) -> float:
    if isinstance(dt, bool) or not isinstance(dt, int | float) or not 0 < dt < float("inf"):
        raise user_error(f"dt of {name}", repr(dt), "the length of a step in s", "set it above 0")
    return float(dt)


class UserRun:
    """A step with the length `dt` (s) as `lapwing.model.Run` describes a model on a domain."""

    def __init__(self, step: Step, domain: Domain, dt: float, name: str) -> None:
        """Take a step; `name`: the model's name. UserError for two fields with the same name."""
        self.step, self.dt, self._domain = step, dt, domain
        twice = [
            name for name, times in Counter(f.name for f in step.report.fields).items() if times > 1
        ]
        if twice or not step.report.fields:
            raise user_error(
                f"fields of {name}",
                f"{twice[0]} twice" if twice else "none",
                "fields with a name each, as files tell them apart by it",
                "rename one" if twice else "let its stages read and write fields",
            )
        written = {
            spec.name for one in step.report.stages for _, _, writes in one for spec in writes
        }
        self.state: Mapping[str, Field] = {
            f.name: f for f in step.report.fields if f.name in written
        }
        self.variables: Mapping[str, Variable] = {
            f.name: Variable(
                f, f.units, f.long_name or f.name, f.standard_name, fixed=f.name not in written
            )
            for f in step.report.fields
            if f.spec.components == 1 and f.partition == domain.partition
        }

    @property
    def step_number(self) -> int:
        """Steps done since the start of the case."""
        return self.step.step_number

    def advance(self, steps: int) -> None:
        """Run `steps` time steps, the same on all ranks."""
        self.step.run(steps)

    def resume(self, step_number: int) -> None:
        """Go on from `step_number`."""
        self.step.step_number = step_number

    def check_state(self) -> None:
        """Raise StateError on all ranks when a value of the state is not finite. Collective."""
        mine = next(filter(None, map(_not_finite, self.state.values())), "")
        every = all_values(self._domain.mpi, mine, "the states of the other ranks")
        if found := [text for text in every if text]:
            raise StateError(f"after step {self.step_number}: {found[0]}")


def _not_finite(field: Field) -> str:
    """The first owned value that is not finite, as text; "" if all are. Local."""
    for block in range(field.core.count):
        box = field.core.owned(block)
        bad = np.argwhere(~np.isfinite(field.cells(block, box)))
        if len(bad):
            lo = [box.lo[axis] if axis < 3 else 0 for axis in field.axes]
            index = tuple(int(n) + first for n, first in zip(bad[0], lo, strict=True))
            value = float(field.cells(block, box)[tuple(bad[0])])
            return f"{field.name} is {value} at {index} on rank {field.domain.rank}"
    return ""
