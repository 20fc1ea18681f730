"""Halos between the boxes of searched partitions. Run by test_partition_search.py."""

import numpy as np
from lapwing import (
    Domain,
    Exchange,
    Field,
    Grid,
    Mask,
    Partition,
)
from lapwing.core.mpi_runtime import start
from lapwing.core.partition import (
    CostModel,
    assigned_block_partition,
    ksection_partition,
    with_node_order,
)
from lapwing.run.request import measured_speeds

world = start().COMM_WORLD
UNTOUCHED = -1
WIDTH = 2

# scattered water, and a wall with a gap at its corner
wet = np.random.default_rng(4).random((37, 29)) < 0.7
wet[5:20, 8] = wet[20, 8:20] = False
GRID = Grid(wet.shape, (True, False))
nx, ny = wet.shape


def check_halos(field: Field) -> None:
    """Every wet cell that is on a box or at most WIDTH away holds its code."""
    partition = field.domain.partition
    for number, owned in enumerate(partition.subdomains_of(world.rank)):
        box = partition.subdomains[owned].box
        i = np.arange(box.lo[0] - WIDTH, box.hi[0] + WIDTH) % nx
        j = np.arange(box.lo[1] - WIDTH, box.hi[1] + WIDTH)
        here = wet[np.ix_(i, j.clip(0, ny - 1))] & ((j >= 0) & (j < ny))
        want = np.add.outer(i, 100 * j)
        assert here.sum() > wet[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]].sum()
        np.testing.assert_array_equal(field.array(number)[here], want[here])


def fill(field: Field) -> None:
    field.fill(UNTOUCHED)
    field.set(lambda i, j: i + 100 * j)


def check_exchange(partition: Partition) -> None:
    domain = Domain(partition, ranks_per_node=2)
    field = domain.field("f", halo=WIDTH, dtype="int64")
    fill(field)
    field.exchange()
    check_halos(field)
    for transport in ("auto", "shared", "p2p"):
        exchange = Exchange([field], transport=transport)
        fill(field)
        exchange.run()
        check_halos(field)
    domain.close()


mask = Mask(wet)
model = CostModel(width=WIDTH, ranks_per_node=2)
boxes = ksection_partition(GRID, mask, world.size, model).partition
several = assigned_block_partition(GRID, mask, world.size, model).partition
assert len(boxes.subdomains) == world.size < len(several.subdomains)
for partition in (boxes, several, with_node_order(several, 2)):
    check_exchange(partition)
speeds = measured_speeds(world)
assert all(speed > 0 for speed in speeds)
np.testing.assert_allclose(sum(speeds), world.size)
assert world.allgather(speeds) == [speeds] * world.size
assert ksection_partition(
    GRID, Mask(wet), world.size, CostModel(speeds=speeds)
).partition.ranks == (world.size)
print(f"rank {world.rank} is content")
