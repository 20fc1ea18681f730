"""The report of a step of stages in Python."""

from __future__ import annotations

from collections.abc import Sequence

from lapwing.core import _core
from lapwing.core.field import Field
from lapwing.core.steps.tuned import TunedFile


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
