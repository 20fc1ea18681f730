"""PyClaw's controller, of which rank 0 alone speaks and writes."""

from __future__ import annotations

from clawpack import pyclaw


class Controller(pyclaw.Controller):  # type: ignore[misc]
    """Runs a solver on all ranks. `run` is collective."""

    def is_proc_0(self) -> bool:
        """True if this is rank 0. Local."""
        return bool(self.solution.state.patch.cut.domain.rank == 0)

    def log_info(self, str: str) -> None:
        """Log on rank 0. Local."""
        if self.is_proc_0():
            super().log_info(str)
