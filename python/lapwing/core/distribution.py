"""Distributions: other partitions over the ranks of a domain, and the fields made on them.

A weather model uses these, with px x py blocks and rank ip + px * jp:

- TWOD: block ip of x, block jp of y, all levels: `twod_partition`;
- FFT: all of x, block jp of y, part ip of the levels: `fft_partition`;
- TRI: part jp of x, all of y, part ip of the levels: `tri_partition`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from lapwing.base.error import user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Box, Extent, Partition
from lapwing.core.field import Field
from lapwing.core.fields.field_request import spec_of


def twod_partition(
    grid: _core.Grid | Partition,
    blocks: Sequence[int] | None = None,
    *,
    levels: int | None = None,
) -> Partition:
    """Blocks in x and y with all levels, one per rank, x varying fastest.

    Local. Either `grid` (nx, ny, nz) and `blocks` (px, py); or a partition of a 2D grid, such as a
    domain's own, and the number of `levels` of its fields, which then have their place in both.
    Raises UserError when an axis has fewer cells than blocks, and for another mixture of these.
    """
    if isinstance(grid, Partition) and blocks is None and levels is not None:
        return _core.twod_partition(grid, whole_number("levels", levels, 1, 2**31 - 1))
    if isinstance(grid, _core.Grid) and blocks is not None and levels is None:
        numbers = [whole_number("blocks", n) for n in blocks]
        if len(numbers) == 2:
            return _core.block_partition(grid, [*numbers, 1])
    raise user_error(
        "arguments of twod_partition",
        f"{grid!r}, blocks={blocks!r}, levels={levels!r}",
        "a grid and blocks=(px, py), or a partition of a 2D grid and levels=nz",
        "give one of these pairs",
    )


def boxes_of(partition: Partition, rank: int) -> list[Box]:
    """The boxes that a rank has in a partition, possibly none. Local."""
    return [partition.subdomains[number].box for number in partition.subdomains_of(rank)]


class Distribution:
    """A partition over the ranks of a domain, to make fields on: rows, columns, slabs.

    Local. `partition`: a partition of any grid. UserError for another number of ranks. Fields of
    several distributions are moved between them by `Transpose`.
    """

    def __init__(self, domain: _core.Domain, partition: Partition) -> None:
        """Take a partition for the ranks of the domain."""
        if partition.ranks != domain.ranks:
            raise user_error(
                "ranks of a distribution",
                str(partition.ranks),
                f"{domain.ranks}, those of the domain",
                "make the partition for the ranks that run",
            )
        self.domain = domain
        self.partition = partition

    @property
    def boxes(self) -> list[Box]:
        """The boxes that this rank has, possibly none. Local."""
        return boxes_of(self.partition, self.domain.rank)

    def field(
        self,
        name: str,
        *,
        halo: int | Extent | Sequence[Extent] = 0,
        dtype: DTypeLike = np.float64,
        levels: int = 0,
        components: int = 1,
        location: str = "center",
        order: str = "x",
    ) -> Field:
        """Allocate a field of zeros on this rank's boxes; as `Domain.field`, but without a halo.

        Local. `order`: storage order: the fastest axis, or all three, fastest first: "yzx".
        """
        grid = self.partition.grid
        spec = spec_of(grid, name, halo, dtype, levels, components, location, order)
        core = _core.Field.declared(self.domain, self.partition, spec)
        core.give_memory(Extent())
        return Field(self.domain, core, self.partition)

    def __repr__(self) -> str:
        """Rank, boxes and partition."""
        rank = f"rank {self.domain.rank} of {self.domain.ranks}"
        return f"Distribution({rank}, {self.boxes}, {self.partition!r})"
