"""Lets a solver compute with the whole patch on rank 0 for once, as one process does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from clawpack import pyclaw
from lapwing.base.error import user_error


class OnTheWhole:
    """The part of a solver that lets rank 0 compute with all cells for a moment."""

    qbc: Any
    auxbc: Any
    cfl: Any
    fmod: Any
    num_ghost: int

    def make_workspace(self, state: Any) -> None:
        """Make the work arrays of PyClaw's kernels for the grid of a state. Local."""

    @contextmanager
    def on_the_whole(self, mine: Any, whole: pyclaw.State) -> Iterator[None]:
        """Within it, kernels and boundary conditions of the solver take `whole`. Local."""
        kept = self.qbc, self.auxbc, self.cfl, self.fmod
        cells = [number + 2 * self.num_ghost for number in whole.grid.num_cells]
        self.qbc = np.zeros((whole.num_eqn, *cells), order="F")
        self.auxbc = np.zeros((whole.num_aux, *cells), order="F")
        self.cfl = pyclaw.CFL(self.cfl.get_cached_max())
        self.fmod = getattr(self.fmod, "module", self.fmod)
        self.make_workspace(whole)
        try:
            yield
        finally:
            self.make_workspace(mine)
            self.qbc, self.auxbc, self.cfl, self.fmod = kept

    def of_one_process(
        self, state: Any, about: str, remedy: str, compute: Callable[[pyclaw.State], Sequence[Any]]
    ) -> Any:
        """This rank's item of what `compute` gives for the whole state on rank 0, one per rank.

        Collective. Raises lapwing.UserError about `about`, with this remedy, on all ranks where
        `compute` fails. Costs a gather of the state.
        """
        domain = state.patch.cut.domain
        whole = state.on_one_rank()
        answers: list[tuple[Any, str | None]] | None = None
        if whole is not None:
            try:
                with self.on_the_whole(state, whole):
                    answers = [(answer, None) for answer in compute(whole)]
            except Exception as error:
                answers = [(None, f"{type(error).__name__}: {error}")] * domain.ranks
        answer, problem = domain.mpi.scatter(answers)
        if problem is not None:
            raise user_error(about, problem, "a result for the whole patch on rank 0", remedy)
        return answer
