"""Steps: the stages of a model, run in the order that a strategy chose."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from lapwing.base.error import OutsideError, user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Box
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.fields.field_request import extent_of
from lapwing.core.steps.kernel_call import (
    KernelCall,
    StepProgress,
    check_arguments,
    check_order,
    check_time,
    check_writes,
)
from lapwing.core.steps.rows import holds_lock
from lapwing.core.steps.stage import Reduction, Stage
from lapwing.core.steps.tuned import TunedFile, tuned_file
from lapwing.core.steps.uses import uses_of
from lapwing.core.together import together_on

logger = logging.getLogger(__name__)


class Step(_core.Step):
    """The stages of a model, run in the order that a strategy chose, with the halos they need.

    Collective over the domain. `stages`: a list of stages; or a list of such lists, for a step that
    alternates (x before y, then y before x): each `run` runs the next. `strategy`: a name from
    `strategy_names()`, all with the same results; `transport`: from `transport_names()`;
    `threads`: of each rank, which share the kernels (`set_threads`), as many as the domain has by
    default; `dt`: model time of a step, s, for kernels with an argument `time`, the time at which
    their step begins. A write outside the stages is announced by `field.modified()`. Raises
    UserError on all ranks for an invalid stage, a field of another domain, an extent beyond the
    field's halo, a field that a stage writes and reads around itself, an unknown name, threads that
    cannot be (`set_threads`), or ranks that differ. Cost: making the exchanges.
    """

    def __init__(
        self,
        domain: Domain,
        stages: Sequence[Stage] | Sequence[Sequence[Stage]],
        *,
        strategy: str = "blocking",
        transport: str = "auto",
        threads: int | None = None,
        tuned: str | Path | None = None,
        dt: float | None = None,
    ) -> None:
        """Check the stages, and make the schedule and its exchanges."""
        if not isinstance(domain, _core.Domain):
            raise user_error(
                "domain of the step", repr(domain), "a Domain", "pass the domain of its fields"
            )
        self._progress = StepProgress(dt=dt)
        self._fields: list[Field] = []
        self._kept: list[object] = []  # objects that the library calls
        self._arguments: list[tuple[str, Callable[..., object], list[str]]] = []
        self._tuned: TunedFile | None = None

        def checked() -> tuple[list[str], list[list[_core.Stage]]]:
            for what, name in (("strategy", strategy), ("transport", transport)):
                if not isinstance(name, str):
                    raise user_error(what, repr(name), "text", f"choose a {what} by its name")
            if dt is not None and not isinstance(dt, int | float):
                raise user_error("dt", repr(dt), "a number, s", "give the model time of a step")
            if threads is not None:
                whole_number("threads of a rank", threads, 1, 2**31 - 1)
            self._tuned = tuned_file("tuned", tuned, strategy)
            given = _cycle_of(stages)  # once: it may be an iterator
            bound = [[self._bound(domain, stage) for stage in one] for one in given]
            check_order(self._arguments)
            return list(dict.fromkeys(stage.title for one in given for stage in one)), bound

        names, cycle = together_on(domain, checked)
        self._domain = domain
        if self._tuned is not None:
            strategy = self._tuned.look_up(domain, names, transport) or strategy
        super().__init__(domain, cycle, strategy, transport, threads or 0)
        if self.report.threads > 1 and domain.rank == 0:
            self._tell_of_lock()
        logger.debug(
            "rank %d: a step of %s, %s", domain.rank, ", ".join(names), self.report.strategy
        )

    @property
    def report(self) -> StepReport:
        """The parts of the step and their cost so far. Local."""
        return StepReport(self, self._fields, self._tuned)

    def run(  # type: ignore[override]  # its own calls of `enter_step`
        self, steps: int = 1, before_each: Callable[[], object] | None = None
    ) -> None:
        """Run the next `steps` steps of the cycle, each after a call of `before_each`.

        The call may set numbers that kernels use, such as a clock, but no field. With it steps are
        run one by one: tiles of `deep:k+tiled` do not go through several. Collective; fields that
        only some ranks announced as modified before are made known to all. An exception of a kernel
        is raised on its rank with a note that names the stage and step; uncaught, it ends the job.
        With `check`, all ranks then raise OutsideError, caused by the exception. Raises
        OutsideError when MPI fails. Cost: one reduction, and the messages that `report.volume`
        tells.
        """
        self._progress.problem = None
        if any(field.wrapped is not None for field in self._fields):
            together_on(self._domain, self._require_in_place)

        begun = self._progress.begun

        def enter_step(number: int) -> None:
            self._progress.begun = begun + number + 1
            self._progress.running = True

        def call_before() -> None:
            self._progress.begun += 1
            self._progress.running = True
            if before_each is not None:
                before_each()

        count = whole_number("steps to run", steps, 0, 2**31 - 1)
        try:
            super().run(count, call_before if before_each is not None else None, enter_step)
            self._progress.begun = begun + count
        except OutsideError as agreed:
            met = self._progress.problem  # raised by a kernel of this rank
            if met is None or met is agreed:
                raise
            raise agreed from met
        finally:
            self._progress.running = False
        if self._tuned is not None:
            report = super().report
            self._tuned.keep(self._domain, report.strategy, report.choice)

    def name_ranges(
        self,
        begin: Callable[[str], object] | None,
        end: Callable[[str], object] | None = None,
    ) -> None:
        """Call `begin(name)` and `end(name)` around the parts of steps, from now on.

        For tools that draw named ranges: NVTX, Caliper, Score-P. Names are the stages' names, "halo
        of u, v" while messages are packed, and "wait" while this rank has nothing else to do;
        ranges do not overlap. None, None: no more calls. Local. Cost: two calls of Python per
        range, nothing without.
        """
        _core.name_ranges(self, (begin, end))

    def _tell_of_lock(self) -> None:
        """Warn of kernels that no second thread can run at the same time. Local."""
        held = [title for title, kernel, _ in self._arguments if holds_lock(kernel)]
        if held:
            logger.warning(
                "%d threads of each rank, but the kernels of stages %s hold Python's lock and run "
                "one at a time; compile them with numba.njit(nogil=True), or use more ranks",
                self.report.threads,
                ", ".join(dict.fromkeys(held)),
            )

    def _require_in_place(self) -> None:
        """Raise UserError where an array of the user's has moved since it was wrapped. Local."""
        for field in self._fields:
            field.require_in_place()

    @property
    def step_number(self) -> int:
        """The number of steps done; in a kernel, the number of its own step, from 0. Local.

        Set it, on all ranks alike, to continue from another step: the cycle then continues there,
        and all halos count as stale.
        """
        return self._progress.begun - self._progress.running

    @step_number.setter
    def step_number(self, number: int) -> None:
        self._progress.begun = whole_number("step number", number, 0)
        self.position = number % self.report.positions

    def _bound(self, domain: Domain, stage: Stage) -> _core.Stage:
        """The stage as the library takes it, its kernel ready to be called on each box. Local."""
        if not isinstance(stage, Stage):
            raise user_error("stage of the step", repr(stage), "a Stage", "wrap it: Stage(kernel)")
        _check_parts(stage)
        uses = uses_of(domain, stage)
        names = [use.field.name for use in uses]
        check_arguments(stage.title, stage.kernel, names)
        check_time(stage.title, stage.kernel, self._progress.dt)
        check_writes(stage.title, stage.kernel, uses)
        self._arguments.append((stage.title, stage.kernel, names))
        self._fields = list(dict.fromkeys([*self._fields, *(use.field for use in uses)]))
        boxes = range(len(domain.boxes))
        calls = [KernelCall(stage, uses, block, self._progress) for block in boxes]
        self._kept += [*calls, stage.then]
        repeats = whole_number(f"repeats of stage {stage.title}", stage.repeats, 0, 2**31 - 1)
        return _core.Stage(
            stage.title,
            [use.bound(domain) for use in uses],
            calls,
            stage.on,
            bool(stage.in_any_order),
            extent_of(domain.partition.grid, stage.rim, f"rim of stage {stage.title}"),
            stage.reduction,
            stage.then,
            repeats,
            stage.while_above,
            stage.iteration,
        )


