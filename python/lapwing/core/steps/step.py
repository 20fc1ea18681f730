"""Stages and steps: a model as a list of loops that say what they read and write."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lapwing.base.error import OutsideError, user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Box, Extent
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.fields.field_request import extent_of
from lapwing.core.steps.kernel_call import KernelCall, StepProgress, check_arguments
from lapwing.core.steps.reach import combined
from lapwing.core.steps.tuned import TunedFile, tuned_file
from lapwing.core.together import together_on

logger = logging.getLogger(__name__)


class Reduction(_core.ReducedNumber):
    """The smallest or largest of the numbers that a stage's kernel returns, over all ranks.

    Local. `kind`: "minimum" or "maximum". `value` is that of the last time the stage was run, the
    same on all ranks and in all later stages; NaN before the first. UserError for another kind.
    """

    def __init__(self, kind: str) -> None:
        """Begin without a value."""
        if kind not in ("minimum", "maximum"):
            raise user_error(
                "kind of the reduction", repr(kind), "minimum or maximum", "choose one"
            )
        super().__init__(kind == "maximum")


@dataclass(frozen=True)
class Stage:
    """One loop of a model: a kernel, and what it reads and writes.

    Local. The kernel is called as `kernel(box, *arrays)`, with the cells to compute in global
    indices, and one array per field: those that are read, in the order of `reads`, then those that
    are only written. An array holds the cells of the box, and for a field that is read with an
    extent the cells around it as well, so that `a[1:-1, 1:-1]` are the cells of the box and
    `a[2:, 1:-1]` their neighbours towards larger i; `a.at(x=+1)` says the same in words. It is a
    View, read-only unless written. A function that Numba compiles gets the box as tuples, (lo, hi),
    and plain arrays. How large the boxes are, and how often the kernel is called, is the strategy's
    choice.

    `reads`: fields, or tuples of a field and how far around each cell it is read: cells on every
    side (corners included), or Extents, as `ahead("x")` and `cross(1)` are. Several are together
    the whole rectangle: `(v, ahead("x"), behind("y"))` reads the corner (i + 1, j - 1) too, and
    `(v, cross(ahead("x"), behind("y")))` does not. `writes`: fields;
    `on`: the region that it computes, a Box in global indices, all cells by default; `name`: that
    of the kernel by default; `in_any_order`: it may write what it reads around its cells, as any
    order of them will do; `rim`: cells beyond the owned ones that it computes too, so that halos of
    this width need no exchange; `reduction`: takes the number that the kernel returns; `repeats`:
    so many stages up to this one are run again as long as that number is above 0; such loops lie
    apart, or one within the other. Nothing is checked before a Step is made of it.
    """

    kernel: Callable[..., object]
    reads: Sequence[Field | tuple[Field | int | Extent, ...]] = ()
    writes: Sequence[Field] = ()
    on: Box | None = None
    name: str = ""
    in_any_order: bool = False
    rim: int | Extent = 0
    reduction: Reduction | None = None
    repeats: int = 0
    iteration: int = -1

    @property
    def title(self) -> str:
        """Its name, or that of its kernel."""
        return self.name or str(getattr(self.kernel, "__name__", type(self.kernel).__name__))


def stage(
    *,
    reads: Sequence[Field | tuple[Field | int | Extent, ...]] = (),
    writes: Sequence[Field] = (),
    **options: Any,
) -> Callable[[Callable[..., object]], Stage]:
    """Make a stage of the function below: `@stage(reads=[(heat, cross(1))], writes=[next_heat])`.

    Local. What is given is that of Stage. Nothing is checked before a Step is made of it.
    """
    return lambda kernel: Stage(kernel, reads, writes, **options)


def repeated(stages: Sequence[Stage], times: int) -> list[Stage]:
    """The stages `times` times in a row, as the barotropic steps within a baroclinic one.

    Local. With `deep(k)` such a loop exchanges its halos once every k times; the stages before and
    after it as late as they can. Of loops one within the other it is the inner ones. UserError
    unless `times` is 1 or more.
    """
    return [
        replace(stage, iteration=number) if stage.iteration < 0 else stage
        for number in range(whole_number("times to repeat", times, 1, 1_000_000))
        for stage in stages
    ]


class Step(_core.Step):
    """The stages of a model, run in the order that a strategy chose, with the halos they need.

    Collective over the domain. `stages`: a list of stages; or of several such lists, for a step
    that alternates (x before y, then y before x): each `run` runs the next. `strategy`: a name out
    of `strategy_names()`, all with the same results; `transport`: out of `transport_names()`. A
    write outside the stages is announced by `field.modified()`. Raises UserError on all ranks for
    what is no stage, a field of another domain, an extent beyond the field's halo, a field that a
    stage writes and reads around itself, an unknown name, or ranks that differ. Cost: that of
    making the exchanges.
    """

    def __init__(
        self,
        domain: Domain,
        stages: Sequence[Stage] | Sequence[Sequence[Stage]],
        *,
        strategy: str = "blocking",
        transport: str = "auto",
        tuned: str | Path | None = None,
    ) -> None:
        """Check the stages, and make the schedule and its exchanges."""
        if not isinstance(domain, _core.Domain):
            raise user_error(
                "domain of the step", repr(domain), "a Domain", "pass the domain of its fields"
            )
        self._progress = StepProgress()
        self._fields: list[Field] = []
        self._calls: list[KernelCall] = []
        self._tuned: TunedFile | None = None

        def checked() -> tuple[list[str], list[list[_core.Stage]]]:
            for what, name in (("strategy", strategy), ("transport", transport)):
                if not isinstance(name, str):
                    raise user_error(what, repr(name), "text", f"choose a {what} by its name")
            self._tuned = tuned_file("tuned", tuned, strategy)
            given = _cycle_of(stages)  # once: it may be an iterator
            bound = [[self._bound(domain, stage) for stage in one] for one in given]
            return list(dict.fromkeys(stage.title for one in given for stage in one)), bound

        names, cycle = together_on(domain, checked)
        self._domain = domain
        if self._tuned is not None:
            strategy = self._tuned.look_up(domain, names, transport) or strategy
        super().__init__(domain, cycle, strategy, transport)
        logger.debug("rank %d: a step of %s, %s", domain.rank, ", ".join(names), self.strategy)

    @property
    def fields(self) -> list[Field]:
        """The fields that its stages read or write, in the order of the stages. Local."""
        return list(self._fields)

    def run(self, steps: int = 1, before_each: Callable[[], object] | None = None) -> None:
        """Run the next `steps` steps of the cycle, each after a call of `before_each`.

        That may set numbers that kernels use, a clock say, and no field. Collective; what some
        ranks alone announced as modified before is known to all. An exception of a kernel is raised
        on its rank with a note that names the stage and step; nobody catching it, the job ends.
        With `check`, all ranks raise OutsideError then, its cause the exception. Raises
        OutsideError when MPI fails. Cost: one reduction, and the messages that `volume` tells.
        """
        self._progress.problem = None
        if any(field.wrapped is not None for field in self._fields):
            together_on(self._domain, self._require_in_place)

        def begin_step() -> None:
            self._progress.begun += 1
            self._progress.running = True
            if before_each is not None:
                before_each()

        try:
            super().run(whole_number("steps to run", steps, 0, 2**31 - 1), begin_step)
        except OutsideError as agreed:
            met = self._progress.problem  # by a kernel of this rank
            if met is None or met is agreed:
                raise
            raise agreed from met
        finally:
            self._progress.running = False
        if self._tuned is not None:
            self._tuned.keep(self._domain, self.strategy, super().choice)

    def name_ranges(
        self,
        begin: Callable[[str], object] | None,
        end: Callable[[str], object] | None = None,
    ) -> None:
        """Call `begin(name)` and `end(name)` around the parts of steps, from now on.

        For tools that draw named ranges: NVTX, Caliper, Score-P. Names are those of the stages,
        "halo of u, v" while messages are packed, and "wait" while this rank has nothing else to do;
        ranges do not overlap. None, None: no more calls. Local. Cost: two calls of Python per
        range, nothing without.
        """
        self.name_ranges_by((begin, end))

    def _require_in_place(self) -> None:
        """Raise UserError where an array of the user's has moved since it was wrapped. Local."""
        for field in self._fields:
            field.require_in_place()

    @property
    def step_number(self) -> int:
        """Steps done, for kernels the number of their own step from 0. Local.

        Set it, on all ranks alike, to go on from another: the cycle then continues there, and all
        halos count as stale.
        """
        return self._progress.begun - self._progress.running

    @step_number.setter
    def step_number(self, number: int) -> None:
        self._progress.begun = whole_number("step number", number, 0)
        self.restart_at(number % self.positions)

    @property
    def choice(self) -> str:
        """What strategy "auto" took and why, or what its file says; empty without it. Local."""
        words = self._tuned.words if self._tuned is not None else ""
        return str(super().choice) or words

    def _bound(self, domain: Domain, stage: Stage) -> _core.Stage:
        """The stage as the library takes it, its kernel ready to be called on each box. Local."""
        if not isinstance(stage, Stage):
            raise user_error("stage of the step", repr(stage), "a Stage", "wrap it: Stage(kernel)")
        _check_parts(stage)
        reads, writes = _reads_of(domain, stage), _writes_of(domain, stage)
        if not reads and not writes:
            expected, remedy = "at least one", "say what the kernel reads= and writes="
            raise user_error(f"fields of stage {stage.title}", "none", expected, remedy)
        _check_in_place(stage, reads, writes)
        names = [field.name for field in dict.fromkeys([*(f for f, _ in reads), *writes])]
        check_arguments(stage.title, stage.kernel, names)
        self._fields = list(dict.fromkeys([*self._fields, *(f for f, _ in reads), *writes]))
        rim = extent_of(domain.partition.grid, stage.rim, f"rim of stage {stage.title}")
        calls = [
            KernelCall(
                stage.title, stage.kernel, reads, writes, block, self._progress, stage.reduction
            )
            for block in range(len(domain.boxes))
        ]
        self._calls += calls
        return _core.Stage(
            stage.title,
            [(field.declared, extent) for field, extent in reads],
            [field.declared for field in writes],
            calls,
            stage.on,
            bool(stage.in_any_order),
            rim,
            stage.reduction,
            whole_number(f"repeats of stage {stage.title}", stage.repeats, 0, 2**31 - 1),
            stage.iteration,
        )


