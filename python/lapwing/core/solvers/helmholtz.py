"""Helmholtz equations on the levels of a field: what a semi-implicit time step has to solve."""

from __future__ import annotations

import logging
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.error import user_error
from lapwing.core._core import require_same
from lapwing.core.field import Field
from lapwing.core.solvers.line_solver import (
    Lines,
    LineSolver,
    check_spacing,
    digest,
    per_level,
    require_alike,
)
from lapwing.core.solvers.line_transform import Ends, LineTransform, slow_length
from lapwing.core.together import together_on

logger = logging.getLogger(__name__)

Array = NDArray[np.float64]

# An equation is taken for singular where an eigenvalue is less than this share of the largest one.
_ROUNDING = 1e-13


class Helmholtz:
    """Solves shift p - d2p/dx2 - d2p/dy2 = r on every level, in place: the field holds r, then p.

    The second differences are (p[i-1] - 2 p[i] + p[i+1]) / spacing^2, so the solution is that of
    the difference equation to rounding. Rows are transformed along x, for each wave a tridiagonal
    system is solved along y, and rows are transformed back. Collective over the domain of the
    field. `shift` [levels] or one number, in 1/m2 where spacings are in m, not negative; in
    semi-implicit dynamics 1 / (dt c)^2 of each vertical mode; `spacing`: along x and y; `ends`:
    along x "periodic", "dirichlet" (0 one spacing beyond the ends) or "neumann" (no gradient half a
    spacing beyond), along y one of the last two; `method` and `groups` as in `LineSolver`. Raises
    UserError on all ranks for a singular equation and what a LineSolver raises. Bits do not depend
    on ranks, method or groups. Cost: that of a LineSolver; on a core some 30 operations per value
    besides two transforms; memory three times the field.
    """

    def __init__(
        self,
        field: Field,
        shift: ArrayLike,
        spacing: tuple[float, float],
        *,
        ends: tuple[Ends, Ends] = ("periodic", "neumann"),
        method: str = "auto",
        groups: int = 1,
    ) -> None:
        """Check the equation, make the way to the lines and eliminate the systems along y."""
        domain, levels = require_alike([field])
        nx, ny = field.partition.grid.size[:2]

        def checked() -> tuple[Array, LineTransform, Array, Array]:
            shifts = per_level(
                "shift of the Helmholtz equation", shift, levels, "1 / (dt c)^2 of each mode"
            )
            if ends[1] == "periodic":
                raise user_error(
                    "ends along y", "periodic", "dirichlet or neumann", "swap the axes of the grid"
                )
            check_spacing(spacing)
            along_x = LineTransform(nx, ends[0])
            waves = along_x.eigenvalues(spacing[0])
            _check_regular(shifts, waves, LineTransform(ny, ends[1]).eigenvalues(spacing[1]))
            return shifts, along_x, waves, _own_differences(ny, ends[1], spacing[1])

        shifts, self._along_x, waves, own = together_on(domain, checked)
        asked = f"shift {digest(shifts)}, spacing {spacing}, ends {ends}"
        require_same(domain, "Helmholtz equation", asked)
        warning = slow_length(nx, ends[0])
        if warning and domain.rank == 0:
            logger.warning("%s", warning)
        self.lines = LineSolver([field], method=method, groups=groups)
        self._systems = {
            piece.place: Tridiagonal(_diagonal(piece, shifts, waves, own), -1.0 / spacing[1] ** 2)
            for group in self.lines.columns
            for piece in group
        }

    def solve(self) -> None:
        """Replace the right-hand side in the owned cells of the field by the solution.

        Local, but all ranks must do so; the halo of the field is stale afterwards.
        """
        self.lines.run(self._forward, self._across, self._backward)

    def work_on_lines(self) -> None:
        """Do all that `solve` does but move nothing: what it costs without other ranks. Local."""
        rows, columns = self.lines.rows, self.lines.columns
        parts = (self._forward, rows), (self._across, columns), (self._backward, rows)
        for work, groups in parts:
            for piece in chain.from_iterable(groups):
                work(piece)

    def _forward(self, rows: Lines) -> None:
        self._along_x.forward(rows.flat)

    def _across(self, columns: Lines) -> None:
        self._systems[columns.place].solve(columns.values)

    def _backward(self, rows: Lines) -> None:
        self._along_x.backward(rows.flat)


def _check_regular(shifts: Array, waves: Array, across: Array) -> None:
    """Raise UserError where the equation of a level has no solution, or many, or needs pivots."""
    least, largest = waves.min() + across.min(), waves.max() + across.max()
    for level, shift in enumerate(shifts):
        if shift >= 0 and shift + least > _ROUNDING * max(largest, shift):
            continue
        raise user_error(
            f"shift of the Helmholtz equation of level {level}",
            f"{shift:g}",
            "more than 0, or 0 with dirichlet ends: else there is no one solution, or elimination "
            "would need pivots",
            "fix the mean by a small positive shift, or choose dirichlet ends",
        )


def _own_differences(points: int, ends: Ends, spacing: float) -> Array:
    """The diagonal of minus the second difference along y."""
    own = np.full(points, 2.0)
    if ends == "neumann":
        own[0] -= 1.0
        own[-1] -= 1.0
    return own / spacing**2


def _diagonal(piece: Lines, shifts: Array, waves: Array, own: Array) -> Array:
    """That of the systems of columns [y, level, x]."""
    lo, hi = piece.box.lo, piece.box.hi
    x, z = slice(lo[0], hi[0]), slice(lo[2], hi[2])
    return own[:, None, None] + (shifts[None, z, None] + waves[None, None, x])


class Tridiagonal:
    """A system per line whose matrix holds `diagonal` [points, lines] and `beside` next to it.

    No pivots are looked for: no entry of the diagonal may be smaller in size than the sum of those
    next to it, as in a Helmholtz equation.

    Every line is solved by the same operations in the same order,
    whichever lines stand next to it, and so has the same bits on any rank.
    """

    def __init__(self, diagonal: Array, beside: float) -> None:
        """Eliminate the matrices. Local; holds as many numbers as `diagonal` has."""
        self._beside = beside
        self._over_pivot = np.empty_like(diagonal)
        self._scratch = np.empty_like(diagonal[0])
        self._over_pivot[0] = 1.0 / diagonal[0]
        for j in range(1, len(diagonal)):
            pivot = diagonal[j] - beside * beside * self._over_pivot[j - 1]
            self._over_pivot[j] = 1.0 / pivot

    def solve(self, values: Array) -> None:
        """Replace right-hand sides [points, lines] by solutions. Local; no allocation."""
        beside, over, scratch = self._beside, self._over_pivot, self._scratch
        values[0] *= over[0]
        for j in range(1, len(values)):
            np.multiply(values[j - 1], beside, out=scratch)
            values[j] -= scratch
            values[j] *= over[j]
        for j in range(len(values) - 2, -1, -1):
            np.multiply(values[j + 1], over[j], out=scratch)
            scratch *= beside
            values[j] -= scratch
