"""Work along whole grid lines of fields whose ranks hold blocks: along x, along y, along x again.

Semi-implicit dynamics and implicit diffusion need whole lines. A `LineSolver` brings fields into
full rows of x (the FFT distribution), from there into full columns of y (TRI), and back the same
way; what is done with the lines in each place is the caller's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.error import user_error
from lapwing.base.number_check import require_positive
from lapwing.core._core import Domain, fft_partition, tri_partition
from lapwing.core.distribution import Distribution
from lapwing.core.field import Field
from lapwing.core.partition import Box
from lapwing.core.together import together_on
from lapwing.core.transpose import Transpose, with_levels

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lines:
    """Whole lines of one field on this rank, in the memory of the solver."""

    field: int  # number in the solver's fields
    box: Box  # the cells, in global indices; levels along z
    # rows: [level, y, x]; columns: [y, level, x], or [level, x, y] where they are contiguous
    values: Array

    @property
    def flat(self) -> Array:
        """The lines one after the other, [line, point], where they are contiguous. A view."""
        planes, lines, points = self.values.shape
        view = self.values.view()
        view.shape = (planes * lines, points)  # raises where it would have to copy
        return view

    @property
    def place(self) -> tuple[int, int, int]:
        """The first cell: tells the pieces of a field apart."""
        return self.box.lo[0], self.box.lo[1], self.box.lo[2]


Work = Callable[[Lines], None]
_Groups = list[list[Lines]]  # the lines of each group of levels


class LineSolver:
    """Whole rows and columns of `fields`, a group of levels worked on while others travel.

    Collective over the domain of the fields. `fields`: float64 with one number of levels, on a
    partition into blocks between cuts that go all through the grid; `method`: of the transposes;
    `groups`: of levels; `contiguous_columns`: values of a column lie side by side in memory, as
    transforms like them, not next to those of the next x, as elimination does. Raises UserError on
    all ranks for fields that do not fit, and what a Transpose raises. Memory: each field twice
    more. Cost of a run on px x py ranks: 2 (px - 1) + 2 (py - 1) messages per rank and group, in
    which each value travels at most four times.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        *,
        method: str = "auto",
        groups: int = 1,
        contiguous_columns: bool = False,
    ) -> None:
        """Make the distributions, their memory and four transposes."""
        self.fields = list(fields)
        domain, _ = require_alike(self.fields)
        order = "yxz" if contiguous_columns else "xzy"

        def made() -> tuple[list[Field], list[Field]]:
            blocks = with_levels(self.fields[0])
            row_place = Distribution(domain, fft_partition(blocks))
            column_place = Distribution(domain, tri_partition(blocks))
            return (
                [row_place.field(f"{f.name}_rows") for f in self.fields],
                [column_place.field(f"{f.name}_columns", order=order) for f in self.fields],
            )

        rows, columns = together_on(domain, made)

        def moved(sources: Sequence[Field], targets: Sequence[Field]) -> Transpose:
            return Transpose(sources, targets, method=method, groups=groups)

        self.to_rows, self.to_columns = moved(self.fields, rows), moved(rows, columns)
        self.back_to_rows, self.back = moved(columns, rows), moved(rows, self.fields)
        axes = (2, 0, 1) if contiguous_columns else (1, 2, 0)
        self.rows = _lines(self.to_rows, rows, (2, 1, 0))
        self.columns = _lines(self.to_columns, columns, axes)

    @property
    def transposes(self) -> tuple[Transpose, Transpose, Transpose, Transpose]:
        """In the order in which they run. Local."""
        return self.to_rows, self.to_columns, self.back_to_rows, self.back

    @property
    def buffer_bytes(self) -> int:
        """Bytes of message buffers held by this rank. Local."""
        return sum(transpose.buffer_bytes for transpose in self.transposes)

    def run(self, forward: Work, across: Work, backward: Work) -> None:
        """Replace the owned cells of the fields: forward(rows), across(columns), backward(rows).

        Local, but all ranks must do so. Each is called with the lines of every group and field as
        soon as they are there, on the same views in every run. Halos count as stale afterwards.
        """
        self.to_rows.start()
        _pass_on(self.to_rows, self.rows, forward, self.to_columns)
        _pass_on(self.to_columns, self.columns, across, self.back_to_rows)
        _pass_on(self.back_to_rows, self.rows, backward, self.back)
        self.back.wait()


def _pass_on(source: Transpose, groups: _Groups, work: Work, target: Transpose) -> None:
    """Work on each group that `source` brings, and let `target` take it away."""
    for group, lines in enumerate(groups):
        source.wait_group(group)
        for piece in lines:
            work(piece)
            source.test()
            target.test()
        target.start_group(group)


def _lines(transpose: Transpose, fields: Sequence[Field], axes: tuple[int, int, int]) -> _Groups:
    """Views of the lines that each group brings, with their axes in this order."""

    def view(field: Field, box: Box) -> Array:
        values = field.cells(0, box)
        return values.reshape(box.shape).transpose(axes)

    return [
        [
            Lines(number, box, view(field, box))
            for box in transpose.target_boxes(group)
            for number, field in enumerate(fields)
        ]
        for group in range(transpose.groups)
    ]


def require_alike(fields: Sequence[Field]) -> tuple[Domain, int]:
    """Return the domain of some fields and their number of levels.

    Collective over the domain. UserError on all ranks unless all are float64 without components,
    on one partition, with one number of levels; on a rank without any field, there alone.
    """
    if not fields:
        raise user_error("fields of a line solver", "none", "at least one", "pass a field")
    first = fields[0]

    def checked() -> int:
        for field in fields:
            spec = field.spec
            alike = spec.levels == first.spec.levels and field.partition == first.partition
            if spec.type == "float64" and spec.components == 1 and alike:
                continue
            raise user_error(
                f"field {field.name} of a line solver",
                f"{spec.type}, {spec.components} components, {spec.levels} levels",
                f"float64 without components, {first.spec.levels} levels as {first.name}, on one "
                "partition",
                "make a solver for each kind of field",
            )
        size: int = with_levels(first).grid.size[2]
        return size

    return first.domain, together_on(first.domain, checked)


def check_spacing(spacing: tuple[float, float]) -> None:
    """Raise UserError unless both spacings of a grid are above 0. Local."""
    for axis, length in zip("xy", spacing, strict=True):
        require_positive(f"spacing along {axis}", length, "")


def digest(numbers: Array) -> str:
    """Text that tells numbers apart, to compare between ranks. Local."""
    return hashlib.sha256(numbers.tobytes()).hexdigest()[:16]


def per_level(name: str, given: ArrayLike, levels: int, what: str) -> Array:
    """One finite number per level [levels], from one for all or as many as there are. Local.

    UserError, which says to give `what`, for another number of them or what is not finite.
    """
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.shape not in ((), (levels,)) or not np.all(np.isfinite(numbers)):
        raise user_error(
            name,
            f"{numbers.shape} values" if numbers.shape else str(numbers),
            f"one finite number, or {levels}, one per level",
            f"give {what}",
        )
    return np.broadcast_to(numbers, (levels,)).copy()