def _cycle_of(stages: Any) -> list[list[Stage]]:
    """The lists of a cycle; a list of stages is a cycle of one. Local; UserError for no list."""
    given = list(stages) if isinstance(stages, Iterable) else [stages]
    if given and all(isinstance(one, list | tuple) for one in given):
        return [list(one) for one in given]
    return [given]


def _check_parts(stage: Stage) -> None:
    """Raise UserError for a kernel, reduction or region that is none. Local."""
    if not callable(stage.kernel):
        raise user_error(
            f"kernel of stage {stage.title}",
            repr(stage.kernel),
            "a function of a box and arrays",
            "pass the function itself, not what it returns",
        )
    box = "use Box((i, j, 0), (i + 1, j + 1, 1))"
    for part, given, kind, expected, remedy in (
        ("reduction", stage.reduction, Reduction, "a Reduction", "pass Reduction('maximum')"),
        ("region", stage.on, Box, "a Box of global indices", box),
    ):
        if not isinstance(given, kind | None):
            raise user_error(f"{part} of stage {stage.title}", repr(given), expected, remedy)


def _reads_of(domain: Domain, stage: Stage) -> list[tuple[Field, Extent]]:
    """The fields that a stage reads, each with its extent. Local; UserError for a wrong one."""
    reads: list[tuple[Field, Extent]] = []
    for read in _listed(stage, "reads", stage.reads):
        field, *reach = read if isinstance(read, tuple) and read else (read,)
        _check_field(domain, stage, "reads", field)
        if field in [known for known, _ in reads]:
            raise user_error(
                f"reads of stage {stage.title}",
                f"field {field.name} twice",
                "each once",
                "give it the extent that holds both",
            )
        what = f"extent of field {field.name} in stage {stage.title}"
        extent = combined(*(extent_of(domain.partition.grid, one, what) for one in reach))
        _check_extent(stage, field, extent)
        reads.append((field, extent))
    return reads


