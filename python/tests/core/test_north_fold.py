"""Halo plans of tripolar grids against a serial fill of the whole grid."""

import functools
import pickle
from collections.abc import Callable
from pathlib import Path
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
    MessagePlan,
    Partition,
    UserError,
    block_partition,
    halo_plan,
    transpose_plan,
)
from lapwing.core import _core
from numpy.typing import NDArray
from plan_executor import (
    FOLD_RULES,
    FieldMemory,
    Values,
    cells_of,
    execute,
    filled_across_fold,
    with_levels,
)
from plan_strategies import staggered_partition

RunOnRanks = Callable[..., Any]  # the fixture in conftest.py

TESTS = Path(__file__).parents[1]
PROGRAM, SUPPORT = TESTS / "mpi_programs/images/north_fold.py", TESTS / "support"
LOCATIONS = ["center", "xface", "yface", "corner"]


@st.composite
def folded_partitions(draw: st.DrawFn) -> Partition:
    nx, ny = 2 * draw(st.integers(1, 12)), draw(st.integers(4, 12))
    nz = draw(st.sampled_from([1, 1, 3]))
    periodic = [True, False, draw(st.booleans()) and nz > 1]
    grid = Grid([nx, ny, nz], periodic, draw(st.sampled_from("TF")))
    if draw(st.booleans()):
        return block_partition(grid, [draw(st.integers(1, min(n, 6))) for n in grid.size])
    holes, ranks = draw(st.sampled_from([0.0, 0.3])), draw(st.sampled_from([0, 1, 3, 7]))
    count, seed = draw(st.integers(1, 30)), draw(st.integers(0, 2**32))
    return staggered_partition(grid, count, seed, holes=holes, ranks=ranks)


@st.composite
def folded_specs(draw: st.DrawFn, grid: _core.Grid, name: str) -> FieldSpec:
    levels = draw(st.sampled_from([0, 2])) if grid.size[2] == 1 else 0
    components = draw(st.sampled_from([1, 1, 3]))

    def extent() -> Extent:
        most = [min(3, grid.size[0]), min(3, grid.size[1] - 2), 0 if levels else grid.size[2] - 1]
        lo = [draw(st.integers(0, n)) for n in most]
        return Extent(lo, [draw(st.integers(0, n)) for n in most], draw(st.booleans()))

    return FieldSpec(
        name,
        type=draw(st.sampled_from(["float64", "int32"])),
        location=draw(st.sampled_from(LOCATIONS)),
        extents=[extent() for _ in range(draw(st.sampled_from([1, components])))],
        levels=levels,
        components=components,
        order=draw(st.permutations(range(4))),
        vector=draw(st.booleans()),
    )


def codes(spec: FieldSpec, grid: _core.Grid, component: int) -> Values:
    """A value above 1 for every cell of the grid, another one for every component."""
    shape = with_levels(spec, grid.box).shape
    count = int(np.prod(shape))
    return 2 + component * count + np.arange(count, dtype=np.int64).reshape(shape)


class SerialFill:
    """The values of one component around the grid, filled in one piece; 0 where there are none."""

    def __init__(self, partition: Partition, spec: FieldSpec, component: int) -> None:
        self.grid, self.spec = partition.grid, spec
        self.extent = spec.extents[component if len(spec.extents) > 1 else 0]
        self.width = max(4, *self.extent.lo, *self.extent.hi)
        owned = np.zeros(with_levels(spec, self.grid.box).shape, np.bool_)
        for s in partition.subdomains:
            owned[cells_of(with_levels(spec, s.box), with_levels(spec, self.grid.box))] = True
        self.codes = codes(spec, self.grid, component)
        sign = -1 if spec.vector else 1
        fold, where = self.grid.north_fold, spec.location
        self.full = filled_across_fold(
            np.where(owned, self.codes, 0), fold, where, self.width, sign
        )

    def expected(self, owned: Box, allocated: Box) -> Values:
        """What the memory of a box must hold: codes, copies of them, or -1 where nothing comes."""
        cells = [np.arange(allocated.lo[a], allocated.hi[a]) for a in range(3)]
        size = self.full.shape[2]
        levels = cells[2]
        if self.grid.periodic[2]:
            levels = levels % size
        known = (levels >= 0) & (levels < size)
        at = np.ix_(cells[0] + self.width, cells[1] + self.width, np.clip(levels, 0, size - 1))
        values = np.where(known[None, None, :], self.full[at], 0)
        axes_left = np.zeros(values.shape, np.int64)
        reached = np.ones(values.shape, np.bool_)
        for a, along in enumerate([(-1, 1, 1), (1, -1, 1), (1, 1, -1)]):
            below, above = owned.lo[a] - cells[a], cells[a] - owned.hi[a] + 1
            reached &= ((below <= self.extent.lo[a]) & (above <= self.extent.hi[a])).reshape(along)
            axes_left += ((below > 0) | (above > 0)).reshape(along)
        reached &= axes_left <= 1 if not self.extent.corners else True
        values = np.where(reached & (values != 0), values, -1)
        own = cells_of(owned, allocated)
        mine = self.codes[cells_of(owned, with_levels(self.spec, self.grid.box))]
        values[own] = np.where(values[own] == -1, mine, values[own])
        return values


