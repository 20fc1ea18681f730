"""Partitions: who owns which box, and what is refused."""

import pickle
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lapwing import (
    Box,
    Extent,
    FieldSpec,
    Grid,
    Mask,
    Partition,
    Subdomain,
    UserError,
    best_blocks,
    block_partition,
    halo_plan,
    trimmed,
)
from lapwing.core._core import block_range
from plan_strategies import aligned_partitions, cut_boxes, grids, partitions, staggered_partition


@given(st.integers(1, 10_000), st.data())
def test_block_ranges_tile_and_differ_by_at_most_one(n: int, data: st.DataObject) -> None:
    parts = data.draw(st.integers(1, min(n, 300)))
    ranges = [block_range(n, parts, part) for part in range(parts)]
    assert ranges[0][0] == 0
    assert ranges[-1][1] == n
    assert all(before[1] == after[0] for before, after in pairwise(ranges))
    sizes = [hi - lo for lo, hi in ranges]
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True), "the larger parts come first"


@given(grids(), st.data())
def test_blocks_own_every_cell_once(grid: Grid, data: st.DataObject) -> None:
    blocks = [data.draw(st.integers(1, min(n, 6))) for n in grid.size]
    partition = block_partition(grid, blocks)
    assert partition.ranks == len(partition.subdomains) == np.prod(blocks)
    assert partition.aligned
    owners = np.zeros(grid.size, np.int64)
    for subdomain in partition.subdomains:
        box = subdomain.box
        owners[tuple(slice(lo, hi) for lo, hi in zip(box.lo, box.hi, strict=True))] += 1
    assert np.all(owners == 1)
    # ranks are numbered with x fastest
    corners = [s.box.lo[::-1] for s in partition.subdomains]
    assert [s.rank for s in partition.subdomains] == list(range(partition.ranks))
    assert corners == sorted(corners)


