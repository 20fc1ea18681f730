"""The CFL number, the largest of all ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from clawpack import pyclaw
from lapwing.base.error import user_error


class CFL(pyclaw.CFL):  # type: ignore[misc]
    """A CFL number on which ranks agree, so that step sizes are the same as on one process."""

    comm: Any = None  # of several ranks (mpi4py), from the solver's setup on

    def largest(self, mine: float, doubtful: bool) -> float | None:
        """The largest number of all ranks, None where it is doubtful on one of them.

        Collective once `comm` is set.
        """
        numbers = [(float(mine), doubtful)]
        if self.comm is not None:
            numbers = self.comm.allgather(numbers[0])
        return None if any(doubt for _, doubt in numbers) else max(number for number, _ in numbers)

    def update_global_max(self, new_local_max: float) -> None:
        """Raise it to the largest of all ranks.

        Collective once `comm` is set. Raises lapwing.UserError on all ranks where one has NaN.
        """
        if self.comm is not None:
            largest = self.largest(new_local_max, bool(np.isnan(new_local_max)))
            if largest is None:
                raise user_error(
                    "the CFL number", "NaN", "a number", "set solver.dt_initial to a smaller step"
                )
            new_local_max = largest
        super().update_global_max(new_local_max)


class Heard:
    """Stands in for a CFL number and only keeps what a kernel of PyClaw says. Local."""

    def __init__(self, known: float) -> None:
        """Answer with `known`, the number so far."""
        self.known, self.number = known, 0.0

    def get_cached_max(self) -> float:
        """The number so far."""
        return self.known

    def update_global_max(self, new_local_max: float) -> None:
        """Keep the number of this rank's cells."""
        self.number = float(new_local_max)