def memories_of(partition: Partition, specs: list[FieldSpec]) -> list[FieldMemory]:
    memories = [FieldMemory(partition, spec) for spec in specs]
    for memory in memories:
        for number, owned in enumerate(memory.owned):
            for c in range(memory.spec.components):
                inside = cells_of(owned, with_levels(memory.spec, partition.grid.box))
                memory.at(number, owned)[..., c] = codes(memory.spec, partition.grid, c)[inside]
    return memories


def plans_of(partition: Partition, specs: list[FieldSpec]) -> list[MessagePlan]:
    return [halo_plan(partition, rank, specs) for rank in range(partition.ranks)]


def require_filled(partition: Partition, memories: list[FieldMemory]) -> None:
    for memory in memories:
        for c in range(memory.spec.components):
            fill = SerialFill(partition, memory.spec, c)
            for number, (own, all_) in enumerate(zip(memory.owned, memory.allocated, strict=True)):
                found = memory.arrays[number][..., c]
                np.testing.assert_array_equal(found, fill.expected(own, all_))


@given(st.data())
def test_halos_are_those_of_a_serial_fill(data: st.DataObject) -> None:
    partition = data.draw(folded_partitions())
    specs = [data.draw(folded_specs(partition.grid, f"f{n}")) for n in range(2)]
    memories = memories_of(partition, specs)
    plans = plans_of(partition, specs)
    if data.draw(st.booleans()):
        chunk = 8 * data.draw(st.integers(1, 20))
        plans = [plan.in_chunks(chunk) for plan in plans]
    execute(plans, list(memories), list(memories))
    require_filled(partition, memories)


@given(st.data())
def test_each_cell_is_written_once_and_none_that_is_read(data: st.DataObject) -> None:
    partition = data.draw(folded_partitions())
    spec = data.draw(folded_specs(partition.grid, "f"))
    written, read = FieldMemory(partition, spec), FieldMemory(partition, spec)
    for counts in (*written.arrays, *read.arrays):
        counts[...] = 0
    for plan in plans_of(partition, [spec]):
        (phase,) = plan.phases
        for piece in [*phase.copies, *(p for m in phase.receives for p in m.pieces)]:
            components = slice(piece.component_lo, piece.component_hi)
            written.at(piece.target, piece.target_box, components)[...] += 1
            read.at(piece.source, piece.source_box, components)[...] += 1
            assert piece.source_box.shape == piece.target_box.shape
    for counts, reads in zip(written.arrays, read.arrays, strict=True):
        assert counts.max(initial=0) <= 1
        assert not np.any((counts > 0) & (reads > 0))


