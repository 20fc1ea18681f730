"""Plans in other messages: the same values, a message per field or of a limited size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing import Extent, FieldSpec, Grid, MessagePlan, UserError, block_partition, halo_plan
from lapwing.core.plan import Message
from plan_executor import FieldMemory, Memory, execute
from plan_strategies import field_lists, partitions, random_memories


def regroup(plan: MessagePlan, *, separate: bool, chunk_bytes: int) -> MessagePlan:
    regrouped = plan.regrouped(separate=separate, chunk_bytes=chunk_bytes)
    before, after = plan.phases, regrouped.phases
    for old, new in zip(before, after, strict=True):
        assert new.copies == old.copies
        for messages, whole in ((new.sends, old.sends), (new.receives, old.receives)):
            check_messages(plan, messages, whole, separate=separate, chunk_bytes=chunk_bytes)
    assert regrouped.bytes_sent == plan.bytes_sent
    assert regrouped.bytes_received == plan.bytes_received
    return regrouped


def check_messages(
    plan: MessagePlan,
    messages: list[Message],
    whole: list[Message],
    *,
    separate: bool,
    chunk_bytes: int,
) -> None:
    peers = [m.peer for m in messages]
    assert peers == sorted(peers), "ascending, several to one peer side by side"
    for message in messages:
        assert message.pieces
        if separate:
            assert len({p.field for p in message.pieces}) == 1
        if chunk_bytes:
            assert plan.bytes(message) <= chunk_bytes
    if chunk_bytes == 0:
        for old in whole:
            mine = [m for m in messages if m.peer == old.peer]
            assert [p for m in mine for p in m.pieces] == old.pieces
            assert len(mine) == (len({p.field for p in old.pieces}) if separate else 1)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100)
def test_regrouped_plans_move_the_same_values(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    ordered = partition.aligned and data.draw(st.booleans())
    separate = data.draw(st.booleans())
    chunk_bytes = data.draw(st.sampled_from([0, 8, 12, 40, 64, 400, 10_000]))
    plans = [halo_plan(partition, r, specs, ordered=ordered) for r in range(partition.ranks)]
    if data.draw(st.booleans()):
        plans = [plan.reversed(add=True) for plan in plans]
    others = [regroup(p, separate=separate, chunk_bytes=chunk_bytes) for p in plans]
    seed = data.draw(st.integers(0, 2**32))
    want, got = (random_memories(partition, specs, seed) for _ in range(2))
    execute(plans, [*want], [*want])
    execute(others, [*got], [*got])
    for a, b in zip(want, got, strict=True):
        for expected, array in zip(a.arrays, b.arrays, strict=True):
            np.testing.assert_array_equal(array, expected)


def test_reversed_copies_keep_their_order() -> None:
    """Halos of several ranks hold one cell: the last in the plan is the one that stays."""
    partition = block_partition(Grid((8,)), (4,))
    spec = FieldSpec("f", extents=[Extent((8, 0, 0), (8, 0, 0))])
    plans = [halo_plan(partition, r, [spec]).reversed() for r in range(4)]
    results = []
    for chunk_bytes in (0, 8):
        memory = FieldMemory(partition, spec)
        for number, array in enumerate(memory.arrays):
            array[...] = number
        memories: list[Memory] = [memory]
        execute([p.regrouped(chunk_bytes=chunk_bytes) for p in plans], memories, memories)
        results.append([array.copy() for array in memory.arrays])
    for whole, chunked in zip(*results, strict=True):
        np.testing.assert_array_equal(chunked, whole)


def sent_boxes(plan: MessagePlan) -> list[list[list[int]]]:
    return [[p.source_box.shape for p in m.pieces] for m in plan.phases[0].sends]


def test_cuts_follow_the_slowest_axis() -> None:
    partition = block_partition(Grid((8, 6)), (2, 1))
    extent = Extent((1, 0, 0), (1, 0, 0))
    for order, shape in (((0, 1, 2, 3), [1, 6, 2]), ((2, 0, 1, 3), [1, 2, 5])):
        spec = FieldSpec("f", levels=5, extents=[extent], order=order)
        plan = halo_plan(partition, 0, [spec])
        cut = plan.regrouped(chunk_bytes=12 * 8)
        assert sent_boxes(cut)[0] == [shape]
    # one slice is larger than the chunk: rows of it travel
    spec = FieldSpec("f", levels=5, extents=[extent])
    cut = halo_plan(partition, 0, [spec]).regrouped(chunk_bytes=4 * 8)
    assert sent_boxes(cut)[:2] == [[[1, 4, 1]], [[1, 2, 1]]]
    assert cut.messages_sent == 10


def test_small_messages_stay_whole_and_chunks_are_filled() -> None:
    partition = block_partition(Grid((8, 6)), (2, 1))
    specs = [FieldSpec(name, extents=[Extent.horizontal(1)]) for name in "abc"]
    plan = halo_plan(partition, 0, specs)  # three pieces of 48 bytes
    assert plan.regrouped(chunk_bytes=144).messages_sent == 1
    assert [len(boxes) for boxes in sent_boxes(plan.regrouped(chunk_bytes=143))] == [2, 1]
    assert plan.regrouped(separate=True).messages_sent == 3
    assert plan.regrouped(separate=True, chunk_bytes=24).messages_sent == 6
    assert repr(plan.regrouped()) == repr(plan)


@pytest.mark.parametrize("chunk_bytes", [-1, 1, 7])
def test_a_chunk_holds_a_value(chunk_bytes: int) -> None:
    plan = halo_plan(block_partition(Grid((8, 6)), (2, 1)), 0, [FieldSpec("f")])
    with pytest.raises(UserError, match=f"chunk_bytes: got {chunk_bytes}; expected 0 for whole"):
        plan.regrouped(chunk_bytes=chunk_bytes)


def test_messages_above_2_gib_become_smaller_ones() -> None:
    partition = block_partition(Grid((8, 2**20)), (2, 1))
    spec = FieldSpec("f", levels=2**10, extents=[Extent((1, 0, 0), (1, 0, 0))])
    plan = halo_plan(partition, 0, [spec])
    assert plan.bytes_sent == 2**33
    cut = plan.regrouped(chunk_bytes=2**30)
    assert [plan.bytes(m) for m in cut.phases[0].sends] == [2**30] * 8
    assert [plan.bytes(m) for m in cut.phases[0].receives] == [2**30] * 8
