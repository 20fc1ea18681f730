"""Distributions: other partitions over the ranks of a domain, and the fields made on them.

Those of a weather model, with px x py blocks and rank ip + px * jp:

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
from lapwing.core.field_request import spec_of

__all__ = [
    "Distribution",
    "fft_partition",
    "level_slab_partition",
    "tri_partition",
    "twod_partition",
]


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


def fft_partition(twod: Partition, active: Box | None = None) -> Partition:
    """Full rows of x: the levels are spread over the ranks of each row of processes.

    Local. `twod`: what `twod_partition` returned, or such blocks; `active`: the cells that take
    part, all by default. Raises UserError for fewer levels than blocks along x.
    """
    return _core.fft_partition(twod, active)


def tri_partition(twod: Partition, active: Box | None = None) -> Partition:
    """Full columns of y: the x are spread over the ranks of each column of processes.

    Local. Each rank keeps the levels that it has in `fft_partition`, which see for the arguments.
    Raises UserError for fewer levels than blocks along x, or fewer x than blocks along y.
    """
    return _core.tri_partition(twod, active)


def level_slab_partition(twod: Partition, active: Box | None = None) -> Partition:
    """Full rows of x: all (level, rows of one process row) in a list that all ranks share.

    Local. For comparison: messages grow with the square of the number of ranks.
    """
    return _core.level_slab_partition(twod, active)


def boxes_of(partition: Partition, rank: int) -> list[Box]:
    """The boxes that a rank has in a partition, possibly none. Local."""
    return [partition.subdomains[number].box for number in partition.subdomains_of(rank)]


class Distribution:
    """A partition over the ranks of a domain, to make fields on; made by `Domain.on`."""

    def __init__(self, domain: _core.Domain, partition: Partition) -> None:
        """Take a partition for the ranks of the domain. Local; UserError for another number."""
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

        Local. `order`: how it is stored: fastest axis, or all three, fastest first: "yzx".
        """
        grid = self.partition.grid
        spec = spec_of(grid, name, halo, dtype, levels, components, location, order)
        core = _core.Field.allocate(self.partition, self.domain.rank, spec)
        return Field(self.domain, core, self.partition)

    def __repr__(self) -> str:
        """Rank, boxes and partition."""
        rank = f"rank {self.domain.rank} of {self.domain.ranks}"
        return f"Distribution({rank}, {self.boxes}, {self.partition!r})"
