"""Transposes: plans of all ranks in one process, and mpi_programs/transposes/transposes.py."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing import (
    FieldSpec,
    Grid,
    UserError,
    fft_partition,
    level_slab_partition,
    transpose_census,
    transpose_methods,
    transpose_plan,
    tri_partition,
    twod_partition,
)
from plan_executor import UNTOUCHED, FieldMemory, Memory, cells_of, execute

PROGRAMS = Path(__file__).parents[1] / "mpi_programs" / "transposes"
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]
MAKES = (lambda twod: twod, fft_partition, tri_partition, level_slab_partition)


@given(
    blocks=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    more=st.tuples(*[st.integers(0, 6)] * 3),
    ends=st.tuples(*[st.integers(0, 3)] * 2),
    order=st.permutations(range(4)),
)
@settings(max_examples=40)
def test_all_cells_change_sides(
    blocks: tuple[int, int],
    more: tuple[int, int, int],
    ends: tuple[int, int],
    order: list[int],
) -> None:
    px, py = blocks
    size = (max(px, py) + more[0], py + more[1], px + more[2])
    twod = twod_partition(Grid(size), blocks)
    source, target = (MAKES[n](twod) for n in ends)
    a, b, c, d = order
    specs = [FieldSpec("u", order=(a, b, c, d)), FieldSpec("v", components=2)]
    plans = [transpose_plan(source, target, rank, specs) for rank in range(twod.ranks)]
    come = [FieldMemory(source, spec) for spec in specs]
    go = [FieldMemory(target, spec) for spec in specs]
    codes = [
        np.arange(np.prod(size) * spec.components).reshape(*size, spec.components) for spec in specs
    ]
    for memory, code in zip(come, codes, strict=True):
        for number, owned in enumerate(memory.owned):
            memory.at(number, owned)[...] = code[cells_of(owned, twod.grid.box)]
    sides: tuple[list[Memory], list[Memory]] = ([*come], [*go])
    execute(plans, *sides)
    for memory, code in zip(go, codes, strict=True):
        for number, owned in enumerate(memory.owned):
            got = memory.at(number, owned)
            np.testing.assert_array_equal(got, code[cells_of(owned, twod.grid.box)])
            assert UNTOUCHED not in got


def test_level_slabs_cost_messages_that_grow_with_the_square_of_the_ranks() -> None:
    spec = [FieldSpec("t")]
    for n in (2, 3, 4):
        twod = twod_partition(Grid((24, 24, 32)), (n, n))
        ranks = n * n
        assert transpose_census(twod, fft_partition(twod), spec).messages == ranks * (n - 1)
        slabs = transpose_census(twod, level_slab_partition(twod), spec)
        assert slabs.messages == ranks * (ranks - 1)
        assert slabs.bytes + slabs.copied == 8 * 24 * 24 * 32
    one = transpose_census(twod, fft_partition(twod), spec, ranks=[3])
    assert one.messages == 3
    assert "3 messages" in repr(one)


def test_a_plan_can_be_read_and_counted() -> None:
    twod = twod_partition(Grid((8, 6, 4)), (2, 1))
    plan = transpose_plan(twod, fft_partition(twod), 0, [FieldSpec("t")], groups=2, group=1)
    assert "rank 0: 1 messages, 192 bytes out, 192 in, 192 copied" in repr(plan)
    assert plan.packed_bytes == 2 * 192
    with pytest.raises(UserError, match="group of a transpose"):
        transpose_plan(twod, fft_partition(twod), 0, [FieldSpec("t")], groups=2, group=2)


def test_methods() -> None:
    names = ["auto", "p2p", "alltoallv", "alltoallw", "onesided", "shared"]
    assert transpose_methods() == names


@pytest.mark.parametrize("ranks", [1, 2, 4, 6])
def test_fields_are_transposed(run_on_ranks: RunOnRanks, ranks: int) -> None:
    output = run_on_ranks(ranks, (PROGRAMS / "transposes.py").read_text(), timeout=90).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks
    assert output.count("transposes run by alltoallv (LAPWING_TRANSPOSE_METHOD)") == 1
