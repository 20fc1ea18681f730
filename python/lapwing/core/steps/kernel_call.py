"""The kernel of a stage, called with views of its fields, and errors in the words of the stage."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lapwing.base.error import user_error
from lapwing.core._core import Box, Extent, ReducedNumber
from lapwing.core.field import Field
from lapwing.core.steps.rows import is_compiled
from lapwing.core.steps.view import View


@dataclass
class StepProgress:
    """How far a step has come, which its kernels' errors name, and the last of these errors."""

    begun: int = 0  # steps
    running: bool = False  # the last of them
    problem: Exception | None = None


class KernelCall:
    """The kernel of a stage on one of this rank's boxes, called with views of its fields. Local."""

    def __init__(
        self,
        stage: str,
        kernel: Callable[..., object],
        reads: Sequence[tuple[Field, Extent]],
        writes: Sequence[Field],
        block: int,
        progress: StepProgress,
        reduction: ReducedNumber | None = None,
    ) -> None:
        """Take a stage's parts; views are made at the first call for a box, and kept."""
        self._stage, self._kernel, self._block = stage, kernel, block
        self._progress, self._reduction = progress, reduction
        read = [field for field, _ in reads]
        self._fields = [(field, extent, field in writes) for field, extent in reads]
        self._fields += [(field, Extent(), True) for field in writes if field not in read]
        self._domain = self._fields[0][0].domain if self._fields else None
        # of a box: what the kernel is called with, the box first
        self._arguments: dict[Box, tuple[Any, ...]] = {}

    def __call__(self, box: Box) -> None:
        """Compute the cells of a box. What the kernel raises gets a note of where that was."""
        arguments = self._arguments.get(box)
        if arguments is None:
            arguments = self._arguments[box] = self._made(box)
        domain: Any = self._domain
        try:
            if domain is not None:
                domain.running_stage = self
            number = self._kernel(*arguments)
            if self._reduction is not None:
                self._fold(self._reduction, number)
        except Exception as problem:
            problem.add_note(self._place(box))
            if self._fields:
                problem.add_note(self._table(arguments))
            self._progress.problem = problem
            raise
        finally:
            if domain is not None:
                domain.running_stage = None

    def check_write(self, field: Field) -> None:
        """Raise UserError unless the stage, which is running, writes this field. Local."""
        written = [mine.name for mine, _, writes in self._fields if writes]
        if not any(mine is field and writes for mine, _, writes in self._fields):
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

    def _made(self, box: Box) -> tuple[Any, ...]:
        """The arguments for a box; what Numba compiles gets tuples and plain arrays. Local."""
        views = [
            View.of(field, self._block, box, extent, written=written)
            for field, extent, written in self._fields
        ]
        if is_compiled(self._kernel):
            return (tuple(box.lo), tuple(box.hi)), *(view.plain for view in views)
        return box, *views

    def _place(self, box: Box) -> str:
        where = "" if self._domain is None else f", on rank {self._domain.rank}"
        where += "" if self._domain is None else f" of {self._domain.ranks}"
        return f"lapwing: in stage {self._stage} of step {self._progress.begun}, {box!r}{where}"

    def _table(self, arguments: Sequence[Any]) -> str:
        """What the kernel was given, argument by argument. Local."""
        names = _parameters(self._kernel)[1:]
        rows = [("argument", "field", "shape", "read around its cells", "may be written")]
        for number, (field, extent, written) in enumerate(self._fields):
            name = names[number] if number < len(names) else f"number {number + 2}"
            reach = str(extent).removeprefix("Extent(").removesuffix(")")
            around = reach if any((*extent.lo, *extent.hi)) else "no"
            shape = str(arguments[number + 1].shape)
            rows.append((name, field.name, shape, around, "yes" if written else "no"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join(f"  {line}" for line in lines)


def check_arguments(stage: str, kernel: Callable[..., object], fields: Sequence[str]) -> None:
    """Raise UserError where a kernel does not take a box and an array for each field. Local."""
    try:
        signature = inspect.signature(getattr(kernel, "py_func", kernel))
    except (TypeError, ValueError):  # of C
        return
    try:
        signature.bind(*range(1 + len(fields)))
    except TypeError:
        raise user_error(
            f"kernel of stage {stage}",
            f"a function of {signature}",
            f"one of {1 + len(fields)} arguments: (box, {', '.join(fields)})",
            "take the fields that are read, in their order, then those that are only written",
        ) from None


def _parameters(kernel: Callable[..., object]) -> list[str]:
    """The names of a kernel's arguments, as far as they are known. Local."""
    try:
        found = inspect.signature(getattr(kernel, "py_func", kernel)).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in found if one.kind is not one.VAR_POSITIONAL]
