"""Work along whole grid lines of fields whose ranks hold blocks: along x, along y, along x again.

Semi-implicit dynamics and implicit diffusion need whole lines. A `LineSolver` brings fields into
full rows of x (the FFT distribution), from there into full columns of y (TRI), and back the same
way; the caller decides what to do with the lines in each place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from lapwing.base.error import user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Domain, Lines, Partition
from lapwing.core.field import Field
from lapwing.core.together import together_on
from lapwing.core.transpose import MOST_GROUPS

__all__ = ["LineSolver", "Lines"]


class LineSolver(_core.LineSolver):
    """Whole rows and columns of `fields`, a group of levels worked on while others travel.

    Collective over the domain of the fields. `fields`: float64 with one number of levels, on a
    partition into blocks between cuts that go all through the grid; `method`: method of the
    transposes; `groups`: groups of levels; `contiguous_columns`: values of a column lie side by
    side in memory, which suits transforms, not next to the values of the next x, which suits
    elimination. Raises UserError on all ranks for fields that do not fit, and what a Transpose
    raises. Memory: each field twice more. Cost of a run on px x py ranks: 2 (px - 1) + 2 (py - 1)
    messages per rank and group, in which each value travels at most four times.
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
        domain, partition = of_fields(self.fields)
        cores = [field.core for field in self.fields]
        parts = groups_of(domain, groups)
        super().__init__(domain, partition, cores, method, parts, contiguous_columns)


def of_fields(fields: Sequence[Field]) -> tuple[Domain, Partition]:
    """The domain and the partition of the fields of a line solver.

    Collective over the domain; UserError on all ranks for fields on several partitions, and for
    none at all on this one.
    """
    if not fields:
        raise user_error("fields of a line solver", "none", "at least one", "pass a field")
    first = fields[0]

    def checked() -> Partition:
        for field in fields:
            if field.partition != first.partition:
                raise user_error(
                    f"field {field.name} of a line solver",
                    f"one on {field.partition!r}",
                    f"one on the partition of {first.name}",
                    "make a solver for each kind of field",
                )
        return first.partition

    return first.domain, together_on(first.domain, checked)


def groups_of(domain: Domain, groups: int) -> int:
    """The number of groups of levels. Collective; UserError on all ranks for another thing."""
    return together_on(
        domain, lambda: whole_number("groups of a line solver", groups, 1, MOST_GROUPS)
    )


def numbers_of(given: ArrayLike) -> list[float]:
    """One number for all levels, or one for each. Local."""
    values: list[float] = np.asarray(given, dtype=np.float64).ravel().tolist()
    return values