def most_halo_cells(grid: Grid, blocks: tuple[int, int, int], width: int) -> int:
    """Halo cells of the block that has most, counted by the plan itself."""
    reach = [width if n > 1 else 0 for n in grid.size]
    partition = block_partition(grid, blocks)
    spec = FieldSpec("f", "int32", extents=[Extent(reach, reach)])
    plans = (halo_plan(partition, rank, [spec]) for rank in range(partition.ranks))
    return max((plan.bytes_received + plan.bytes_copied) // 4 for plan in plans)


@pytest.mark.parametrize("periodic", [False, True, (True, False, False)])
@pytest.mark.parametrize(
    ("size", "ranks"),
    [
        *product([(12, 10), (40, 9), (9, 40), (80, 30)], [1, 2, 3, 4, 6, 7, 12]),
        *product([(12, 12, 12), (20, 6, 9)], [1, 4, 8, 12, 18]),
    ],
)
def test_best_blocks_have_the_least_halo(
    size: tuple[int, ...], ranks: int, periodic: bool | tuple[bool, ...]
) -> None:
    grid = Grid(size, periodic)
    width = 1
    shapes = [
        (x, y, z)
        for x, y, z in product(range(1, ranks + 1), repeat=3)
        if x * y * z == ranks and all(b <= n for b, n in zip((x, y, z), grid.size, strict=True))
    ]
    halo = {shape: most_halo_cells(grid, shape, width) for shape in shapes}
    best = best_blocks(grid, ranks, width)
    assert halo[best] == min(halo.values())
    equal = [shape for shape in shapes if halo[shape] == halo[best]]
    assert best[0] == min(shape[0] for shape in equal), "the longest rows"
    assert block_partition(grid, ranks=ranks) == block_partition(grid, best)


@given(aligned_partitions())
def test_blocks_of_common_cuts_are_aligned(partition: Partition) -> None:
    assert partition.aligned


@given(grids(), st.integers(2, 40), st.integers(0, 2**32))
def test_aligned_means_one_set_of_cuts_and_no_hole(grid: Grid, count: int, seed: int) -> None:
    partition = staggered_partition(grid, count, seed, holes=0.1)
    boxes = {s.box for s in partition.subdomains}
    cuts = [sorted({b.lo[a] for b in boxes} | {b.hi[a] for b in boxes}) for a in range(3)]
    cells = product(*(list(pairwise(c)) for c in cuts))
    lattice = {Box([lo for lo, _ in cell], [hi for _, hi in cell]) for cell in cells}
    spans_grid = all(c[0] == 0 and c[-1] == n for c, n in zip(cuts, grid.size, strict=True))
    assert partition.aligned == (boxes == lattice and spans_grid)


@given(partitions(), st.data())
def test_overlapping_finds_what_a_look_at_every_box_finds(
    partition: Partition, data: st.DataObject
) -> None:
    lo = [data.draw(st.integers(-3, n)) for n in partition.grid.size]
    hi = [first + data.draw(st.integers(0, 9)) for first in lo]
    box = Box(lo, hi)
    slow = [n for n, s in enumerate(partition.subdomains) if not s.box.intersect(box).empty]
    assert partition.overlapping(box) == slow


@given(partitions())
def test_subdomains_of_a_rank_ascend(partition: Partition) -> None:
    by_rank = [partition.subdomains_of(rank) for rank in range(partition.ranks)]
    assert sorted(n for mine in by_rank for n in mine) == list(range(len(partition.subdomains)))
    for rank, mine in enumerate(by_rank):
        assert mine == sorted(mine)
        assert all(partition.subdomains[n].rank == rank for n in mine)


@given(st.integers(2, 25), st.integers(2, 25), st.integers(0, 2**32))
def test_trimmed_boxes_are_the_wet_bounds(nx: int, ny: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    wet = random.random((nx, ny)) < 0.3
    grid = Grid((nx, ny))
    kept = [
        box
        for box in cut_boxes(grid, 6, seed)
        if wet[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]].any()
    ]
    if not kept:
        return
    partition = Partition(grid, len(kept), [Subdomain(r, box) for r, box in enumerate(kept)])
    shrunk = trimmed(partition, Mask(wet))
    assert shrunk.ranks == partition.ranks
    for before, after in zip(partition.subdomains, shrunk.subdomains, strict=True):
        i, j = np.nonzero(
            wet[before.box.lo[0] : before.box.hi[0], before.box.lo[1] : before.box.hi[1]]
        )
        lo = (before.box.lo[0] + int(i.min()), before.box.lo[1] + int(j.min()), 0)
        hi = (before.box.lo[0] + int(i.max()) + 1, before.box.lo[1] + int(j.max()) + 1, 1)
        assert after == Subdomain(before.rank, Box(lo, hi))


# ---- errors

GRID = Grid((8, 6))
LEFT, RIGHT = Box((0, 0, 0), (4, 6, 1)), Box((4, 0, 0), (8, 6, 1))


def test_overlap_names_both_ranks_and_boxes() -> None:
    wide = Box((3, 0, 0), (8, 6, 1))
    with pytest.raises(
        UserError,
        match=r"boxes of ranks 2 and 0: got \[0:4, 0:6, 0:1\] and \[3:8, 0:6, 0:1\]; expected "
        "boxes without a common cell; give every cell to one rank",
    ):
        Partition(GRID, 3, [Subdomain(2, LEFT), Subdomain(0, wide)])


@given(grids(), st.integers(2, 40), st.integers(0, 2**32))
def test_any_overlap_is_found(grid: Grid, count: int, seed: int) -> None:
    boxes = cut_boxes(grid, count, seed)
    cell = Box(boxes[-1].lo, [first + 1 for first in boxes[-1].lo])
    subdomains = [Subdomain(rank, box) for rank, box in enumerate(boxes)]
    with pytest.raises(UserError, match=rf"boxes of ranks {len(boxes) - 1} and {len(boxes)}:"):
        Partition(grid, len(boxes) + 1, [*subdomains, Subdomain(len(boxes), cell)])


@pytest.mark.parametrize(
    "box",
    [
        Box((4, 0, 0), (9, 6, 1)),
        Box((4, -1, 0), (8, 6, 1)),
        Box((4, 0, 0), (8, 6, 2)),
        Box((4, 0, 0), (4, 6, 1)),  # without cells
        Box(),
    ],
)
def test_boxes_have_cells_inside_the_grid(box: Box) -> None:
    with pytest.raises(
        UserError,
        match=r"box of subdomain 1 \(rank 1\): got .*; expected a box with cells, inside "
        r"\[0:8, 0:6, 0:1\]",
    ):
        Partition(GRID, 2, [Subdomain(0, LEFT), Subdomain(1, box)])


@pytest.mark.parametrize("rank", [-1, 2])
def test_ranks_of_boxes_exist(rank: int) -> None:
    with pytest.raises(UserError, match=f"rank of subdomain 1: got {rank}; expected 0 <= rank < 2"):
        Partition(GRID, 2, [Subdomain(0, LEFT), Subdomain(rank, RIGHT)])
    with pytest.raises(UserError, match=f"rank: got {rank}; expected 0 <= rank < 2"):
        Partition(GRID, 2, []).subdomains_of(rank)


def test_a_partition_needs_a_rank() -> None:
    with pytest.raises(UserError, match="ranks: got 0; expected at least 1"):
        Partition(GRID, 0, [])


def test_too_many_ranks() -> None:
    with pytest.raises(UserError, match=r"ranks: got 7 on 3 x 2 x 1 cells; .* use fewer ranks"):
        block_partition(Grid((3, 2)), ranks=7)
    with pytest.raises(UserError, match="ranks: got 0 on"):
        best_blocks(GRID, 0)
    with pytest.raises(ValueError, match="width of the halo: got -1"):
        best_blocks(GRID, 2, width=-1)
    with pytest.raises(UserError, match="blocks along y: got 7; expected 1 to 6, the cells along"):
        block_partition(GRID, (1, 7))
    with pytest.raises(UserError, match="blocks along x: got 0"):
        block_partition(GRID, (0, 1))
    with pytest.raises(UserError, match="got both or neither of blocks and ranks"):
        block_partition(GRID)


@pytest.mark.parametrize("width", [2**30, 2**31 - 1])
def test_blocks_for_any_halo_of_a_huge_grid(width: int) -> None:
    """Cells and halos are counted without overflow, which gave any blocks."""
    assert best_blocks(Grid((2**20, 2**20, 2**19)), 4, width) == (1, 1, 4)


@pytest.mark.parametrize("size", [(0,), (4, -1), (4, 4, 0)])
def test_grids_have_cells(size: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match=r"grid size along [xyz]: got .*; expected at least 1 cell"):
        Grid(size)


def test_grids_have_up_to_three_axes() -> None:
    with pytest.raises(UserError, match="grid size: got 4 axes; expected 1 to 3"):
        Grid((1, 2, 3, 4))


@pytest.mark.parametrize(
    ("size", "periodic", "text"),
    [
        ((2.7, 4), False, r"grid size: got 2.7; expected a whole number"),
        (("a", 4), False, r"grid size: got 'a'; expected a whole number"),
        (5, False, r"grid size: got 5; expected 1 to 3 numbers"),
        ((2**70,), False, r"grid size: got 1180591620717411303424; expected"),
        ((2**32, 2**32), False, r"grid: got 4294967296 x 4294967296 x 1 cells; expected at most"),
        ((3, 4), (True, False, False, True), r"periodic: got 4 flags; expected 2"),
        ((3, 4), (True,), r"periodic: got 1 flags; expected 2"),
    ],
)
def test_grids_that_make_no_sense(size: Any, periodic: Any, text: str) -> None:
    with pytest.raises(UserError, match=text):
        Grid(size, periodic)


def test_grids_take_numpy_numbers() -> None:
    size: Any = np.array([3, 4])
    for flags, plain in ((np.bool_(True), True), (np.array([True, False]), (True, False))):
        periodic: Any = flags
        assert Grid(size, periodic) == Grid((3, 4), plain)


def test_masks() -> None:
    with pytest.raises(UserError, match="mask: got no wet cell; expected at least one"):
        Mask(np.zeros((8, 6), bool))
    with pytest.raises(UserError, match="mask: got an array of 1 dimensions"):
        Mask([True, False])
    wet = np.zeros((8, 6), bool)
    wet[1, 2] = True
    assert Mask(wet).wet(1, 2)
    assert not Mask(wet).wet(2, 1)
    counts = Mask(wet).counts([(-3, 1), (0, 2), (1, 99)], [(2, 3), (3, 6)])
    np.testing.assert_array_equal(counts, [[0, 0], [1, 0], [1, 0]])
    with pytest.raises(UserError, match="box of rank 1: got no wet cell; expected at least one"):
        trimmed(block_partition(GRID, (2, 1)), Mask(wet))
    with pytest.raises(UserError, match="mask: got 6 x 8 columns; expected 8 x 6 columns"):
        trimmed(block_partition(GRID, (1, 1)), Mask(wet.T))


def test_equal_boxes_have_equal_hashes() -> None:
    assert len({Box((0, 0, 0), (4, 6, 1)), LEFT, RIGHT}) == 2


def test_partitions_can_be_read() -> None:
    assert repr(block_partition(Grid((9, 6), (True, False)), (2, 1))) == (
        "Partition(9 (periodic) x 6 x 1 cells on 2 ranks, 2 boxes, smallest [5:9, 0:6, 0:1] "
        "(24 cells), largest [0:5, 0:6, 0:1] (30 cells))"
    )
    assert repr(Subdomain(3, LEFT)) == "Subdomain(rank 3, [0:4, 0:6, 0:1])"


def test_boxes_grids_and_partitions_pickle() -> None:
    grid = Grid((9, 7), (True, False, False))
    cut = block_partition(grid, (3, 1, 1))
    for value in (Box((1, 2, 0), (4, 5, 1)), Extent.cross(2), grid, cut, cut.subdomains[1]):
        assert pickle.loads(pickle.dumps(value)) == value


def test_two_numbers_do_for_two_axes() -> None:
    assert Box((1, 2), (4, 5)) == Box((1, 2, 0), (4, 5, 1))
    assert Extent((1, 0), (2, 0)) == Extent((1, 0, 0), (2, 0, 0))
    with pytest.raises(UserError, match="numbers of axes: got 1"):
        Box((1,), (2,))
