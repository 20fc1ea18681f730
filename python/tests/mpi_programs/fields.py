"""Fields on several ranks: gather, scatter, global indices, wrapped arrays, exchanges.

Run by test_field.py on 1 to 4 ranks; an assertion that fails ends the job.
"""

from itertools import product

import numpy as np
import pytest
from lapwing import (
    Box,
    Domain,
    Exchange,
    Extent,
    Grid,
    Partition,
    Subdomain,
    UserError,
    block_partition,
)
from lapwing.core.field import Field
from lapwing.core.mpi_runtime import start
from numpy.typing import NDArray

world = start().COMM_WORLD
UNTOUCHED = -1


def code(
    i: NDArray[np.int64], j: NDArray[np.int64], *other: NDArray[np.int64]
) -> NDArray[np.int64]:
    """A number that names the cell."""
    number = 1 + i + 100 * j
    for factor, index in zip((10_000, 1_000_000), other, strict=False):
        number = number + factor * index
    return number


def whole_array(field: Field) -> NDArray[np.int64]:
    shape = [*field.domain.partition.grid.size[:2]]
    if field.spec.levels:
        shape.append(field.spec.levels)
    if field.spec.components > 1:
        shape.append(field.spec.components)
    return code(*np.meshgrid(*map(np.arange, shape), indexing="ij"))


def own_boxes(field: Field) -> list[Box]:
    subdomains = field.domain.partition.subdomains
    return [s.box for s in subdomains if s.rank == world.rank]


def fill_owned(field: Field) -> None:
    field.fill(UNTOUCHED)
    for box in own_boxes(field):
        field[box] = whole_array(field)[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]


