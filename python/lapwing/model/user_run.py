"""A step of the user's as the driver runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from lapwing.base.agreement import all_values
from lapwing.base.error import StateError, user_error
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.steps.step import Step
from lapwing.model.model import Variable


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
