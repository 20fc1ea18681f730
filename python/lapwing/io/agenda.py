"""Agenda: at which steps of a run something is due besides computing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lapwing.base.error import user_error

_ROUNDING = 1e-9  # share of a step: times are multiples of dt up to rounding
_MOST_STEPS = 1e12  # their times are known to a tenth of a thousandth of a step


@dataclass(frozen=True)
class Due:
    """The outputs that are due once `step` steps are done; the state is checked in any case."""

    step: int
    output: bool
    restart: bool
    points: bool = False


@dataclass(frozen=True)
class Agenda:
    """When records, restart files and checks are due. Pure numbers, the same on every rank."""

    dt: float  # length of a step, s
    duration: float  # from the start of the case to its end, s
    output_every: float  # s; 0: at the end only
    restart_every: float  # s; 0: at the end only
    check_every: int  # steps
    points_every: float | None = None  # s; 0: at the end only; None: never
    restart_at_end: bool = True

    def __post_init__(self) -> None:
        """Refuse more steps than can be counted."""
        if self.duration / self.dt > _MOST_STEPS:
            raise user_error(
                "run.duration",
                f"{self.duration / self.dt:.2g} steps of {self.dt:g} s",
                f"at most {_MOST_STEPS:.2g}",
                "run for a shorter time, or with a longer step",
            )

    @property
    def last(self) -> int:
        """Number of steps from the start of the case to its end."""
        return max(1, math.ceil(self.duration / self.dt - _ROUNDING))

    def after(self, first: int) -> Iterator[Due]:
        """Everything that is due after step `first`, in order, the end included."""
        step = first
        while step < self.last:
            output = self._next(step, self.output_every)
            restart = self._next(step, self.restart_every)
            check = min(self.last, (step // self.check_every + 1) * self.check_every)
            points = self.last if self.points_every is None else self._next(step, self.points_every)
            step = min(output, restart, check, points)
            end = step == self.last
            yield Due(
                step,
                output=end or step == output,
                restart=self.restart_at_end if end else step == restart,
                points=self.points_every is not None and step == points,
            )

    @property
    def has_restarts(self) -> bool:
        """True if restart files are due at any step."""
        return self.restart_at_end or self._next(0, self.restart_every) < self.last

    def at_points(self) -> Agenda:
        """The same with the records of points as its output. Local."""
        return replace(self, output_every=self.points_every or 0.0)

    def next_output(self, step: int) -> int:
        """The first step after `step` with a record: one that is due, or the last. Local."""
        return self._next(step, self.output_every)

    def is_output_due(self, step: int) -> bool:
        """True if there is a record of a step. Local."""
        return step == 0 or self.next_output(step - 1) == step

    def _next(self, step: int, every: float) -> int:
        """The first step after `step` that reaches a multiple of `every`; at most the last."""
        if every <= 0:
            return self.last
        reached = math.floor((step + _ROUNDING) * self.dt / every)
        due = math.ceil((reached + 1) * every / self.dt - _ROUNDING)
        return min(self.last, max(due, step + 1))