def check_owned(field: Field) -> None:
    for box in own_boxes(field):
        want = whole_array(field)[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
        np.testing.assert_array_equal(field[box], want)


def check_halos(field: Field, width: int) -> None:
    """Halo cells of all boxes hold the cells they are images of; periodic grids only."""
    owner = np.zeros(field.domain.partition.grid.size[:2], bool)
    for subdomain in field.domain.partition.subdomains:
        lo, hi = subdomain.box.lo, subdomain.box.hi
        owner[lo[0] : hi[0], lo[1] : hi[1]] = True
    for number, box in enumerate(own_boxes(field)):
        cells = [np.arange(box.lo[a] - width, box.hi[a] + width) % owner.shape[a] for a in range(2)]
        home = np.ix_(*cells)
        want = np.where(
            owner[home].reshape(owner[home].shape + (1,) * (whole_array(field).ndim - 2)),
            whole_array(field)[home],
            UNTOUCHED,
        )
        np.testing.assert_array_equal(field.array(number), want)


def dealt_partition() -> Partition:
    """Narrow boxes dealt to the ranks in turn, so that halos of one box hold cells of others."""
    grid = Grid((11, 7), True)
    many = block_partition(grid, (8, 2))
    boxes = [s.box for s in many.subdomains][1:]
    return Partition(
        grid, world.size, [Subdomain(n % world.size, box) for n, box in enumerate(boxes)]
    )


def partitions() -> list[Partition]:
    return [block_partition(Grid((9, 8), True), ranks=world.size), dealt_partition()]


def check_gather_and_scatter() -> None:
    for partition, order, (levels, components), dtype in product(
        partitions(), "xzc", [(0, 1), (3, 1), (2, 2)], ("float32", "float64", "int32", "int64")
    ):
        domain = Domain(partition)
        field = domain.field(
            "f", halo=2, dtype=dtype, levels=levels, components=components, order=order
        )
        fill_owned(field)
        check_owned(field)
        owned = np.zeros(partition.grid.size[:2], bool)
        for subdomain in partition.subdomains:
            lo, hi = subdomain.box.lo, subdomain.box.hi
            owned[lo[0] : hi[0], lo[1] : hi[1]] = True
        for root in {0, world.size - 1}:
            array = field.gather(root)
            assert (array is None) == (world.rank != root)
            if array is not None:
                assert array.dtype == dtype
                where = owned.reshape(owned.shape + (1,) * (array.ndim - 2))
                np.testing.assert_array_equal(array, np.where(where, whole_array(field), 0))
            field.fill(UNTOUCHED)
            field.scatter(array, root)
            check_owned(field)
            total = sum(int(np.sum(field.array(n) != UNTOUCHED)) for n in range(len(domain.boxes)))
            cells = sum(box.volume for box in domain.boxes) * max(levels, 1) * components
            assert total == cells, "halos stay as they are"
        domain.close()


def check_exchange() -> None:
    for partition, levels in product(partitions(), (0, 3)):
        domain = Domain(partition)
        field = domain.field("f", halo=2, dtype="int64", levels=levels)
        fill_owned(field)
        field.exchange()
        check_halos(field, 2)
        together = Exchange([field, domain.field("g", halo=1)])
        fill_owned(field)
        pending = together.start()
        while not pending.test():
            pass
        check_halos(field, 2)
        domain.close()


def check_set() -> None:
    for partition in partitions():
        domain = Domain(partition)
        field = domain.field("f", halo=2, dtype="int64", levels=2)
        field.set(lambda i, j, k: code(i, j, k))
        check_owned(field)
        domain.close()


def check_wrapped_arrays() -> None:
    domain = Domain((9, 8), periodic=True)
    nx, ny, _ = domain.box.grow(Extent.horizontal(2)).shape
    ways = {
        "Fortran": np.zeros((nx, ny, 3), np.int64, order="F"),
        "C": np.zeros((nx, ny, 3), np.int64),
        "transposed": np.zeros((3, ny, nx), np.int64).T,
        "sliced": np.zeros((2 * nx, ny + 5, 6), np.int64)[::2, 3:-2, 1:4],
        "backwards": np.zeros((nx, ny, 3), np.int64)[::-1, :, ::-1],
    }
    for name, array in ways.items():
        base = array.base
        field = domain.wrap(name, array, halo=2, levels=3)
        fill_owned(field)
        field.exchange()
        check_halos(field, 2)
        assert np.shares_memory(field.array(), array)
        np.testing.assert_array_equal(field.array(), array)
        if name == "sliced":
            assert base is not None
            assert int(np.count_nonzero(base)) == nx * ny * 3, "only the slice is touched"
    # one combined exchange of fields in different layouts
    fields = [domain.wrap(name, array, halo=2, levels=3) for name, array in ways.items()]
    for field in fields:
        fill_owned(field)
    Exchange(fields).run()
    for field in fields:
        check_halos(field, 2)
    domain.close()


def check_arrays_live_as_long_as_they_are_needed() -> None:
    domain = Domain((9, 8), periodic=True)
    shape = domain.box.grow(Extent.horizontal(1)).shape[:2]
    exchange = Exchange([domain.wrap("f", np.zeros(shape, order="F"), halo=1)])
    view = domain.field("g").array()
    exchange.run()
    view[...] = 1.0
    assert view.sum() == view.size
    domain.close()


def check_ranks_without_boxes() -> None:
    grid = Grid((9, 8), True)
    partition = Partition(grid, world.size, [Subdomain(world.size - 1, grid.box)])
    domain = Domain(partition)
    mine = world.rank == world.size - 1
    field = domain.field("f", halo=2, dtype="int32")
    fill_owned(field)
    field.exchange()
    check_halos(field, 2)
    arrays = [np.zeros((13, 12), np.float32)] if mine else []
    wrapped = domain.wrap("w", arrays, halo=2, dtype=np.float32)
    fill_owned(wrapped)
    wrapped.exchange()
    check_halos(wrapped, 2)
    gathered = wrapped.gather()
    assert (gathered is not None) == (world.rank == 0)
    assert domain.boxes == ([grid.box] if mine else [])
    domain.close()


def check_assignment_across_boxes() -> None:
    """Rank 0 owns two neighbours, the last rank the box to their right."""
    boxes = [Box((lo, 0, 0), (lo + 3, 7, 1)) for lo in (0, 3, 6)]
    owners = [0, 0, world.size - 1]
    partition = Partition(Grid((9, 7)), world.size, list(map(Subdomain, owners, boxes)))
    domain = Domain(partition)
    field = domain.field("f", halo=1, dtype="int64", levels=2)
    both = Box((2, 1, 0), (4, 6, 1))  # one column of each: either holds all, half of it in its halo
    three = Box((2, 1, 0), (5, 6, 1))
    if world.rank == 0:
        for box in (both, three):
            want = np.arange(box.volume * 2).reshape(box.shape[0], 5, 2)
            field.fill(UNTOUCHED)
            field[box] = want
            for number in range(2):  # in the memory of the owner, not only in the neighbour's halo
                inside = field.core.owned(number).intersect(box)
                first = field.core.allocated(number).lo
                i, j = (slice(inside.lo[a] - first[a], inside.hi[a] - first[a]) for a in range(2))
                cells = want[inside.lo[0] - 2 : inside.hi[0] - 2]
                np.testing.assert_array_equal(field.array(number)[i, j], cells)
        field[three] = [7, 8]  # broadcasts over the box
        assert field[Box((4, 5, 0), (5, 6, 1))].ravel().tolist() == [7, 8]
        with pytest.raises(UserError, match=r"values of field f: got an array \(4,\); expected"):
            field[three] = np.zeros(4)
        with pytest.raises(UserError, match="all in one of these; ask for owned cells, one box"):
            field[Box((0, 0, 0), (6, 7, 1))]
    whole = Box((0, 0, 0), (9, 7, 1))
    before = [field.array(n).copy() for n in range(len(domain.boxes))]
    if world.size > 1:
        with pytest.raises(UserError, match=r"is not among them: assign to owned cells"):
            field[whole] = 1
        for number, array in enumerate(before):
            np.testing.assert_array_equal(field.array(number), array)
    field[Box()] = 3
    assert field[Box()].size == 0
    field.set(lambda i, j, k: code(i, j, k))
    gathered = field.gather()
    if gathered is not None:
        np.testing.assert_array_equal(gathered, whole_array(field))
    domain.close()


def check_set_counts_on_ranks_without_boxes() -> None:
    grid = Grid((9, 8))
    domain = Domain(Partition(grid, world.size, [Subdomain(0, grid.box)]))
    field = domain.field("f")
    calls: list[int] = []
    field.modified = lambda: calls.append(1)  # type: ignore[method-assign]
    field.set(lambda i, j: i + j)
    assert calls, "a rank without boxes must count the halo as stale too"
    domain.close()


def check_one_far_end_is_kept() -> None:
    domain = Domain((9, 8))
    field = domain.field("f")
    for _ in range(2):
        for root in range(world.size):
            field.scatter(np.full((9, 8), root + 1.0) if world.rank == root else None, root)
            array = field.gather(root)
            assert array is None or np.all(array == root + 1)
    kept = field._whole
    field.gather(world.size - 1)
    assert field._whole is kept, "the same root and direction plan nothing"
    domain.close()


def check_a_field_outside_its_boxes() -> None:
    domain = Domain((9, 8))
    field = domain.field("f", halo=1)
    with pytest.raises(UserError, match=r"box of field f: got Box.*; expected cells that rank"):
        field[Box((-2, 0, 0), (1, 1, 1))]
    domain.close()


for check in (
    check_gather_and_scatter,
    check_exchange,
    check_set,
    check_wrapped_arrays,
    check_arrays_live_as_long_as_they_are_needed,
    check_ranks_without_boxes,
    check_assignment_across_boxes,
    check_set_counts_on_ranks_without_boxes,
    check_one_far_end_is_kept,
    check_a_field_outside_its_boxes,
):
    check()
if world.size == 1:
    print("skipped: fields.py: what only several ranks can get wrong")
print(f"rank {world.rank} is content")
