"""The CFL number, the largest of all ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from clawpack import pyclaw


class CFL(pyclaw.CFL):  # type: ignore[misc]
    """A CFL number on which ranks agree, so that step sizes are those of one process."""

    comm: Any = None  # an mpi4py communicator, from the solver's setup on

    def update_global_max(self, new_local_max: float) -> None:
        """Raise it to the largest of all ranks. Collective once `comm` is set."""
        every = [new_local_max] if self.comm is None else self.comm.allgather(float(new_local_max))
        super().update_global_max(float(np.fmax.reduce(every)))
