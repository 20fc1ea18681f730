"""The kernel of a stage, called with views of its fields, and errors in the words of the stage."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lapwing.base.error import user_error
from lapwing.core._core import Box, ReducedNumber
from lapwing.core.field import Field
from lapwing.core.steps.rows import is_compiled
from lapwing.core.steps.stage import Stage
from lapwing.core.steps.uses import FieldUse
from lapwing.core.steps.view import View

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass
class StepProgress:
    """The progress of a step, which its kernels' errors name, and the last of these errors."""

    begun: int = 0  # steps
    dt: float | None = None  # model time of one
    running: bool = False  # the last of them
    problem: Exception | None = None

    def moment(self, asked: Sequence[str]) -> dict[str, float]:
        """The values of the running step that kernels may ask for, by name. Local."""
        number = self.begun - 1
        known = {"step_number": number, "time": number * (self.dt or 0.0)}
        return {name: known[name] for name in asked}


class KernelCall:
    """The kernel of a stage on one of this rank's boxes, called with views of its fields. Local."""

    def __init__(
        self, stage: Stage, uses: Sequence[FieldUse], block: int, progress: StepProgress
    ) -> None:
        """Take a stage and its uses of fields; views are made at the first call for a box."""
        self._stage, self._kernel, self._block = stage.title, stage.kernel, block
        self._progress, self._reduction, self._uses = progress, stage.reduction, uses
        self._asked = asked_by(stage.kernel)
        self._domain = uses[0].field.domain
        # of a box: what the kernel is called with, the box first, once for each of its layers
        self._arguments: dict[Box, list[tuple[Any, ...]]] = {}

    def __call__(self, box: Box) -> None:
        """Compute the cells of a box. Errors of the kernel get a note with their place."""
        calls = self._arguments.get(box)
        if calls is None:
            calls = self._arguments[box] = [self._made(layer) for layer in self._layers(box)]
        domain: Any = self._domain
        moment = self._progress.moment(self._asked) if self._asked else {}
        try:
            domain._running_stage = self
            for arguments in calls:
                number = self._kernel(*arguments, **moment)
                if self._reduction is not None:
                    self._fold(self._reduction, number)
        except Exception as problem:
            problem.add_note(self._place(box))
            problem.add_note(self._table(arguments))
            self._progress.problem = problem
            raise
        finally:
            domain._running_stage = None

    def check_write(self, field: Field) -> None:
        """Raise UserError unless the stage, which is running, writes this field. Local."""
        written = [use.field.name for use in self._uses if use.written]
        if not any(use.field is field and use.written for use in self._uses):
            raise user_error(
                f"field {field.name}, written within stage {self._stage}",
                "a field that the stage does not write, so that nobody knows of it",
                f"one of its own: {', '.join(written) or 'it writes none'}",
                f"add it to the writes of stage {self._stage}, and write the array that comes",
            )

    def _fold(self, reduction: ReducedNumber, number: object) -> None:
        try:
            reduction.fold(number)  # type: ignore[arg-type]
        except TypeError:
            raise user_error(
                f"what the kernel of stage {self._stage} returns",
                "nothing" if number is None else repr(number),
                "a number for the reduction of the stage",
                "return one, or leave reduction= out",
            ) from None

    def _layers(self, box: Box) -> list[Box]:
        """The box, cut into layers of one cell along axes that arrays of a field lack. Local.

        It is thicker where it reaches into the halo of a periodic axis of one cell.
        """
        layers = [box]
        for axis in {a for use in self._uses for a in range(3) if a not in use.field.axes}:
            layers = [layer for thick in layers for layer in _cut(thick, axis)]
        return layers

    def _made(self, box: Box) -> tuple[Any, ...]:
        """The arguments for a box; functions for Numba get tuples and plain arrays. Local."""
        views = [
            View.of(use.field, self._block, box, use.reach, written=use.written)
            for use in self._uses
        ]
        if is_compiled(self._kernel):
            return (tuple(box.lo), tuple(box.hi)), *(view.plain for view in views)
        return box, *views

    def _place(self, box: Box) -> str:
        where = f", on rank {self._domain.rank} of {self._domain.ranks}"
        return f"lapwing: in stage {self._stage} of step {self._progress.begun}, {box!r}{where}"

    def _table(self, arguments: Sequence[Any]) -> str:
        """The arguments of the kernel, one by one. Local."""
        names = _parameters(self._kernel)[1:]
        rows = [("argument", "field", "shape", "read around its cells", "may be written")]
        for number, use in enumerate(self._uses):
            name = names[number] if number < len(names) else f"number {number + 2}"
            reach = str(use.extent).removeprefix("Extent(").removesuffix(")")
            around = reach if any((*use.extent.lo, *use.extent.hi)) else "no"
            shape = str(arguments[number + 1].shape)
            rows.append((name, use.field.name, shape, around, "yes" if use.written else "no"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join(f"  {line}" for line in lines)


def _cut(box: Box, axis: int) -> list[Box]:
    """A box as layers of one cell along an axis. Local."""
    layers = []
    for index in range(box.lo[axis], box.hi[axis]):
        lo, hi = list(box.lo), list(box.hi)
        lo[axis], hi[axis] = index, index + 1
        layers.append(Box(lo, hi))
    return layers


def check_arguments(stage: str, kernel: Callable[..., object], fields: Sequence[str]) -> None:
    """Raise UserError where a kernel does not take a box and an array for each field. Local."""
    try:
        signature = inspect.signature(getattr(kernel, "py_func", kernel))
    except (TypeError, ValueError):  # raised in C
        return
    try:
        signature.bind(*range(1 + len(fields)), **dict.fromkeys(asked_by(kernel), 0))
    except TypeError:
        raise user_error(
            f"kernel of stage {stage}",
            f"a function of {signature}",
            f"one of {1 + len(fields)} arguments: (box, {', '.join(fields)})",
            "take the fields that are read, in their order, then those that are only written; "
            "behind them `*, step_number, time` for the number and the time of the step",
        ) from None


def check_time(stage: str, kernel: Callable[..., object], dt: float | None) -> None:
    """Raise UserError where a kernel asks for the time and the step has no dt. Local."""
    if dt is None and "time" in asked_by(kernel):
        raise user_error(
            f"kernel of stage {stage}",
            "one that asks for the time, in a step without dt",
            "the model time of a step",
            "make it with Step(..., dt=seconds), or ask for step_number",
        )


def check_writes(stage: str, kernel: Callable[..., object], uses: Sequence[FieldUse]) -> None:
    """Raise UserError if a kernel ends with `a = ...` for an array that it writes. Local.

    That gives the name to a new array, and the field keeps its values: a mistake that nothing else
    shows.
    """
    function = getattr(kernel, "py_func", kernel)
    if not inspect.isfunction(function):
        return
    for name, use in zip(_parameters(kernel)[1:], uses, strict=False):
        if use.written and _rebound(function, name):
            raise user_error(
                f"argument {name} in the kernel of stage {stage}",
                f"{name} = ..., which names another array and leaves the field as it is",
                "its cells to be written",
                f"write {name}[...] = ...",
            )


def _rebound(function: Callable[..., object], name: str) -> bool:
    """True if what a function last does with a local name is to assign to it, not in place."""
    last, before = "", ""
    for one in dis.get_instructions(function):
        # one instruction may be about two names: STORE_FAST_LOAD_FAST
        names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
        for what, which in zip(re.findall(r"(LOAD|STORE)_FAST", one.opname), names, strict=False):
            if which == name:
                last = "in place" if what == "STORE" and before.endswith("=") else what
        before = one.argrepr if one.opname == "BINARY_OP" else ""
    return last == "STORE"


def check_order(stages: Iterable[tuple[str, Callable[..., object], Sequence[str]]]) -> None:
    """Raise UserError for arguments that are named like the fields, but in another order. Local.

    `stages`: the stages of a step, with title, kernel and names of the fields. A kernel of several
    stages is named after the fields of one of them.
    """
    uses = [(title, use, _parameters(use)[1:], list(names)) for title, use, names in stages]
    for title, kernel, named, fields in uses:
        if named == fields or sorted(named) != sorted(fields):
            continue
        if any(other == kernel and named == theirs for _, other, _, theirs in uses):
            continue
        raise user_error(
            f"kernel of stage {title}",
            f"the fields in the order {', '.join(named)}",
            f"that of the declaration, as arguments go by position: {', '.join(fields)}",
            "put the arguments in this order, or name those otherwise that mean other fields",
        )


def asked_by(kernel: Callable[..., object]) -> tuple[str, ...]:
    """The names, of `step_number` and `time`, that a kernel has after `*`. Local."""
    named = [one.name for one in _signature(kernel) if one.kind is one.KEYWORD_ONLY]
    return tuple(name for name in ("step_number", "time") if name in named)


def _signature(kernel: Callable[..., object]) -> list[inspect.Parameter]:
    """The arguments of a kernel, as far as they are known. Local."""
    try:
        return list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters.values())
    except (TypeError, ValueError):  # raised in C
        return []


def _parameters(kernel: Callable[..., object]) -> list[str]:
    """The names of a kernel's arguments that are given by position. Local."""
    return [one.name for one in _signature(kernel) if one.kind in _BY_POSITION]
