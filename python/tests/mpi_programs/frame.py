"""Models that keep values in ghost cells around a closed grid, and masks. On 1 to 4 ranks."""

from itertools import pairwise
from typing import Any

import numpy as np
from lapwing import (
    ArrayExchange,
    Box,
    Domain,
    Exchange,
    Grid,
    Partition,
    Subdomain,
    block_partition,
)
from lapwing.core.mpi_runtime import start
from numpy.typing import NDArray

world = start().COMM_WORLD
WIDTH = 2
NX, NY = 12, 10
i, j = np.meshgrid(np.arange(NX + 2 * WIDTH), np.arange(NY + 2 * WIDTH), indexing="ij")
NUMBERS = 1.0 + i + 100.0 * j  # of the whole grid and its frame
WET = (i + 3 * j) % 4 < 2


def mine_of(whole: NDArray[Any], domain: Domain, blank: Any) -> NDArray[Any]:
    """This rank's part, halo included, where cells that other ranks give are blank."""
    (x, y), (nx, ny) = domain.box.lo[:2], domain.box.shape[:2]
    part = whole[x : x + nx + 2 * WIDTH, y : y + ny + 2 * WIDTH].copy()
    given = np.zeros(part.shape, dtype=bool)
    given[
        0 if x == 0 else WIDTH : None if x + nx == NX else -WIDTH,
        0 if y == 0 else WIDTH : None if y + ny == NY else -WIDTH,
    ] = True
    part[~given] = blank if part.dtype != bool else ~part[~given]
    return part


def right(part: NDArray[Any], whole: NDArray[Any], domain: Domain) -> bool:
    """True if every cell of the part is the one of the whole array."""
    (x, y), (nx, ny) = domain.box.lo[:2], domain.box.shape[:2]
    return np.array_equal(part, whole[x : x + nx + 2 * WIDTH, y : y + ny + 2 * WIDTH])


def uneven(grid: Grid) -> Partition:
    """Columns of other widths on each rank."""
    cuts = [round(end) for end in np.linspace(0, 1, world.size + 1) ** 1.3 * NX]
    boxes = [Box((first, 0, 0), (last, NY, 1)) for first, last in pairwise(cuts)]
    return Partition(grid, world.size, [Subdomain(rank, box) for rank, box in enumerate(boxes)])


grid = Grid((NX, NY), (False, False))
for partition in (
    block_partition(grid, (world.size, 1)),
    block_partition(grid, (1, world.size)),
    Domain((NX, NY)).partition,
    uneven(grid),
):
    domain = Domain(partition)
    numbers = mine_of(NUMBERS, domain, np.nan)
    ArrayExchange(domain, "a", halo=WIDTH, frame=True).run(numbers)
    assert right(numbers, NUMBERS, domain)
    mask = mine_of(WET, domain, None)
    ArrayExchange(domain, "m", halo=WIDTH, dtype=bool, frame=True).run(mask)
    assert mask.dtype == bool
    assert right(mask, WET, domain)
    # both in one message, in arrays that stay where they are
    numbers, mask = mine_of(NUMBERS, domain, np.nan), mine_of(WET, domain, None)
    fields = [
        domain.wrap("a", numbers, halo=WIDTH, frame=True),
        domain.wrap("m", mask, halo=WIDTH, frame=True),
    ]
    assert fields[1].spec.type == "bool"
    assert fields[1].spec.frame
    Exchange(fields).run()
    assert right(numbers, NUMBERS, domain)
    assert right(mask, WET, domain)
    # without a frame, ghost cells beyond closed sides are the model's
    alone = mine_of(NUMBERS, domain, -1.0)
    ArrayExchange(domain, "a", halo=WIDTH).run(alone)
    if world.size > 1:
        assert not right(alone, NUMBERS, domain)

# a mask as a field of lapwing's own: set, gathered, reduced
domain = Domain((NX, NY), periodic=True)
wet = domain.field("wet", halo=1, dtype=bool)
inside = WET[WIDTH:-WIDTH, WIDTH:-WIDTH]
wet.scatter(inside if world.rank == 0 else None)
wet.exchange()
whole = wet.gather()
if whole is not None:
    assert whole.dtype == bool
    assert np.array_equal(whole.reshape(inside.shape), inside)
print(f"rank {world.rank} is content")
