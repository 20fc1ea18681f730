"""Implicit horizontal diffusion of any even order: a low-pass filter that no time step limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.error import user_error, whole_number
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
from lapwing.core.solvers.line_transform import Ends, LineTransform
from lapwing.core.together import together_on

Array = NDArray[np.float64]


class ImplicitDiffusion:
    """Divides each wave of `fields` by 1 + strength (kx^2 + ky^2)^(order / 2), in place.

    That is an implicit (backward Euler) step of diffusion, dq/dt = -K (-del2)^(order/2) q with
    `strength` = K dt in m^order, by second differences: kx^2 = (2/dx sin(...))^2 of the wave.
    Collective over the domain of the fields, which all get the same. `order`: even; 2 diffuses, 4
    and more are ever sharper filters; `strength`: one number or one per level; `ends` as those of
    `Helmholtz`, and along y too a line may be periodic; `method` and `groups` as in `LineSolver`.
    With periodic or neumann ends the mean of a level keeps its value to rounding. Raises UserError
    on all ranks for a bad order or strength, and what a LineSolver raises. Cost: that of a
    LineSolver, and four transforms.
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
        domain, levels = require_alike(fields)
        nx, ny = fields[0].partition.grid.size[:2]

        def checked() -> tuple[LineTransform, LineTransform, Array, int]:
            half = _half(order)
            check_spacing(spacing)
            strengths = _strengths(strength, levels)
            return LineTransform(nx, ends[0]), LineTransform(ny, ends[1]), strengths, half

        self._along_x, self._along_y, strengths, half = together_on(domain, checked)
        asked = f"strength {digest(strengths)}, order {order}, spacing {spacing}, ends {ends}"
        require_same(domain, "implicit diffusion", asked)
        self.lines = LineSolver(fields, method=method, groups=groups, contiguous_columns=True)
        kx2, ky2 = (
            transform.eigenvalues(length)
            for transform, length in zip((self._along_x, self._along_y), spacing, strict=True)
        )
        self._damping = {
            piece.place: _damping(piece, strengths, half, kx2, ky2)
            for group in self.lines.columns
            for piece in group
            if piece.field == 0
        }

    def apply(self) -> None:
        """Filter the owned cells of the fields.

        Local, but all ranks must do so; halos are stale afterwards.
        """
        self.lines.run(self._forward, self._across, self._backward)

    def _forward(self, rows: Lines) -> None:
        self._along_x.forward(rows.flat)

    def _across(self, columns: Lines) -> None:
        lines = columns.flat
        self._along_y.forward(lines)
        lines *= self._damping[columns.place]
        self._along_y.backward(lines)

    def _backward(self, rows: Lines) -> None:
        self._along_x.backward(rows.flat)


def _half(order: int) -> int:
    number = whole_number("order of the diffusion", order)
    if number < 2 or number % 2:
        raise user_error(
            "order of the diffusion", str(number), "an even number from 2 on", "choose 2, 4 or 6"
        )
    return number // 2


def _strengths(strength: ArrayLike, levels: int) -> Array:
    name = "strength of the diffusion"
    given = per_level(name, strength, levels, "coefficient times time step")
    if given.min() < 0:
        raise user_error(name, f"{given.min():g}", "0 or more", "change its sign")
    return given


def _damping(piece: Lines, strengths: Array, half: int, kx2: Array, ky2: Array) -> Array:
    """What remains of each wave of the columns [level * x, y] of a piece."""
    lo, hi = piece.box.lo, piece.box.hi
    across = kx2[lo[0] : hi[0], None] + ky2[None, lo[1] : hi[1]]
    damping = 1.0 / (1.0 + strengths[lo[2] : hi[2], None, None] * across**half)
    flat: Array = damping.reshape(-1, damping.shape[-1])
    return flat
