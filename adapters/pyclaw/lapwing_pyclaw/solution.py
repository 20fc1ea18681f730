"""Solutions that are read and written as PyClaw does on one process."""

from __future__ import annotations

import copy
from typing import Any

import lapwing
from clawpack import pyclaw

from lapwing_pyclaw.geometry import Domain
from lapwing_pyclaw.state import State


class Solution(pyclaw.Solution):  # type: ignore[misc]
    """A solution of one state, of which each rank has its cells."""

    def on_one_rank(self) -> pyclaw.Solution | None:
        """PyClaw's own solution of the whole domain on rank 0, None on the others. Collective."""
        state = self.state.on_one_rank()
        return None if state is None else pyclaw.Solution(state, pyclaw.Domain([state.patch]))

    def write(self, *arguments: Any, **options: Any) -> None:
        """Let rank 0 write the whole solution, in any format of PyClaw; arguments as there.

        Collective. Raises lapwing.OutsideError on all ranks when rank 0 cannot.
        """
        whole = self.on_one_rank()
        problem = None
        if whole is not None:
            try:
                whole.write(*arguments, **options)
            except Exception as error:
                problem = f"writing a solution: {type(error).__name__}: {error}"
        if problem := self.state.patch.cut.domain.mpi.bcast(problem):
            raise lapwing.OutsideError(problem)

    def read(self, *arguments: Any, **options: Any) -> None:
        """Read a solution of one patch that PyClaw, or `write`, has written; arguments as there.

        Every rank reads the file and keeps its cells. Collective.
        """
        whole = pyclaw.Solution()
        whole.read(*arguments, **options)
        given = whole.state
        self.domain = Domain(copy.deepcopy(given.patch.dimensions))
        state = State(self.domain, given.num_eqn, given.num_aux)
        state.grid.mapc2p = given.grid.mapc2p
        state.t, state.problem_data = given.t, given.problem_data
        state.q[...] = state.patch.cut.part_of(given.q)
        if given.num_aux > 0:
            state.aux[...] = state.patch.cut.part_of(given.aux)
        self.states = [state]
