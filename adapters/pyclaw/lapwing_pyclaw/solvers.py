"""PyClaw's solvers; each rank computes its box."""

from __future__ import annotations

from typing import Any

from clawpack import pyclaw


class OnRanks:
    """What makes a solver of PyClaw one of many ranks: its CFL number."""

    cfl: Any

    def __init__(self, riemann_solver: Any = None, claw_package: str | None = None) -> None:
        """As PyClaw's; `claw_package` is this one."""
        super().__init__(riemann_solver, claw_package or __package__)  # type: ignore[call-arg]

    def setup(self, solution: Any) -> None:
        """Make the work arrays and fill all ghost cells once. Collective."""
        self.cfl.comm = solution.state.patch.cut.domain.mpi
        super().setup(solution)  # type: ignore[misc]


class ClawSolver1D(OnRanks, pyclaw.ClawSolver1D):  # type: ignore[misc]
    """The classic algorithm in one dimension."""


class ClawSolver2D(OnRanks, pyclaw.ClawSolver2D):  # type: ignore[misc]
    """The classic algorithm in two dimensions."""


class ClawSolver3D(OnRanks, pyclaw.ClawSolver3D):  # type: ignore[misc]
    """The classic algorithm in three dimensions."""


class SharpClawSolver1D(OnRanks, pyclaw.SharpClawSolver1D):  # type: ignore[misc]
    """Lines and Runge-Kutta in one dimension."""


class SharpClawSolver2D(OnRanks, pyclaw.SharpClawSolver2D):  # type: ignore[misc]
    """Lines and Runge-Kutta in two dimensions."""


class SharpClawSolver3D(OnRanks, pyclaw.SharpClawSolver3D):  # type: ignore[misc]
    """Lines and Runge-Kutta in three dimensions."""
