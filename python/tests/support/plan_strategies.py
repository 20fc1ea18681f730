"""Random grids, partitions and fields for property-based tests of plans."""

import random

import numpy as np
from hypothesis import strategies as st
from lapwing import Box, Extent, FieldSpec, Grid, Partition, Subdomain, block_partition
from lapwing.core import _core
from numpy.typing import NDArray
from plan_executor import FieldMemory


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """1D, 2D and 3D, each axis periodic or not."""
    axes = draw(st.integers(1, 3))
    longest = {1: 200, 2: 40, 3: 12}[axes]
    size = [draw(st.integers(1, longest)) for _ in range(axes)]
    return Grid(size, [draw(st.booleans()) for _ in range(axes)])


def cut_boxes(grid: Grid, count: int, seed: int) -> list[Box]:
    """Up to `count` boxes by cutting a random box at a random place, again and again."""
    choose = random.Random(seed)
    boxes = [grid.box]
    for _ in range(4 * count):
        if len(boxes) == count:
            break
        n = choose.randrange(len(boxes))
        axis = choose.randrange(3)
        lo, hi = list(boxes[n].lo), list(boxes[n].hi)
        if hi[axis] - lo[axis] < 2:
            continue
        cut = choose.randrange(lo[axis] + 1, hi[axis])
        below, above = list(hi), list(lo)
        below[axis] = above[axis] = cut
        boxes[n] = Box(lo, below)
        boxes.append(Box(above, hi))
    return boxes


def staggered_partition(
    grid: Grid, boxes: int, seed: int, *, holes: float = 0.0, ranks: int = 0
) -> Partition:
    """A recursive cut; a share of `holes` has no owner; ranks (one per box by default) own
    boxes at random, some none.
    """
    choose = random.Random(seed)
    kept = [box for box in cut_boxes(grid, boxes, seed) if choose.random() >= holes]
    kept = kept or [grid.box]
    choose.shuffle(kept)
    owners = [n if ranks == 0 else choose.randrange(ranks) for n in range(len(kept))]
    subdomains = [Subdomain(rank, box) for rank, box in zip(owners, kept, strict=True)]
    return Partition(grid, ranks or len(kept), subdomains)


@st.composite
def aligned_partitions(draw: st.DrawFn) -> Partition:
    """Blocks of one set of cuts per axis: one per rank, or dealt out to fewer ranks."""
    grid = draw(grids())
    blocks = block_partition(grid, [draw(st.integers(1, min(n, 8))) for n in grid.size])
    if draw(st.booleans()):
        return blocks
    choose = random.Random(draw(st.integers(0, 2**32)))
    ranks = choose.randint(1, blocks.ranks)
    dealt = [Subdomain(choose.randrange(ranks), s.box) for s in blocks.subdomains]
    return Partition(grid, ranks, dealt)


@st.composite
def staggered_partitions(draw: st.DrawFn) -> Partition:
    grid = draw(grids())
    return staggered_partition(
        grid,
        draw(st.integers(1, 60)),
        draw(st.integers(0, 2**32)),
        holes=draw(st.sampled_from([0.0, 0.2, 0.6])),
        ranks=draw(st.sampled_from([0, 1, 3, 20])),
    )


def partitions() -> st.SearchStrategy[Partition]:
    return st.one_of(aligned_partitions(), staggered_partitions())


@st.composite
def extents(draw: st.DrawFn, grid: _core.Grid, *, flat: bool) -> Extent:
    """Any width up to the grid's on any side; `flat`: none along z."""
    widths = [min(3, n) for n in grid.size]
    if flat:
        widths[2] = 0
    lo = [draw(st.integers(0, w)) for w in widths]
    hi = [draw(st.integers(0, w)) for w in widths]
    if draw(st.booleans()):  # halos thicker than most boxes
        axis = draw(st.integers(0, 2))
        lo[axis] = min(7, grid.size[axis]) if widths[axis] else 0
    return Extent(lo, hi, draw(st.booleans()))


@st.composite
def field_specs(draw: st.DrawFn, grid: _core.Grid, name: str) -> FieldSpec:
    """2D and with levels, all types, several components with one extent or one each."""
    levels = draw(st.sampled_from([0, 3])) if grid.size[2] == 1 else 0
    components = draw(st.sampled_from([1, 1, 2, 4]))
    several = draw(st.booleans())
    return FieldSpec(
        name,
        location=draw(st.sampled_from(["center", "center", "xface", "yface", "corner"])),
        type=draw(st.sampled_from(["float32", "float64", "int32", "int64"])),
        extents=[draw(extents(grid, flat=levels > 0)) for _ in range(components if several else 1)],
        levels=levels,
        components=components,
        order=draw(st.permutations(range(4))),
    )


@st.composite
def field_lists(draw: st.DrawFn, grid: _core.Grid) -> list[FieldSpec]:
    return [draw(field_specs(grid, f"field{n}")) for n in range(draw(st.integers(1, 3)))]


def random_memories(partition: Partition, specs: list[FieldSpec], seed: int) -> list[FieldMemory]:
    """Fields with a number in every cell, halos too; the same for the same seed."""
    random_values = np.random.default_rng(seed)
    memories = [FieldMemory(partition, spec) for spec in specs]
    for memory in memories:
        for array in memory.arrays:
            array[...] = random_values.integers(1, 10**6, array.shape)
    return memories


@st.composite
def masks(draw: st.DrawFn, grid: _core.Grid) -> NDArray[np.bool_]:
    """Wet columns [nx, ny]: none dry, scattered land, or land in large patches."""
    nx, ny, _ = grid.size
    choose = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["wet", "scattered", "patches"]))
    wet = np.ones((nx, ny), np.bool_)
    if kind == "scattered":
        wet = choose.random((nx, ny)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    if kind == "patches":
        for _ in range(4):
            i, j = choose.integers(nx), choose.integers(ny)
            wet[i : i + choose.integers(1, nx + 1), j : j + choose.integers(1, ny + 1)] = False
    wet[choose.integers(nx), choose.integers(ny)] = True
    return wet
