"""Plans in messages of a limited size: the same values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing import Extent, FieldSpec, Grid, MessagePlan, UserError, block_partition, halo_plan
from lapwing.core.plan import Message
from plan_executor import FieldMemory, Memory, execute
from plan_strategies import field_lists, partitions, random_memories


def cut(plan: MessagePlan, chunk_bytes: int) -> MessagePlan:
    chunked = plan.in_chunks(chunk_bytes)
    before, after = plan.phases, chunked.phases
    for old, new in zip(before, after, strict=True):
        assert new.copies == old.copies
        check_messages(plan, new.sends, chunk_bytes)
        check_messages(plan, new.receives, chunk_bytes)
    assert chunked.bytes_sent == plan.bytes_sent
    assert chunked.bytes_received == plan.bytes_received
    return chunked


def check_messages(plan: MessagePlan, messages: list[Message], chunk_bytes: int) -> None:
    peers = [m.peer for m in messages]
    assert peers == sorted(peers), "ascending, several to one peer side by side"
    for message in messages:
        assert message.pieces
        assert plan.bytes(message) <= chunk_bytes


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100)
def test_plans_in_chunks_move_the_same_values(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    ordered = partition.aligned and data.draw(st.booleans())
    chunk_bytes = data.draw(st.sampled_from([8, 12, 40, 64, 400, 10_000]))
    plans = [halo_plan(partition, r, specs, ordered=ordered) for r in range(partition.ranks)]
    if data.draw(st.booleans()):
        plans = [plan.reversed(add=True) for plan in plans]
    others = [cut(p, chunk_bytes) for p in plans]
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
    for chunk_bytes in (2**30, 8):
        memory = FieldMemory(partition, spec)
        for number, array in enumerate(memory.arrays):
            array[...] = number
        memories: list[Memory] = [memory]
        execute([p.in_chunks(chunk_bytes) for p in plans], memories, memories)
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
        assert sent_boxes(plan.in_chunks(12 * 8))[0] == [shape]
    # one slice is larger than the chunk: rows of it travel
    spec = FieldSpec("f", levels=5, extents=[extent])
    rows = halo_plan(partition, 0, [spec]).in_chunks(4 * 8)
    assert sent_boxes(rows)[:2] == [[[1, 4, 1]], [[1, 2, 1]]]
    assert rows.messages_sent == 10


def test_small_messages_stay_whole_and_chunks_are_filled() -> None:
    partition = block_partition(Grid((8, 6)), (2, 1))
    specs = [FieldSpec(name, extents=[Extent.horizontal(1)]) for name in "abc"]
    plan = halo_plan(partition, 0, specs)  # three pieces of 48 bytes
    assert plan.in_chunks(144).messages_sent == 1
    assert [len(boxes) for boxes in sent_boxes(plan.in_chunks(143))] == [2, 1]
    assert repr(plan.in_chunks(144)) == repr(plan)


@pytest.mark.parametrize("chunk_bytes", [-1, 0, 7])
def test_a_chunk_holds_a_value(chunk_bytes: int) -> None:
    plan = halo_plan(block_partition(Grid((8, 6)), (2, 1)), 0, [FieldSpec("f")])
    with pytest.raises(UserError, match=f"chunk_bytes: got {chunk_bytes}; expected at least 8"):
        plan.in_chunks(chunk_bytes)


def test_messages_above_2_gib_become_smaller_ones() -> None:
    partition = block_partition(Grid((8, 2**20)), (2, 1))
    spec = FieldSpec("f", levels=2**10, extents=[Extent((1, 0, 0), (1, 0, 0))])
    plan = halo_plan(partition, 0, [spec])
    assert plan.bytes_sent == 2**33
    phase = plan.in_chunks(2**30).phases[0]
    assert [plan.bytes(m) for m in phase.sends] == [2**30] * 8
    assert [plan.bytes(m) for m in phase.receives] == [2**30] * 8
