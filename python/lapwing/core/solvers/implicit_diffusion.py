"""Implicit horizontal diffusion of any even order: a low-pass filter that no time step limits."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from lapwing.base.error import whole_number
from lapwing.core import _core
from lapwing.core.field import Field
from lapwing.core.solvers.line_solver import groups_of, numbers_of, of_fields
from lapwing.core.solvers.line_transform import Ends
from lapwing.core.together import together_on


class ImplicitDiffusion(_core.ImplicitDiffusion):
    """Divides each wave of `fields` by 1 + strength (kx^2 + ky^2)^(order / 2), in place.

    That is an implicit (backward Euler) step of diffusion, dq/dt = -K (-del2)^(order/2) q with
    `strength` = K dt in m^order, by second differences: kx^2 = (2/dx sin(...))^2 for the wave.
    Collective over the domain of the fields, which all get the same. `order`: even; 2 diffuses, 4
    and more are increasingly sharp filters; `strength`: one number or one per level; `ends` as in
    `Helmholtz`, and lines along y may be periodic too; `method` and `groups` as in `LineSolver`.
    With periodic or neumann ends the mean of a level keeps its value to rounding. Raises UserError
    on all ranks for a bad order or strength, and what a LineSolver raises. Cost: as a LineSolver,
    and four transforms.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        strength: ArrayLike,
        spacing: tuple[float, float],
        *,
        order: int = 4,
        ends: tuple[Ends, Ends] = ("periodic", "neumann"),
        method: str = "auto",
        groups: int = 1,
    ) -> None:
        """Check the filter, make the way to the lines and find the damping of each wave."""
        self.fields = list(fields)
        domain, partition = of_fields(self.fields)
        number = together_on(domain, lambda: whole_number("order of the diffusion", order))
        parts, strengths = groups_of(domain, groups), numbers_of(strength)
        cores = [field.core for field in self.fields]
        super().__init__(domain, partition, cores, strengths, spacing, number, ends, method, parts)
