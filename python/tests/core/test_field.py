"""Fields in Python: on one rank here, on several in mpi_programs/fields.py."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lapwing import Extent, FieldSpec, Grid, Partition, Subdomain, block_partition
from lapwing.core import _core
from lapwing.core._core import Box

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = Path(__file__).parents[1] / "mpi_programs" / "fields.py"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_fields_on_ranks(run_on_ranks: RunOnRanks, ranks: int) -> None:
    output = run_on_ranks(ranks, PROGRAM.read_text(), timeout=100).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 0, 1, 3), (3, 0, 1, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_allocated_memory_has_the_order_of_the_spec(dtype: str, order: tuple[int, ...]) -> None:
    spec = FieldSpec("f", dtype, [Extent.cross(1)], levels=3, components=2, order=order)
    field = _core.Field.allocate(block_partition(Grid((6, 5)), (1, 1)), 0, spec)
    array = field.array()
    assert array.shape == (8, 7, 3, 2)
    assert array.dtype == dtype
    assert array.ctypes.data % 64 == 0
    stride = array.itemsize
    for axis in order:
        assert array.strides[axis] == stride
        stride *= array.shape[axis]
    assert not array.any()


def test_boxes_of_a_core_field() -> None:
    partition = Partition(
        Grid((6, 4)),
        2,
        [Subdomain(1, Box((0, 0, 0), (2, 4, 1))), Subdomain(1, Box((4, 0, 0), (6, 4, 1)))],
    )
    spec = FieldSpec("f", extents=[Extent((1, 0, 0), (0, 2, 0))])
    field = _core.Field.allocate(partition, 1, spec)
    assert field.count == 2
    assert field.owned(1) == Box((4, 0, 0), (6, 4, 1))
    assert field.allocated(1) == Box((3, 0, 0), (6, 6, 1))
    assert _core.Field.allocate(partition, 0, spec).count == 0
    with pytest.raises(IndexError):
        field.array(2)


def test_memory_outlives_its_field() -> None:
    partition = block_partition(Grid((6, 5)), (1, 1))
    array = _core.Field.allocate(partition, 0, FieldSpec("f")).array()
    others = [_core.Field.allocate(partition, 0, FieldSpec("f")).array() for _ in range(10)]
    array[...] = 7
    assert all(not np.shares_memory(array, other) and not other.any() for other in others)
    assert np.all(array == 7)


def test_field_specs_can_be_read() -> None:
    spec = FieldSpec(
        "salt", "float32", [Extent.cross(2)], levels=10, components=2, location="xface"
    )
    assert repr(spec) == (
        "FieldSpec(salt: float32 x 2 components, 10 levels, xface, order xyzc, "
        "halo x 2..2, y 2..2, no corners)"
    )