def mirrored_row(wet: NDArray[np.bool_], grid: _core.Grid) -> NDArray[np.bool_]:
    """The mask with one value for both halves of a row of T points on the fold."""
    if grid.north_fold == "T":
        for i in range(grid.size[0] // 2 + 1, grid.size[0]):
            wet[i, -1] = wet[grid.size[0] - i, -1]
    return wet


def near_water(wet: NDArray[np.bool_], grid: _core.Grid, location: str) -> NDArray[np.bool_]:
    """The faces and corners of the grid that touch a wet cell, those beyond the fold too."""
    around = filled_across_fold(wet.astype(np.int64), grid.north_fold, "center", 1, 1) > 0
    nx, ny = wet.shape
    right, up = location in ("xface", "corner"), location in ("yface", "corner")
    cells = [around[1 + a : 1 + a + nx, 1 + b : 1 + b + ny] for a in (0, 1) for b in (0, 1)]
    picked = [c for n, c in enumerate(cells) if (right or n < 2) and (up or n % 2 == 0)]
    return np.asarray(np.any(picked, axis=0))


@given(st.data())
def test_messages_without_land_bring_every_wet_value(data: st.DataObject) -> None:
    partition = data.draw(folded_partitions())
    grid, seed = partition.grid, data.draw(st.integers(0, 2**32))
    spec = data.draw(folded_specs(grid, "f"))
    share = data.draw(st.sampled_from([0.1, 0.5, 0.9]))
    wet = np.random.default_rng(seed).random(grid.size[:2]) < share
    wet[0, 0] = True
    mask = Mask(mirrored_row(wet, grid))
    form = data.draw(st.sampled_from(["clip", "patches", "lists"]))
    plans = [
        plan.wet_only(mask, form=form, seconds_per_piece=0.0, seconds_per_column=0.0)
        for plan in plans_of(partition, [spec])
    ]
    (memory,) = memories_of(partition, [spec])
    execute(plans, [memory], [memory])
    (whole,) = memories_of(partition, [spec])
    execute(plans_of(partition, [spec]), [whole], [whole])
    near = np.where(near_water(wet, grid, spec.location), 1, 0)
    fold, width = grid.north_fold, 4
    around = filled_across_fold(near, fold, spec.location, width, 1) > 0
    for number, box in enumerate(memory.allocated):
        columns = around[
            box.lo[0] + width : box.hi[0] + width, box.lo[1] + width : box.hi[1] + width
        ]
        np.testing.assert_array_equal(memory.arrays[number][columns], whole.arrays[number][columns])


@pytest.mark.parametrize(("fold", "location"), FOLD_RULES)
def test_rows_beyond_the_fold_are_limited(fold: str, location: str) -> None:
    partition = block_partition(Grid((4, 5), [True, False], fold), ranks=1)
    most = {"center": 0, "xface": 0, "yface": 1, "corner": 1}[location]
    most = 5 - most - (1 if fold == "T" else 0)
    halo_plan(
        partition, 0, [FieldSpec("f", extents=[Extent((0, 0), (0, most))], location=location)]
    )
    wide = FieldSpec("f", extents=[Extent((0, 0), (0, most + 1))], location=location)
    with pytest.raises(UserError, match=rf"at most {most} rows beyond the north fold|grid along y"):
        halo_plan(partition, 0, [wide])


@pytest.mark.parametrize(
    ("size", "periodic", "what"),
    [
        ((7, 4), [True, False], "7 cells along x; expected an even number"),
        ((8, 4), [False, False], "expected a grid that is periodic in x and not in y"),
        ((8, 4), [True, True], "expected a grid that is periodic in x and not in y"),
        ((8, 1), [True, False], "expected at least 2 cells along y"),
    ],
)
def test_grids_that_cannot_be_folded(
    size: tuple[int, int], periodic: list[bool], what: str
) -> None:
    with pytest.raises(UserError, match=what):
        Grid(size, periodic, "T")


def test_other_words_for_a_fold() -> None:
    with pytest.raises(UserError, match="north fold: got pivot; expected T, F or none"):
        Grid((8, 4), [True, False], "pivot")


def test_a_mask_whose_halves_of_the_fold_differ() -> None:
    grid = Grid((8, 4), [True, False], "T")
    wet = np.ones((8, 4), np.bool_)
    wet[6, 3] = False
    plan = halo_plan(block_partition(grid, ranks=1), 0, [FieldSpec("f")])
    with pytest.raises(UserError, match=r"cell \(2, 3\) wet, its twin \(6, 3\) not"):
        plan.wet_only(Mask(wet))


def test_ordered_corners_and_transposes_are_refused() -> None:
    partition = block_partition(Grid((8, 4), [True, False], "F"), ranks=2)
    with pytest.raises(UserError, match=r"ordered corners.*use direct corners"):
        halo_plan(partition, 0, [FieldSpec("f")], ordered=True)
    with pytest.raises(
        UserError, match=r"transpose.*a grid without a north fold or faces; exchange halos"
    ):
        transpose_plan(partition, partition, 0, [FieldSpec("f")])


def test_plans_and_grids_are_pickled() -> None:
    grid = Grid((8, 4), [True, False], "T")
    assert pickle.loads(pickle.dumps(grid)).north_fold == "T"
    plan = halo_plan(block_partition(grid, ranks=2), 0, [FieldSpec("u", vector=True)])
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert "turned, with the other sign" in repr(plan)


@pytest.fixture(scope="module")
def bits_on(run_on_ranks: RunOnRanks) -> Callable[[int], set[str]]:
    """The digests that the program prints on a number of ranks, in blocks and k-section."""

    @functools.cache
    def bits(ranks: int) -> set[str]:
        output = run_on_ranks(ranks, PROGRAM.read_text(), str(SUPPORT), timeout=110).stdout
        lines = [line for line in output.splitlines() if line.startswith("bits ")]
        assert len(lines) == 2, output  # one for each kind of fold
        return set(lines)

    return bits


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(3, marks=pytest.mark.slow), 4])
def test_transports_and_strategies_give_the_bits_of_one_rank(
    bits_on: Callable[[int], set[str]], ranks: int
) -> None:
    assert bits_on(ranks) == bits_on(1)
