"""Gather plans of all ranks in one process: the whole grid on one rank, and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing import FieldSpec, Grid, Partition, UserError, block_partition, gather_plan
from plan_executor import UNTOUCHED, FieldMemory, Memory, WholeMemory, cells_of, execute
from plan_strategies import field_lists, partitions


@given(st.data())
@settings(max_examples=60)
def test_gather_collects_every_owned_cell_and_scatter_returns_it(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    root = data.draw(st.integers(0, partition.ranks - 1))
    plans = [gather_plan(partition, r, specs, root=root) for r in range(partition.ranks)]
    parts = [FieldMemory(partition, spec) for spec in specs]
    wholes = [WholeMemory(partition, spec) for spec in specs]
    want = []
    for part, whole in zip(parts, wholes, strict=True):
        codes = np.arange(whole.array.size, dtype=np.int64).reshape(whole.array.shape)
        owned_by_somebody = np.zeros(whole.array.shape, bool)
        for number, owned in enumerate(part.owned):
            cells = cells_of(owned, whole.box)
            part.at(number, owned)[...] = codes[cells]
            owned_by_somebody[cells] = True
        want.append(np.where(owned_by_somebody, codes, UNTOUCHED))
    from_parts: list[Memory] = [*parts]
    to_wholes: list[Memory] = [*wholes]
    execute(plans, from_parts, to_wholes)
    for whole, expected in zip(wholes, want, strict=True):
        np.testing.assert_array_equal(whole.array, expected)

    before = [[array.copy() for array in part.arrays] for part in parts]
    for part in parts:
        for array in part.arrays:
            array[...] = UNTOUCHED
    execute([plan.reversed() for plan in plans], to_wholes, from_parts)
    for part, arrays in zip(parts, before, strict=True):
        for array, same in zip(part.arrays, arrays, strict=True):
            np.testing.assert_array_equal(array, same)  # owned cells are back, halos untouched


def test_gather_is_one_message_per_rank() -> None:
    partition = block_partition(Grid((9, 8)), (3, 2))
    specs = [FieldSpec(name, levels=2) for name in "uv"]
    for rank in range(partition.ranks):
        plan = gather_plan(partition, rank, specs, root=4)
        (phase,) = plan.phases
        assert [m.peer for m in phase.sends] == ([] if rank == 4 else [4])
        assert [m.peer for m in phase.receives] == ([0, 1, 2, 3, 5] if rank == 4 else [])
        assert len(phase.copies) == (2 if rank == 4 else 0)
        volume = partition.subdomains[rank].box.volume
        assert plan.bytes_sent == (0 if rank == 4 else volume * 2 * 8 * 2)


def test_a_rank_that_owns_nothing_can_be_the_root() -> None:
    """An output server is a rank of the partition that owns nothing."""
    model = block_partition(Grid((9, 8)), (3, 1))
    partition = Partition(model.grid, 4, model.subdomains)
    plans = [gather_plan(partition, rank, [FieldSpec("f")], root=3) for rank in range(4)]
    assert [plan.messages_sent for plan in plans] == [1, 1, 1, 0]
    (phase,) = plans[3].phases
    assert [message.peer for message in phase.receives] == [0, 1, 2]
    assert (phase.sends, phase.copies) == ([], [])
    assert plans[3].bytes_received == 9 * 8 * 8


@pytest.mark.parametrize(("rank", "root"), [(0, 4), (0, -1), (4, 0), (-1, 0)])
def test_rank_and_root_exist(rank: int, root: int) -> None:
    partition = block_partition(Grid((8, 8)), (2, 2))
    with pytest.raises(UserError, match=r"(rank|root): got (4|-1); expected 0 <= (rank|root) < 4"):
        gather_plan(partition, rank, [FieldSpec("f")], root=root)
