"""Halo exchanges without land: every wet value arrives as it does with it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing import (
    Extent,
    FieldSpec,
    Grid,
    Mask,
    MessagePlan,
    Partition,
    UserError,
    block_partition,
    gather_plan,
    halo_plan,
)
from lapwing.core import _core
from lapwing.core.plan import Piece, WetShare
from numpy.typing import NDArray
from plan_executor import FieldMemory, execute
from plan_strategies import field_lists, masks, partitions, random_memories

Columns = NDArray[np.bool_]

# seconds per byte, piece and column: what each shape wins with
COSTS: dict[str, dict[str, Any]] = {
    "default": {},
    "patches": {"seconds_per_byte": 1.0, "seconds_per_piece": 0.0, "seconds_per_column": 99.0},
    "few patches": {"seconds_per_byte": 1.0, "seconds_per_piece": 20.0, "seconds_per_column": 99.0},
    "clipped": {"seconds_per_byte": 1.0, "seconds_per_piece": 1e9, "seconds_per_column": 1e9},
    "lists": {"seconds_per_byte": 1.0, "seconds_per_piece": 1e9, "seconds_per_column": 0.0},
    "whole": {"seconds_per_byte": 0.0, "seconds_per_piece": 1.0, "seconds_per_column": 1.0},
}

FORMS = ("clip", "patches", "lists")


def wet_values(grid: _core.Grid, wet: Columns, location: str) -> Columns:
    """Where a value of the location touches a wet cell: its own, and those one up per axis."""
    touched = wet.copy()
    for axis, located in enumerate((("xface", "corner"), ("yface", "corner"))):
        if location in located:
            above = np.roll(touched, -1, axis)
            if not grid.periodic[axis]:
                above[(slice(None),) * axis + (-1,)] = False
            touched |= above
    return touched


def wet_cells(memory: FieldMemory, number: int, touched: Columns) -> Columns:
    """Columns of the memory of one subdomain with wet values, halos wrapped into the grid."""
    box = memory.allocated[number]
    i, j = (np.arange(box.lo[a], box.hi[a]) % touched.shape[a] for a in range(2))
    return touched[np.ix_(i, j)]


def check_values(
    partition: Partition,
    wet: Columns,
    started: FieldMemory,
    full: FieldMemory,
    without_land: FieldMemory,
    *,
    ordered: bool,
) -> None:
    touched = wet_values(partition.grid, wet, full.spec.location)
    for number, array in enumerate(without_land.arrays):
        cells = wet_cells(full, number, touched)
        np.testing.assert_array_equal(array[cells], full.arrays[number][cells])
        # dry ones come or do not; in ordered phases the first half of their way may be left out
        same = (array == full.arrays[number]) | (array == started.arrays[number])
        assert ordered or np.all(same)


def pieces(plan: MessagePlan) -> list[Piece]:
    found = []
    for phase in plan.phases:
        for message in [*phase.sends, *phase.receives]:
            assert message.pieces, "messages without pieces vanish"
            found += message.pieces
        found += phase.copies
    return found


def check_pieces(plan: MessagePlan) -> None:
    for piece in pieces(plan):
        assert piece.values > 0
        assert piece.source_box.shape == piece.target_box.shape
        nx, ny, nz = piece.source_box.shape
        if piece.columns:
            assert piece.columns == sorted(set(piece.columns))
            assert piece.columns[0] >= 0
            assert piece.columns[-1] < nx * ny
            components = piece.component_hi - piece.component_lo
            assert piece.values == len(piece.columns) * nz * components


@given(st.data())
@settings(max_examples=200)
def test_wet_values_arrive_as_with_land(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    wet = data.draw(masks(partition.grid))
    mask, cost = Mask(wet), dict(COSTS[data.draw(st.sampled_from(sorted(COSTS)))])
    cost["form"] = data.draw(st.sampled_from(FORMS))
    ordered = partition.aligned and data.draw(st.booleans())
    plans = [halo_plan(partition, r, specs, ordered=ordered) for r in range(partition.ranks)]
    lean = [plan.wet_only(mask, **cost) for plan in plans]
    for plan, less in zip(plans, lean, strict=True):
        check_pieces(less)
        assert less.bytes_sent <= plan.bytes_sent
        assert less.bytes_received <= plan.bytes_received
        assert less.bytes_copied <= plan.bytes_copied
        assert less.messages_sent <= plan.messages_sent
        assert len(less.phases) == len(plan.phases)
        assert repr(plan.reversed().wet_only(mask, **cost)) == repr(less.reversed())
        if wet.all():
            assert repr(less) == repr(plan)
    seed = data.draw(st.integers(0, 2**32))
    started, full, without_land = (random_memories(partition, specs, seed) for _ in range(3))
    execute(plans, [*full], [*full])
    chunk_bytes = data.draw(st.sampled_from([8, 100, 10_000]))
    execute([p.in_chunks(chunk_bytes) for p in lean], [*without_land], [*without_land])
    for memories in zip(started, full, without_land, strict=True):
        check_values(partition, wet, *memories, ordered=ordered)


@given(st.data())
@settings(max_examples=50)
def test_shares_count_every_piece(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    mask = Mask(data.draw(masks(partition.grid)))
    cost = COSTS[data.draw(st.sampled_from(sorted(COSTS)))]
    total = WetShare()
    for rank in range(partition.ranks):
        plan = halo_plan(partition, rank, specs)
        lean = plan.wet_only(mask, **cost)
        share = plan.wet_share(lean)
        assert (share.bytes_before, share.bytes_after) == (plan.bytes_sent, lean.bytes_sent)
        assert share.messages_after == lean.messages_sent
        sent = [p for m in plan.phases[0].sends for p in m.pieces]
        kinds = share.dry + share.whole + share.clipped + share.patched + share.listed
        assert kinds == len(sent)
        listed = [p for m in lean.phases[0].sends for p in m.pieces if p.columns]
        assert share.listed == len(listed)
        total = total + share
    assert total.bytes_after <= total.bytes_before


# ---- one strip of 2 x 12 cells on its way from rank 0 to rank 1

GRID = Grid((8, 12))
PARTITION = block_partition(GRID, (2, 1))


def sent_of(
    wet: Columns,
    cost: str = "default",
    *,
    location: str = "center",
    levels: int = 0,
    order: str = "x",
) -> list[Piece]:
    axes = {"x": (0, 1, 2, 3), "z": (2, 0, 1, 3)}[order]
    extent = Extent((2, 0, 0), (2, 0, 0))
    spec = FieldSpec("f", extents=[extent], location=location, levels=levels, order=axes)
    lean = halo_plan(PARTITION, 0, [spec]).wet_only(Mask(wet), **COSTS[cost])
    return [piece for message in lean.phases[0].sends for piece in message.pieces]


def land_except(*rows: int) -> Columns:
    wet = np.zeros((8, 12), np.bool_)
    wet[0, 0] = True
    wet[:, list(rows)] = True
    return wet


def test_land_at_the_ends_is_clipped() -> None:
    (piece,) = sent_of(land_except(3, 4, 5))
    assert (piece.source_box.lo, piece.source_box.hi) == ([2, 3, 0], [4, 6, 1])
    assert piece.columns == []


def test_nothing_travels_over_land() -> None:
    assert sent_of(land_except()) == []


def test_far_water_makes_patches_and_near_water_one() -> None:
    wet = land_except(0, 1, 10)
    patches = sent_of(wet, levels=50)
    assert [(p.source_box.lo[1], p.source_box.hi[1]) for p in patches] == [(0, 2), (10, 11)]
    (piece,) = sent_of(wet, "clipped")
    assert (piece.source_box.lo[1], piece.source_box.hi[1]) == (0, 11)


def test_scattered_water_becomes_a_list() -> None:
    wet = land_except()
    wet[2, ::2] = wet[3, 1::2] = True
    (piece,) = sent_of(wet, levels=50, order="z")
    assert piece.columns == [4 * n + odd for n in range(6) for odd in (0, 3)]
    assert piece.values == 12 * 50
    assert "12 columns of it" in repr(
        halo_plan(PARTITION, 0, [FieldSpec("f", extents=[Extent.horizontal(2)])]).wet_only(
            Mask(wet), **COSTS["lists"]
        )
    )


@pytest.mark.parametrize(
    ("location", "columns"),
    [
        ("center", {(3, 5)}),
        ("xface", {(2, 5), (3, 5)}),
        ("yface", {(3, 4), (3, 5)}),
        ("corner", {(2, 4), (3, 4), (2, 5), (3, 5)}),
    ],
)
def test_faces_of_a_wet_cell_are_wet(location: str, columns: set[tuple[int, int]]) -> None:
    wet = land_except()
    wet[3, 5] = True
    found = set()
    for piece in sent_of(wet, location=location):
        lo, hi = piece.source_box.lo, piece.source_box.hi
        found |= {(i, j) for i in range(lo[0], hi[0]) for j in range(lo[1], hi[1])}
    assert found == columns


@given(st.data())
@settings(max_examples=50)
def test_forms_say_what_pieces_may_become(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    mask, cost = Mask(data.draw(masks(partition.grid))), COSTS["lists"]
    for rank in range(partition.ranks):
        plan = halo_plan(partition, rank, specs)
        assert repr(plan.wet_only(mask, form="off")) == repr(plan)
        clipped, patched = (plan.wet_only(mask, form=form, **cost) for form in FORMS[:2])
        share = plan.wet_share(clipped)
        assert (share.patched, share.listed) == (0, 0)
        assert plan.wet_share(patched).listed == 0
        lists = plan.wet_only(mask, form="lists", **cost)
        assert repr(lists) == repr(plan.wet_only(mask, form="auto", **cost))
        assert repr(plan.wet_only(mask, declared_only=True, **cost)) == repr(plan)


def test_only_declared_fields_lose_their_land() -> None:
    extent = Extent((2, 0, 0), (2, 0, 0))
    specs = [
        FieldSpec("wet", extents=[extent], constant_on_land=True),
        FieldSpec("other", extents=[extent]),
    ]
    lean = halo_plan(PARTITION, 0, specs).wet_only(Mask(land_except(3, 4, 5)), declared_only=True)
    values = {piece.field: piece.values for piece in lean.phases[0].sends[0].pieces}
    assert values == {0: 6, 1: 24}


def test_an_unknown_form() -> None:
    plan = halo_plan(PARTITION, 0, [FieldSpec("f")])
    with pytest.raises(UserError, match="form of wet messages: got holes; expected one of off, cl"):
        plan.wet_only(Mask(np.ones((8, 12))), form="holes")


def test_gathered_arrays_keep_their_land() -> None:
    plan = gather_plan(PARTITION, 1, [FieldSpec("f")])
    assert repr(plan.wet_only(Mask(land_except()))) == repr(plan)


def test_share_says_what_was_saved() -> None:
    spec = FieldSpec("f", extents=[Extent((2, 0, 0), (2, 0, 0))])
    plan = halo_plan(PARTITION, 0, [spec])
    share = plan.wet_share(plan.wet_only(Mask(land_except(3, 4, 5))))
    assert repr(share) == (
        "WetShare(48 of 192 bytes (75 % saved) in 1 of 1 messages; pieces: 0 dry, 0 whole, "
        "1 clipped, 0 in patches, 0 as lists)"
    )


def test_a_mask_of_another_size() -> None:
    plan = halo_plan(PARTITION, 0, [FieldSpec("f", extents=[Extent.horizontal(1)])])
    with pytest.raises(UserError, match="mask of wet messages: got 2 x 3 columns; expected the si"):
        plan.wet_only(Mask(np.ones((2, 3))))
