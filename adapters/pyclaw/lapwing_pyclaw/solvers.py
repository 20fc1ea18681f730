"""PyClaw's solvers; each rank computes its box."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from clawpack import pyclaw
from clawpack.pyclaw import BC

from lapwing_pyclaw import conditions, options
from lapwing_pyclaw.cfl import Heard
from lapwing_pyclaw.state import State
from lapwing_pyclaw.whole import OnTheWhole

SECOND = 2  # the number of the sweep along y


class SplitSweeps:
    """PyClaw's compiled kernels, whose sweep along y sees no column that the x sweep left out.

    That sweep runs over the ghost columns as well. Its results there are dropped, but not the CFL
    number, and between ranks these columns hold values that a single process would never meet:
    values from before the sweep along x. They become copies of the column next to them.
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


class OnRanks(OnTheWhole):
    """Makes a solver of PyClaw one of many ranks by its CFL number and its conditions."""

    bc_lower: list[Any]
    bc_upper: list[Any]
    aux_bc_lower: list[Any]
    aux_bc_upper: list[Any]
    user_bc_lower: Any
    user_bc_upper: Any
    user_aux_bc_lower: Any
    user_aux_bc_upper: Any
    check_conditions = True  # True if custom conditions are tried on the whole patch first
    _known_conditions: Any = None

    def __init__(self, riemann_solver: Any = None, claw_package: str | None = None) -> None:
        """The same as PyClaw's; `claw_package` is this package."""
        super().__init__(riemann_solver, claw_package or __package__)  # type: ignore[call-arg]

    def refused(self) -> Iterator[options.Problem]:
        """Options that are not for several ranks. Local."""
        return iter(())

    def setup(self, solution: Any) -> None:
        """Make the work arrays and fill all ghost cells once.

        Collective. Raises lapwing.UserError on all ranks for options whose results would not have
        the bits of one process.
        """
        domain = solution.state.patch.cut.domain
        self._known_conditions = None
        if domain.ranks > 1:
            self.cfl.comm = domain.mpi
            options.refuse(self, self.refused())
        self.fmod = getattr(self.fmod, "module", self.fmod)
        super().setup(solution)  # type: ignore[misc]

    def _apply_bcs(self, state: Any) -> None:
        """Fill all ghost cells; conditions may change from step to step. Collective."""
        on_ranks = isinstance(state, State) and state.patch.cut.domain.ranks > 1
        if on_ranks:
            self._meet(state)
        super()._apply_bcs(state)  # type: ignore[misc]
        if on_ranks and conditions.has_functions(self, state):
            for array in conditions.filled(self, state):
                state.patch.cut.fill_corners(array, self.num_ghost)

    def _meet(self, state: Any) -> None:
        """Check conditions that are new, and wrap axes by them. Collective."""
        lower, upper = conditions.kinds(self, state)
        functions = (
            self.user_bc_lower,
            self.user_bc_upper,
            self.user_aux_bc_lower,
            self.user_aux_bc_upper,
        )
        known = lower, upper, functions, self.num_ghost
        if known == self._known_conditions:
            return
        self._known_conditions = known
        conditions.check_blocks(self, state)
        state.patch.cut.wrap([BC.periodic in ends for ends in conditions.ends(self, state)])
        if self.check_conditions and conditions.has_functions(self, state):
            conditions.check_functions(self, state)

    def _heard(self, kernel: Callable[[], Any]) -> tuple[Any, float]:
        """Returns the result of a kernel and the CFL number of this rank's cells. Local."""
        agreed, self.cfl = self.cfl, Heard(self.cfl.get_cached_max())
        try:
            return kernel(), self.cfl.number
        finally:
            self.cfl = agreed

    def _agree(self, state: Any, number: float, result: Any, kernel: Callable[[Any], Any]) -> None:
        """Set the CFL number of one process.

        It is the largest of all ranks. But a kernel's maximum forgets what stood before a NaN, so
        where one is in a result, `kernel` computes the step again on rank 0, with all cells.
        Collective.
        """
        doubtful = bool(np.isnan(number) or np.isnan(result).any())
        largest = self.cfl.largest(number, doubtful)
        if largest is not None:
            self.cfl.set_global_max(max(self.cfl.get_cached_max(), largest))
            return

        def numbers(whole: pyclaw.State) -> list[float]:
            kernel(whole)
            return [self.cfl.get_cached_max()] * state.patch.cut.domain.ranks

        about, remedy = "a step that left NaN", "set solver.dt_initial to a smaller step"
        self.cfl.set_global_max(self.of_one_process(state, about, remedy, numbers))


