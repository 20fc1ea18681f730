"""Fields in Python: on one rank here, on several in mpi_programs/fields.py."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import Extent, FieldSpec, Grid, Partition, Subdomain, block_partition
from lapwing.core import _core
from lapwing.core._core import Box

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = Path(__file__).parents[2] / "mpi_programs" / "fields.py"


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
        "FieldSpec(salt: float32 x 2 components, 10 levels, xface, order xyzc, halo cross(2))"
    )


# ---- arrays of other libraries, which DLPack hands over without a copy


class Foreign:
    """An array of another library, as DLPack shows it."""

    def __init__(self, values: Any, device: tuple[int, int] = (1, 0)) -> None:
        self.values, self.device = values, device

    def __dlpack__(self, **asked: Any) -> Any:
        if self.device[0] != 1:
            raise BufferError("its memory is on a device")
        return self.values.__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_an_array_of_another_library_is_used_in_place(dtype: str) -> None:
    with lapwing.Domain((6, 4), periodic=True) as domain:
        values = np.zeros((8, 6), dtype)
        field = domain.wrap("a", Foreign(values))
        values[1:-1, 1:-1] = np.arange(24).reshape(6, 4)
        lapwing.Exchange([field]).run()
    np.testing.assert_array_equal(values, np.pad(values[1:-1, 1:-1], 1, mode="wrap"))


def test_strides_of_another_library_are_kept() -> None:
    with lapwing.Domain((6, 4), periodic=True) as domain:
        memory = np.zeros((6, 16))
        values = memory.T[::2]
        lapwing.Exchange([domain.wrap("a", [Foreign(values)])]).run()
        values[1:-1, 1:-1] = 3.0
        lapwing.Exchange([domain.wrap("a", [Foreign(values)])]).run()
    assert (values == 3.0).all()
    assert not memory.T[1::2].any()


def read_only() -> Any:
    values = np.zeros((8, 6))
    values.flags.writeable = False
    return values


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (Foreign(np.zeros((8, 6)), (2, 0)), "array of field a: got Foreign, of which DLPack says"),
        (Foreign(np.zeros((8, 6), complex)), "array of field a|type of field a|complex128"),
        (Foreign(np.zeros((8, 6), "float16")), "float16"),
        (Foreign(read_only()), "read-only|readonly"),
        (Foreign(np.zeros((8, 5))), r"got .*\(8, 5"),
        (3.0, "got float; expected arrays of NumPy"),
        ([[1.0, 2.0]], "got list; expected arrays of NumPy"),
        ("text", "got str; expected arrays of NumPy"),
    ],
)
def test_what_cannot_be_used_in_place_is_refused(array: Any, words: str) -> None:
    with lapwing.Domain((6, 4)) as domain, pytest.raises(lapwing.UserError, match=words):
        domain.wrap("a", array)


@pytest.mark.parametrize(
    ("value", "got"), [(1.0, "got 1.0"), (np.ones((6, 5)), r"got an array \(6, 5\)")]
)
def test_set_of_what_is_no_function_says_what_is(value: Any, got: str) -> None:
    with lapwing.Domain((6, 5)) as domain:
        field = domain.field("heat")
        with pytest.raises(lapwing.UserError, match=f"values of field heat: {got}; expected a fu"):
            field.set(value)
