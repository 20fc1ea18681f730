"""Helmholtz equations on the levels of a field, as a semi-implicit time step has to solve them."""

from __future__ import annotations

from numpy.typing import ArrayLike

from lapwing.core import _core
from lapwing.core._core import Tridiagonal
from lapwing.core.field import Field
from lapwing.core.solvers.line_solver import groups_of, numbers_of, of_fields
from lapwing.core.solvers.line_transform import Ends

__all__ = ["Helmholtz", "Tridiagonal"]


class Helmholtz(_core.Helmholtz):
    """Solves shift p - d2p/dx2 - d2p/dy2 = r on every level, in place: the field holds r, then p.

    The second differences are (p[i-1] - 2 p[i] + p[i+1]) / spacing^2, so the solution solves the
    difference equation to rounding. Rows are transformed along x, for each wave a tridiagonal
    system is solved along y, and rows are transformed back. Collective over the domain of the
    field. `shift` [levels] or one number, in 1/m2 where spacings are in m, not negative; in
    semi-implicit dynamics 1 / (dt c)^2 of each vertical mode; `spacing`: along x and y; `ends`:
    along x "periodic", "dirichlet" (0 one spacing beyond the ends) or "neumann" (no gradient half a
    spacing beyond), along y one of the last two; `method` and `groups` as in `LineSolver`. Raises
    UserError on all ranks for a singular equation and what a LineSolver raises. Bits do not depend
    on ranks, method or groups. Cost: as a LineSolver; on a core some 30 operations per value
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
        domain, partition = of_fields([field])
        parts, shifts = groups_of(domain, groups), numbers_of(shift)
        super().__init__(domain, partition, field.core, shifts, spacing, ends, method, parts)