class Classic(OnRanks):
    """The classic algorithm on ranks."""

    def refused(self) -> Iterator[options.Problem]:
        """Options that are not for several ranks. Local."""
        return options.of_classic(self)

    def make_workspace(self, state: Any) -> None:
        """Make the work arrays of the kernels for the grid of a state. Local."""
        self._allocate_workspace(pyclaw.Solution(state, pyclaw.Domain([state.patch])))  # type: ignore[attr-defined]

    def step_hyperbolic(self, solution: Any) -> None:
        """Take one step without sources. Collective."""
        state, step = solution.state, super().step_hyperbolic  # type: ignore[misc]
        if state.patch.cut.domain.ranks == 1:
            step(solution)
            return
        before = state.q.copy("F")
        _, number = self._heard(lambda: step(solution))
        after, state.q = state.q, before
        self._agree(
            state,
            number,
            self.qbc,
            lambda whole: step(pyclaw.Solution(whole, pyclaw.Domain([whole.patch]))),
        )
        state.q = after


class SharpClaw(OnRanks):
    """SharpClaw on ranks."""

    lim_type: int
    char_decomp: int
    _has_arrays = False

    def __del__(self) -> None:
        """Free the arrays of the kernels' modules, if set-up made any."""
        if self._has_arrays:
            self._free_arrays()

    def refused(self) -> Iterator[options.Problem]:
        """Options that are not for several ranks. Local."""
        return options.of_sharpclaw(self)

    def _set_fortran_parameters(self, *arguments: Any) -> None:
        """Make the arrays of the kernels' modules. Local."""
        super()._set_fortran_parameters(*arguments)  # type: ignore[misc]
        self._has_arrays = True

    def _free_arrays(self) -> None:
        """Free them, for lim_type = 3 too, whose arrays PyClaw keeps. Local."""
        self._has_arrays = False
        self.fmod.clawparams.dealloc_clawparams()
        self.fmod.workspace.dealloc_workspace(self.char_decomp)
        of_weno = self.lim_type == 3  # it has the arrays of lim_type = 2
        kind = (2, 0) if of_weno else (self.lim_type, self.char_decomp)
        self.fmod.reconstruct.dealloc_recon_workspace(*kind)

    def make_workspace(self, state: Any) -> None:
        """Make the arrays of the kernels' modules for the grid of a state. Local."""
        if self._has_arrays:
            self._free_arrays()
            modules = self.fmod.clawparams, self.fmod.workspace, self.fmod.reconstruct
            self._set_fortran_parameters(state, *modules)

    def dq_hyperbolic(self, state: Any) -> Any:
        """The change of `q` by fluxes, times the step. Collective."""
        change = super().dq_hyperbolic  # type: ignore[misc]
        if state.patch.cut.domain.ranks == 1:
            return change(state)
        result, number = self._heard(lambda: change(state))
        self._agree(state, number, result, change)
        return result


class ClawSolver1D(Classic, pyclaw.ClawSolver1D):  # type: ignore[misc]
    """The classic algorithm in one dimension."""


class ClawSolver2D(Classic, pyclaw.ClawSolver2D):  # type: ignore[misc]
    """The classic algorithm in two dimensions."""

    def setup(self, solution: Any) -> None:
        """The same as for all solvers; for split steps it handles the CFL number. Collective."""
        super().setup(solution)
        self.fmod = SplitSweeps(self.fmod, edges_between_ranks(solution.state.grid, self.num_ghost))


class ClawSolver3D(Classic, pyclaw.ClawSolver3D):  # type: ignore[misc]
    """The classic algorithm in three dimensions, on several ranks without dimensional splitting."""


class SharpClawSolver1D(SharpClaw, pyclaw.SharpClawSolver1D):  # type: ignore[misc]
    """Lines and Runge-Kutta in one dimension."""


class SharpClawSolver2D(SharpClaw, pyclaw.SharpClawSolver2D):  # type: ignore[misc]
    """Lines and Runge-Kutta in two dimensions."""


class SharpClawSolver3D(SharpClaw, pyclaw.SharpClawSolver3D):  # type: ignore[misc]
    """Lines and Runge-Kutta in three dimensions."""
