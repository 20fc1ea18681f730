"""Stages: a model as loops that say what they read and write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lapwing.base.error import user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Box, Extent
from lapwing.core.field import Field


class Reduction(_core.ReducedNumber):
    """The smallest or largest of the numbers that a stage's kernel returns, over all ranks.

    Local. `kind`: "minimum" or "maximum". `value` is the result of the last run of the stage, the
    same on all ranks and in all later stages; NaN before the first run, and if any number was NaN:
    NumPy's max keeps it, Python's may not. UserError for another kind.
    """

    def __init__(self, kind: str) -> None:
        """Begin without a value."""
        if kind not in ("minimum", "maximum"):
            raise user_error(
                "kind of the reduction", repr(kind), "minimum or maximum", "choose one"
            )
        super().__init__(kind == "maximum")


@dataclass(frozen=True)
class Demand:
    """The part of a halo that a number asks for; made by `as_wide_as`."""

    number: Reduction
    widths: Sequence[int]


def as_wide_as(number: Reduction, widths: Sequence[int]) -> Demand:
    """Move only as much of a halo as a number requires: `(f, around(4), as_wide_as(n, [1, 4]))`.

    Local. `number`: result of an earlier stage's reduction, in cells; `widths`: ascending; the
    least sufficient width is used, or the last, the extent's, if none suffices. For example, how
    far a semi-Lagrangian scheme looks upstream depends on the wind.
    """
    return Demand(number, widths)


# The use of a field by a stage: the field, or with how far around its cells, and in which widths.
Use = Field | tuple[Field | int | Extent | Demand, ...]


@dataclass(frozen=True)
class Stage:
    """One loop of a model: a kernel, and the fields it reads and writes.

    Local. The kernel is called as `kernel(box, *arrays)`, with the cells to compute in global
    indices, and one array per field: first `reads`, in this order, then `updates`, then fields that
    are only written, then `scatters`. An array holds the cells of the box, and for a field that is
    read with an extent the cells around it as well, so that `a[1:-1, 1:-1]` are the cells of the
    box and `a[2:, 1:-1]` their neighbours towards larger i; `a.at(x=+1)` returns the same by name.
    It is a View, read-only unless written. A kernel with an argument after `*` that is called
    `step_number` gets the number of its step, from 0, by that name, and one called `time` the time
    at which it begins, that number times the step's `dt`. A function that Numba compiles gets the
    box as tuples, (lo, hi), and plain arrays. How large the boxes are, and how often the kernel is
    called, is the strategy's choice.

    `reads`: fields, or tuples of a field and how far around each cell it is read: cells on every
    side (corners included), or Extents, as `ahead("x")` and `cross(1)` are. Several together span
    the whole rectangle: `(v, ahead("x"), behind("y"))` reads the corner (i + 1, j - 1) too, and
    `(v, cross(ahead("x"), behind("y")))` does not. `updates`: fields that it reads and writes at
    the same cell; `writes`: fields that it sets; `scatters`: a field, or a tuple as in `reads`, of
    which it writes each component at the offset that the field's `halo` of this component names,
    into halos too: these values then travel to their owners. `on`: the region that it computes, a
    Box in global indices, all cells by default; `name`: the kernel's by default; `in_any_order`: it
    may write what it reads around its cells, as any order of them gives the same result; `rim`:
    cells beyond the owned ones that it computes too, so that halos of this width need no exchange;
    `reduction`: takes the number that the kernel returns; `then`: work that all ranks do together
    once the stage is done, such as a solver, which may change owned cells of the fields that the
    stage writes. `repeats`, `while_above`, `iteration`: of a loop, see
    `repeated`. Nothing is checked before a Step is made of it.
    """

    kernel: Callable[..., object]
    reads: Sequence[Use] = ()
    writes: Sequence[Field] = ()
    scatters: Sequence[Use] = ()
    updates: Sequence[Field] = ()
    on: Box | None = None
    name: str = ""
    in_any_order: bool = False
    rim: int | Extent = 0
    reduction: Reduction | None = None
    then: Callable[[], object] | None = None
    repeats: int = 0
    while_above: float = 0.0
    iteration: int = -1

    @property
    def title(self) -> str:
        """Its name, or the name of its kernel."""
        return self.name or str(getattr(self.kernel, "__name__", type(self.kernel).__name__))


def stage(
    *,
    reads: Sequence[Use] = (),
    writes: Sequence[Field] = (),
    updates: Sequence[Field] = (),
    **options: Any,
) -> Callable[[Callable[..., object]], Stage]:
    """Make a stage of the function below: `@stage(reads=[(heat, cross(1))], writes=[next_heat])`.

    Local. Arguments are the same as for Stage. Nothing is checked before a Step is made of it.
    """
    return lambda kernel: Stage(kernel, reads, writes, updates=updates, **options)


@dataclass(frozen=True)
class WhileAbove:
    """The condition of a loop; made by `while_above`."""

    least: float


def while_above(least: float) -> WhileAbove:
    """Repeat while the number that the last stage of a loop reduces is above this.

    Local; UserError for anything but a number.
    """
    try:
        return WhileAbove(float(least))
    except (TypeError, ValueError):
        raise user_error("while_above", repr(least), "a number", "give the least value") from None


def repeated(stages: Sequence[Stage], times: int | WhileAbove) -> list[Stage]:
    """Repeat the stages `times` times, or at least once and then again `while_above(0)`.

    Local. A loop of known length, such as the barotropic steps within a baroclinic one: with
    `deep:k` it exchanges its halos once every k times, and the stages before and after it as late
    as possible; of nested loops, `deep` repeats the inner ones. With a condition it iterates until
    all ranks meet it: the last stage has a reduction, the step is run undivided, and NaN ends it;
    such loops lie apart, or one within the other. UserError unless `times` is 1 or more.
    """
    if isinstance(times, WhileAbove):
        loop, least = list(stages), float(times.least)
        ends = [replace(last, repeats=len(loop), while_above=least) for last in loop[-1:]]
        return [*loop[:-1], *ends]
    return [
        replace(stage, iteration=number) if stage.iteration < 0 else stage
        for number in range(whole_number("times to repeat", times, 1, 1_000_000))
        for stage in stages
    ]