def _cycle_of(stages: Any) -> list[list[Stage]]:
    """The lists of a cycle; a list of stages is a cycle of one. Local; UserError for no list."""
    given = list(stages) if isinstance(stages, Iterable) else [stages]
    if given and all(isinstance(one, list | tuple) for one in given):
        return [list(one) for one in given]
    return [given]


def _check_parts(stage: Stage) -> None:
    """Raise UserError for an invalid kernel, work, reduction or region. Local."""
    for what, function, wanted in (
        ("kernel", stage.kernel, "a function of a box and arrays"),
        ("then", (lambda: None) if stage.then is None else stage.then, "a function of nothing"),
    ):
        if not callable(function):
            name = f"{what} of stage {stage.title}"
            remedy = "pass the function itself, not what it returns"
            raise user_error(name, repr(function), wanted, remedy)
    box = "use Box((i, j, 0), (i + 1, j + 1, 1))"
    for part, given, kind, expected, remedy in (
        ("reduction", stage.reduction, Reduction, "a Reduction", "pass Reduction('maximum')"),
        ("region", stage.on, Box, "a Box of global indices", box),
    ):
        if not isinstance(given, kind | None):
            raise user_error(f"{part} of stage {stage.title}", repr(given), expected, remedy)


class StepReport(_core.StepReport):
    """The parts of a step and their cost so far; made by `Step.report`. All of it is local."""

    def __init__(self, step: _core.Step, fields: Sequence[Field], tuned: TunedFile | None) -> None:
        """Look at a step of these fields."""
        super().__init__(step)
        self._fields, self._tuned = fields, tuned

    @property
    def fields(self) -> list[Field]:
        """The fields that its stages read or write, in the order of the stages."""
        return list(self._fields)

    @property
    def choice(self) -> str:
        """The choice of strategy "auto" and why, or the answer of its file; empty without it."""
        words = self._tuned.words if self._tuned is not None else ""
        return str(super().choice) or words
