"""Ghost cells beyond the sides of the patch, as cells of their own that ranks exchange."""

from __future__ import annotations

from collections.abc import Sequence

import lapwing
import numpy as np
from numpy.typing import NDArray


class Beyond:
    """The exchange of what conditions left beyond the sides, for ghost cells at corners.

    In one process, ghost cells at a corner are next to cells that a condition has filled; between
    ranks they were filled before. Each rank's box here includes its ghost cells beyond the sides
    that are not periodic. Collective.
    """

    def __init__(
        self, domain: lapwing.Domain, periodic: Sequence[bool], axes: int, width: int
    ) -> None:
        """Plan it for ghost cells `width` wide, and `axes` axes of the domain's grid."""
        sizes = domain.partition.grid.size
        wider = [0 if wrap or axis >= axes else width for axis, wrap in enumerate(periodic)]
        boxes = [
            (part.rank, *_widened(part.box, sizes, wider)) for part in domain.partition.subdomains
        ]
        size = [n + 2 * more for n, more in zip(sizes, wider, strict=False)]
        grid = lapwing.Grid(size, list(periodic))
        parts = [lapwing.Subdomain(rank, lapwing.Box(lo, hi)) for rank, lo, hi in boxes]
        partition = lapwing.Partition(grid, domain.ranks, parts)
        self._domain = lapwing.Domain(partition, domain.mpi)
        self.width = width
        mine = domain.box
        self._place = tuple(
            slice(more if lo == 0 else 0, -more if hi == n and more else None)
            for lo, hi, n, more in zip(mine.lo, mine.hi, sizes, wider, strict=False)
        )[:axes]
        self._shape = [n + 2 * width for n in self._domain.box.shape[:axes]]
        self._exchanges: dict[int, lapwing.ArrayExchange] = {}

    def fill(self, array: NDArray[np.float64]) -> None:
        """Fill ghost cells between ranks of an array [component, i, j(, k)] of this rank."""
        components = array.shape[0]
        if components not in self._exchanges:
            self._exchanges[components] = lapwing.ArrayExchange(
                self._domain, "patch", halo=self.width, components=components, order="c"
            )
        wide = np.zeros((components, *self._shape), order="F")
        here = (slice(None), *self._place)
        wide[here] = array
        self._exchanges[components].run(np.moveaxis(wide, 0, -1))
        array[...] = wide[here]


def _widened(
    box: lapwing.Box, sizes: Sequence[int], wider: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The ends of a box that has taken in the ghost cells beyond the sides. Local."""
    lo = [at + more if at else 0 for at, more in zip(box.lo, wider, strict=False)]
    ends = zip(box.hi, sizes, wider, strict=False)
    return lo, [at + more + (more if at == n else 0) for at, n, more in ends]