def _writes_of(domain: Domain, stage: Stage) -> list[Field]:
    """The fields that a stage writes. Local; UserError for a wrong one."""
    writes: list[Field] = []
    for field in _listed(stage, "writes", stage.writes):
        _check_field(domain, stage, "writes", field)
        if field in writes:
            what = f"writes of stage {stage.title}"
            raise user_error(what, f"field {field.name} twice", "each once", "leave one out")
        writes.append(field)
    return writes


def _listed(stage: Stage, what: str, given: Any) -> list[Any]:
    """What was given as a list. Local; UserError for what is none."""
    if isinstance(given, Field) or not isinstance(given, Iterable):
        raise user_error(
            f"{what} of stage {stage.title}",
            f"field {given.name}" if isinstance(given, Field) else repr(given),
            "a list of fields",
            "put it in brackets",
        )
    return list(given)


def _check_field(domain: Domain, stage: Stage, what: str, field: Any) -> None:
    """Raise UserError unless it is a field of this domain. Local."""
    if not isinstance(field, Field):
        raise user_error(
            f"{what} of stage {stage.title}",
            repr(field),
            "fields, or (field, extent) where it reads around its cells",
            "pass what domain.field() returned",
        )
    theirs = field.domain
    if theirs is not domain or field.partition != domain.partition:
        other = "another domain" if theirs is not domain else "another distribution"
        raise user_error(
            f"field {field.name} of stage {stage.title}",
            f"one of rank {theirs.rank} of {field.partition!r}, {other}",
            f"one of the step's domain, rank {domain.rank} of {domain.partition!r}",
            "make all fields of a step on the domain of the step",
        )


