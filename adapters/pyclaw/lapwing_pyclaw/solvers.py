"""PyClaw's solvers; each rank computes its box."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import lapwing
from clawpack import pyclaw

SECOND = 2  # the number of the sweep along y


class SplitSweeps:
    """PyClaw's compiled kernels, whose sweep along y sees no column that the one along x left out.

    That sweep runs over the ghost columns as well. Its results there are dropped, but not the CFL
    number, and between ranks these columns hold what no process of its own would ever meet: values
    from before the sweep along x. They become copies of the column next to them.
    """

    def __init__(self, module: ModuleType, edges: list[tuple[slice, int]]) -> None:
        """Take the kernels, and for each side between ranks ghost columns and the next column."""
        self.module, self.edges = module, edges

    def __getattr__(self, name: str) -> Any:
        """All other kernels, as they are."""
        return getattr(self.module, name)

    def step2ds(self, *arguments: Any) -> Any:
        """One of the two sweeps."""
        if SECOND in arguments[16:17]:
            for columns, edge in self.edges:
                for array in (arguments[4], arguments[6]):  # q and aux, both with ghost cells
                    array[:, columns, :] = array[:, edge : edge + 1, :]
        return self.module.step2ds(*arguments)


def edges_between_ranks(grid: Any, ghosts: int) -> list[tuple[slice, int]]:
    """The ghost columns at both ends of x that lie in another rank, each with the next column."""
    cells = grid.num_cells[0]
    below = (slice(0, ghosts), ghosts)
    above = (slice(ghosts + cells, None), ghosts + cells - 1)
    inside = not grid.on_lower_boundary[0], not grid.on_upper_boundary[0]
    return [edge for edge, is_inside in zip((below, above), inside, strict=True) if is_inside]


class OnRanks:
    """What makes a solver of PyClaw one of many ranks: its CFL number."""

    cfl: Any
    fmod: Any
    bc_lower: list[Any]
    bc_upper: list[Any]
    aux_bc_lower: list[Any]
    aux_bc_upper: list[Any]

    def __init__(self, riemann_solver: Any = None, claw_package: str | None = None) -> None:
        """As PyClaw's; `claw_package` is this one."""
        super().__init__(riemann_solver, claw_package or __package__)  # type: ignore[call-arg]

    def setup(self, solution: Any) -> None:
        """Make the work arrays and fill all ghost cells once. Collective."""
        cut = solution.state.patch.cut
        self.cfl.comm = cut.domain.mpi
        conditions = zip(
            self.bc_lower, self.bc_upper, self.aux_bc_lower, self.aux_bc_upper, strict=True
        )
        cut.wrap([pyclaw.BC.periodic in axis for axis in conditions])
        if isinstance(self.fmod, SplitSweeps):
            self.fmod = self.fmod.module
        super().setup(solution)  # type: ignore[misc]


class ClawSolver1D(OnRanks, pyclaw.ClawSolver1D):  # type: ignore[misc]
    """The classic algorithm in one dimension."""


class ClawSolver2D(OnRanks, pyclaw.ClawSolver2D):  # type: ignore[misc]
    """The classic algorithm in two dimensions."""

    def setup(self, solution: Any) -> None:
        """As of all solvers; of split steps it sees to the CFL number. Collective."""
        super().setup(solution)
        self.fmod = SplitSweeps(self.fmod, edges_between_ranks(solution.state.grid, self.num_ghost))


class ClawSolver3D(OnRanks, pyclaw.ClawSolver3D):  # type: ignore[misc]
    """The classic algorithm in three dimensions, on several ranks without dimensional splitting."""

    def setup(self, solution: Any) -> None:
        """As of all solvers; lapwing.UserError for a split on several ranks. Collective."""
        if self.dimensional_split and solution.state.patch.cut.domain.ranks > 1:
            raise lapwing.UserError(
                "dimensional_split of ClawSolver3D: got True on several ranks; expected False, as "
                "PyClaw's sweeps in 3D leave out ghost cells that the next sweep reads; set "
                "solver.dimensional_split = False, or run on one rank"
            )
        super().setup(solution)


class SharpClawSolver1D(OnRanks, pyclaw.SharpClawSolver1D):  # type: ignore[misc]
    """Lines and Runge-Kutta in one dimension."""


class SharpClawSolver2D(OnRanks, pyclaw.SharpClawSolver2D):  # type: ignore[misc]
    """Lines and Runge-Kutta in two dimensions."""


class SharpClawSolver3D(OnRanks, pyclaw.SharpClawSolver3D):  # type: ignore[misc]
    """Lines and Runge-Kutta in three dimensions."""
