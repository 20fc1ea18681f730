"""The state of this rank's cells."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from clawpack import pyclaw
from numpy.typing import NDArray


class State(pyclaw.State):  # type: ignore[misc]
    """A state whose arrays `q` and `aux` hold the cells of this rank. Local, as PyClaw's."""

    def get_qbc_from_q(self, num_ghost: int, qbc: NDArray[np.float64]) -> NDArray[np.float64]:
        """`q` with ghost cells, those between ranks filled. Collective."""
        qbc = super().get_qbc_from_q(num_ghost, qbc)
        self.patch.cut.fill_halos(qbc, num_ghost)
        return qbc

    def get_auxbc_from_aux(self, num_ghost: int, auxbc: NDArray[np.float64]) -> Any:
        """`aux` with ghost cells, those between ranks filled. Collective."""
        auxbc = super().get_auxbc_from_aux(num_ghost, auxbc)
        self.patch.cut.fill_halos(auxbc, num_ghost)
        return auxbc

    def get_q_global(self) -> NDArray[np.float64] | None:
        """`q` of the whole patch on rank 0, None on the others. Collective."""
        return self.patch.cut.gathered(self.q)  # type: ignore[no-any-return]

    def get_aux_global(self) -> NDArray[np.float64] | None:
        """`aux` of the whole patch on rank 0, None on the others. Collective."""
        return self.patch.cut.gathered(self.aux)  # type: ignore[no-any-return]

    def sum_F(self, i: int) -> float:  # noqa: N802
        """The sum of functional `i` over all cells, added as one process adds it. Collective."""
        whole = self.patch.cut.gathered(self.F)
        total = None if whole is None else float(np.sum(np.abs(whole[i, ...])))
        return self.patch.cut.domain.mpi.bcast(total)  # type: ignore[no-any-return]

    def on_one_rank(self) -> pyclaw.State | None:
        """PyClaw's own state of the whole patch on rank 0, None on the others. Collective."""
        arrays = {
            name: self.patch.cut.gathered(values)
            for name in ("q", "aux", "p")
            if (values := getattr(self, name)) is not None
        }
        if arrays["q"] is None:
            return None
        patch = pyclaw.Patch(copy.deepcopy(self.patch.dimensions))
        patch.level, patch.patch_index = self.patch.level, self.patch.patch_index
        patch.grid.mapc2p = self.grid.mapc2p
        state = pyclaw.State(patch, self.num_eqn, self.num_aux)
        state.t, state.problem_data, state.index_capa = self.t, self.problem_data, self.index_capa
        for name, values in arrays.items():
            setattr(state, name, values)
        return state