def _check_extent(stage: Stage, field: Field, extent: Extent) -> None:
    """Raise UserError where the field's memory ends before the stencil. Local."""
    halo = field.spec.largest_extent
    if not field.declared.has_memory:  # it will be as wide as the stages need
        halo = halo.unite(extent)
    reach, room = (*extent.lo, *extent.hi), (*halo.lo, *halo.hi)
    if any(cells < 0 for cells in reach):
        raise user_error(
            f"extent of field {field.name} in stage {stage.title}",
            repr(extent),
            "0 cells or more per side",
            "count outwards on both sides",
        )
    if any(cells > most for cells, most in zip(reach, room, strict=True)):
        raise user_error(
            f"extent of field {field.name} in stage {stage.title}",
            repr(extent),
            f"at most its halo, {halo!r}",
            "make the step before the field is used, so that it gets the halo it needs, or pass "
            f"halo={max(reach)}",
        )


def _check_in_place(
    stage: Stage, reads: Sequence[tuple[Field, Extent]], writes: Sequence[Field]
) -> None:
    """Raise UserError for a stage that overwrites what its later cells still read. Local."""
    for field, extent in reads:
        if field in writes and any((*extent.lo, *extent.hi)) and not stage.in_any_order:
            raise user_error(
                f"stage {stage.title}",
                f"field {field.name} read with {extent!r} and written in place",
                "an output that it does not read around itself",
                "write to another field, split the stage, or say in_any_order=True where any order "
                "of its cells gives the same",
            )
