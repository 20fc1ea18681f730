"""Boundary conditions on ranks: blocks that are wide enough, functions that see what they need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from clawpack import pyclaw
from lapwing.base.error import user_error
from numpy.typing import NDArray

Array = NDArray[np.float64]
Kinds = tuple[tuple[Any, ...], ...]  # per axis: conditions of q and of aux at one side

SPREAD = 1e-6  # how much cells differ at most from the state while a condition is tried
GOLDEN = 0.6180339887498949  # whose multiples modulo 1 differ from cell to cell


def kinds(solver: Any, state: Any) -> tuple[Kinds, Kinds]:
    """The conditions at the lower and at the upper side of each axis, of q and of aux. Local."""
    sides = [solver.bc_lower, solver.aux_bc_lower], [solver.bc_upper, solver.aux_bc_upper]
    arrays = 2 if state.num_aux > 0 else 1
    lower, upper = (tuple(zip(*side[:arrays], strict=True)) for side in sides)
    return lower, upper


def ends(solver: Any, state: Any) -> Kinds:
    """The conditions at the two sides of each axis together. Local."""
    lower, upper = kinds(solver, state)
    return tuple((*one, *other) for one, other in zip(lower, upper, strict=True))


def has_functions(solver: Any, state: Any) -> bool:
    """True if a user's function is among the conditions. Local."""
    return any(pyclaw.BC.custom in both for both in ends(solver, state))


def check_blocks(solver: Any, state: Any) -> None:
    """Raise lapwing.UserError where ghost cells of a block have no condition of their own.

    Collective: ranks know all blocks, and raise together.
    """
    for axis, dimension in enumerate(state.patch.dimensions):
        check_axis(solver, state, axis)
        check_ends(solver, state, axis, dimension)


def check_axis(solver: Any, state: Any, axis: int) -> None:
    """Refuse an axis of so few cells that conditions read ghost cells. Local, as check_blocks."""
    dimension, ghosts = state.patch.dimensions[axis], solver.num_ghost
    if dimension.num_cells < ghosts and set(ends(solver, state)[axis]) != {pyclaw.BC.extrap}:
        name = dimension.name
        raise user_error(
            f"num_ghost of {type(solver).__name__}",
            f"{ghosts} along {name}, an axis of {dimension.num_cells} cells, on several ranks",
            "no more ghost cells than the axis has cells, unless all its conditions are extrap",
            f"give {name} {ghosts} cells or more, or run on one rank",
        )


def check_ends(solver: Any, state: Any, axis: int, dimension: Any) -> None:
    """Refuse blocks from which ghost cells reach past the next one. Local, as check_blocks."""
    ghosts, boxes = solver.num_ghost, state.patch.cut.boxes()
    lower, upper = kinds(solver, state)
    widths = [box.lo[axis] for box in boxes if not wraps(lower[axis])]
    widths += [dimension.num_cells - box.hi[axis] for box in boxes if not wraps(upper[axis])]
    thin = [width for width in widths if 0 < width < ghosts]
    if thin:
        raise user_error(
            f"num_ghost of {type(solver).__name__}",
            f"{ghosts}, and {min(thin)} cells along {dimension.name} between a rank and an end of "
            "the axis that is not periodic",
            f"{ghosts} cells or more, as ghost cells beyond the end would not be filled",
            f"use fewer ranks or more cells along {dimension.name}",
        )


def wraps(side: tuple[Any, ...]) -> bool:
    """True if all conditions of a side are periodic. Local."""
    return set(side) == {pyclaw.BC.periodic}


def check_functions(solver: Any, state: Any) -> None:
    """Raise lapwing.UserError on all ranks where a user's condition needs cells of other ranks.

    The functions are called once on each rank's cells and once on the whole patch on rank 0, with
    a state whose cells differ slightly: ghost cells must be the same. Collective; costs a gather.
    """
    kept = state.q, state.aux
    state.q = varied(state.q, state)
    state.aux = varied(state.aux, state) if state.num_aux > 0 else state.aux
    try:
        solver._apply_bcs(state)
        mine = [array.copy() for array in filled(solver, state)]
        wanted = solver.of_one_process(
            state,
            "a custom boundary condition",
            "let it take sizes from its arguments and coordinates from state.grid; where it is "
            "right on every rank, set solver.check_conditions = False",
            lambda whole: parts_of_all_ranks(solver, state, whole),
        )
    finally:
        state.q, state.aux = kept
    tell_all(solver, state, list(differences(mine, wanted, state, solver.num_ghost)))


def tell_all(solver: Any, state: Any, wrong: list[str]) -> None:
    """Raise lapwing.UserError on all ranks if conditions are wrong on one of them. Collective."""
    everywhere = state.patch.cut.domain.mpi.allgather(wrong[:1])
    if found := [place for places in everywhere for place in places]:
        raise user_error(
            f"user_{found[0]} of {type(solver).__name__}",
            "other ghost cells on several ranks than in one process",
            "a condition that needs no cells beyond this rank's block and its ghost cells",
            "run on one rank; where it is right on every rank (it counts its calls, say), set "
            "solver.check_conditions = False",
        )


def varied(values: Array, state: Any) -> Array:
    """The array, every cell and component times another factor near 1. Local."""
    box, sizes = state.patch.cut.domain.box, state.patch.num_cells_global
    lows = [0, *box.lo[: len(sizes)]]
    places = [low + np.arange(n) for low, n in zip(lows, values.shape, strict=True)]
    number = np.ravel_multi_index(np.ix_(*places), (values.shape[0], *sizes))
    return np.asfortranarray(values * (1.0 + SPREAD * ((number + 1) * GOLDEN % 1.0)))


def filled(solver: Any, state: Any) -> list[Array]:
    """The arrays with ghost cells that conditions have filled. Local."""
    return [solver.qbc, solver.auxbc] if state.num_aux > 0 else [solver.qbc]


def parts_of_all_ranks(solver: Any, state: Any, whole: pyclaw.State) -> list[list[Array]]:
    """Returns each rank's block and ghost cells, filled by conditions on the whole patch. Local."""
    solver._apply_bcs(whole)
    ghosts, axes = 2 * solver.num_ghost, state.patch.cut.axes
    parts = []
    for box in state.patch.cut.boxes():
        ends = zip(box.lo[:axes], box.hi[:axes], strict=True)
        here = (slice(None), *(slice(lo, hi + ghosts) for lo, hi in ends))
        parts.append([array[here] for array in filled(solver, state)])
    return parts


def differences(mine: list[Array], wanted: list[Array], state: Any, ghosts: int) -> Iterator[str]:
    """The conditions, as "bc_lower along y", whose ghost cells are not the wanted ones. Local."""
    for prefix, got, right in zip(("bc", "aux_bc"), mine, wanted, strict=False):
        unlike = (got != right) & ~(np.isnan(got) & np.isnan(right))
        for axis, dimension in reversed(list(enumerate(state.grid.dimensions))):
            along = np.moveaxis(unlike, axis + 1, 0)
            for side, is_end, cells in (
                ("lower", dimension.on_lower_boundary, along[:ghosts]),
                ("upper", dimension.on_upper_boundary, along[-ghosts:]),
            ):
                if is_end and cells.any():
                    yield f"{prefix}_{side} along {dimension.name}"
