"""The interface of a model, through which the command line runs it.

A model is a package that registers a `Model` under the entry-point group ``lapwing.models``.
lapwing itself imports no model.

A case file names its model, and holds the tables of the driver next to those of the model::

    model = "coast"
    title = "Kelvin wave in a channel"

    [run]                    # RunSettings of lapwing.model.case: duration, start, check_every
    duration = "10 d"

    [output]                 # OutputSettings of lapwing.model.case: every, variables, points
    every = "1 h"
    points = ["mast: 120000, 240000"]   # columns of their own, more often: points.nc
    points_every = "10 min"

    [channel]                # every other table and key belongs to `Model.settings`
    depth = 60.0

So no model uses the keys ``model``, ``title``, ``run`` and ``output``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from lapwing.base.duration import format_clock
from lapwing.base.error import StateError
from lapwing.core.fields.labels import Axis

if TYPE_CHECKING:  # a protocol needs no extension: `lapwing doctor` runs without one
    from lapwing.core._core import (
        Step,  # lapwing.Step is one; others are made in C++
    )
    from lapwing.core.domain import Domain, Field
    from lapwing.core.partition import Grid, Mask

__all__ = [
    "Axis",
    "Duration",
    "Gathered",
    "Geometry",
    "LevelTerm",
    "Model",
    "Picture",
    "Run",
    "SimulatedWork",
    "StateError",
    "Variable",
    "VerticalAxis",
    "also_called",
    "bring_up_to_date",
]

# The type of a setting that is a length of time: a float in seconds for the model, and in case
# files a number of seconds or text like "20 s", "30 min", "3h", "2 d".
Duration = Annotated[float, "duration"]


def also_called(*names: str) -> dict[str, tuple[str, ...]]:
    """Metadata of a setting: its aliases, so that messages can suggest it. Local.

    >>> @dataclass(frozen=True)
    ... class TimeSettings:
    ...     step: Duration = field(default=20.0, metadata=also_called("dt"))

    makes the message for ``--set dt=10`` ask "did you mean 'time.step'?". These names are not
    accepted: a key has one name.
    """
    return {"also_called": names}


@dataclass(frozen=True)
class LevelTerm:
    """A term of the formula of a vertical axis that is one number per level."""

    name: str  # name of its variable in files; with "_top" for the ends of layers
    values: NDArray[np.float64]  # [levels], at the centres of the layers
    tops: NDArray[np.float64]  # [levels], at the end of each layer towards higher levels
    units: str
    long_name: str


@dataclass(frozen=True)
class VerticalAxis:
    """The coordinate of the layers of fields with levels, from level 0 on, with its CF names.

    If the heights of layers follow from other variables, as in sigma layers, `formula_terms` names
    the variable of each term, except for the axis itself, whose term is `own_term`, and for terms
    in `level_terms`; these are in every file that holds a field with levels. Without `own_term` the
    axis is no term of its formula.
    """

    values: NDArray[np.float64]  # [levels], at the centres of the layers
    tops: NDArray[np.float64]  # [levels], at the end of each layer towards higher levels
    units: str  # "1", "m"
    long_name: str
    standard_name: str | None = None  # "ocean_sigma_coordinate"
    positive: Literal["up", "down"] = "up"  # where values grow to
    own_term: str = ""  # "sigma"
    formula_terms: Mapping[str, str] = field(default_factory=dict)  # {"eta": "sea_level"}
    level_terms: Mapping[str, LevelTerm] = field(default_factory=dict)  # {"b": ...}


@dataclass(frozen=True)
class Geometry:
    """The place of a case: the grid, its wet cells [nx, ny] and the axes of output files."""

    grid: Grid
    wet: NDArray[np.bool_]
    x: Axis
    y: Axis
    vertical: VerticalAxis | None = None  # for every field with as many levels
    counts_steps: bool = False  # a step has no length, so that times are told as numbers of steps
    notes: tuple[str, ...] = ()  # on how files were read; a run says each once

    @cached_property
    def mask(self) -> Mask:
        """The wet cells for what leaves land out. Local."""
        from lapwing.core.partition import Mask  # doctor reads models where no extension loads

        return Mask(self.wet)

    def time_text(self, step: int, dt: float) -> str:
        """The time after this many steps of `dt` seconds, as text. Local."""
        return f"{step} steps" if self.counts_steps else format_clock(step * dt)


@dataclass(frozen=True)
class Variable:
    """A field as it appears in a file or a picture.

    `wet` [nx, ny] says where it has a meaning; by default a centre is wet with its cell, a face and
    a corner when all cells that touch it are. A `fixed` one never changes: files hold it once. One
    `at_tops` lies between layers: its level k at the end of layer k towards higher levels.
    """

    field: Field
    units: str
    long_name: str
    standard_name: str | None = None
    wet: NDArray[np.bool_] | None = None
    fixed: bool = False
    at_tops: bool = False


Gathered = Mapping[str, NDArray[Any]]  # variables of the whole grid [nx, ny(, levels)] by name


@dataclass(frozen=True)
class Picture:
    """A picture of the end of a run, made on one rank of gathered variables.

    A map shows values [nx, ny] at cell centres, and the direction of arrows where there are any. A
    section shows values [nx, levels] of one row of cells along x, between `heights`. Values that
    are not finite are left blank.
    """

    name: str  # name of the file, without .png
    kind: Literal["map", "section"]
    title: str  # says what it shows
    units: str
    needs: tuple[str, ...]  # names of the variables that the functions read
    values: Callable[[Gathered], NDArray[Any]]
    arrows: Callable[[Gathered], tuple[NDArray[Any], NDArray[Any]]] | None = None  # along x and y
    row: int = 0  # of a section
    # of a section: [nx, levels + 1], m, of the lower end of level 0 and the upper end of each level
    heights: Callable[[Gathered], NDArray[Any]] | None = None


class Run(Protocol):
    """A model on a domain, ready to be advanced. Calls are collective unless they say otherwise.

    It may also have `pictures`, a sequence of `Picture` to draw at the end; without, a map of the
    first variable is drawn. It may have `notes`, lines printed at the start that explain the case
    as the model reads it; `show()`, if variables are copied or computed from the state: local,
    called before they are read; `initialise()`, if the initial state needs work before the first
    step: called once, except in a run that goes on from a restart file; and `boundary_values`, if
    it reads records of a file during the run, which with `--io-ranks` a server reads ahead.
    """

    @property
    def dt(self) -> float:
        """Length of a step, s. Local."""

    @property
    def step_number(self) -> int:
        """Steps done since the start of the case. Local."""

    @property
    def step(self) -> Step:
        """Times, volume and schedule of the time step. Local."""

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The variables that an output file may hold, with the variable to draw first. Local."""

    @property
    def state(self) -> Mapping[str, Field]:
        """The fields that a restart file must hold. Local."""

    def advance(self, steps: int) -> None:
        """Run `steps` time steps."""

    def resume(self, step_number: int) -> None:
        """Go on from `step_number`; the caller has put the state of that moment into `state`."""

    def check_state(self) -> None:
        """Raise StateError on all ranks when a value of the state is not finite.

        The error names step, field, global index and rank; one reduction when all is well.
        """


def bring_up_to_date(run: Run) -> None:
    """Let a run compute its variables from its state, where it does so on demand. Local."""
    show = getattr(run, "show", None)
    if show is not None:
        show()


@dataclass(frozen=True)
class SimulatedWork:
    """A work that `lapwing simulate` can run, under the name that the model's C++ registers."""

    stages: tuple[str, ...] = ()  # as their costs are named in machine files; see from_start
    # what a work like NAME-60x60, a box for each rank, tells the C++; none: there are only cases
    of_box: Mapping[str, Any] | None = None
    layers: int = 1  # of such a box, cells in a column
    # of such a box: makes its step on a domain of that grid by a strategy, and what holds it, for
    # `lapwing predict`, with exchanges of `literal` as a second argument; none: only cases are
    # predicted
    on_domain: Callable[..., Callable[[Domain, str], tuple[Step, Any]]] | None = None
    # stage and field of the halos that travel with `--set exchanges.policy=literal`; the work's C++
    # finds them as "listed" in what of_box says
    literal: tuple[tuple[str, str], ...] = ()
    # cases begin in the state that the model has on one rank after the first steps, by the names of
    # `Run.state` (and of a mapping `given`, of fields that no step changes); their stages are those
    # of that step, too
    from_start: bool = False


class Model(Protocol):
    """A model as the command line finds it. All local but `create`.

    It may also have ``inputs(settings, geometry, folder, start, duration) -> Geometry``, which
    reads what else the run of `duration` (s) from the date `start` (UTC) on needs from files, and
    returns the geometry, of a class of its own, with it.

    A model that `lapwing simulate` runs has three more: ``works``, each `SimulatedWork` by its
    name; ``simulation(settings, geometry)``, what a case tells the work of the model's name, as
    data that JSON can hold, with "work", the name of another one, and "outside", what it charges
    besides its stages, where there are such; and ``sources``, the folder with its C++: include/,
    src/, and simulate/, which registers the works (`lapwing_simulate/work.hpp`).
    """

    name: str
    title: str  # one line: the purpose of the model
    settings: type[Any]  # a dataclass (nested by TOML table) with a default and a comment per key;
    # fields are bool, int, float, Duration, str, Path, Literal["a", "b"], list[...] of these, or a
    # dataclass; `__post_init__` may raise UserError
    cases: Mapping[str, Path]  # shipped cases by name: TOML files

    def geometry(self, settings: Any, folder: Path) -> Geometry:
        """Make the grid, mask and axes; relative file names in the settings are under `folder`."""

    def create(
        self, domain: Domain, settings: Any, geometry: Geometry, *, strategy: str, transport: str
    ) -> Run:
        """Put the model on a domain, at rest; strategy and transport are passed to its Step.

        Collective. UserError on all ranks when one of them does not exist.
        """
