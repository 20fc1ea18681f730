"""The journal of records: whatever its length, what was whole is read."""

import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lapwing.io.journal import Journal, Record, journal_of, read_about, read_records

ABOUT = {"taken": 0, "belongs": {"model": "tiny"}}


def record(step: int) -> Record:
    values = {"level": np.full((2, 3), step + 0.5), "flow": np.arange(3, dtype=np.float32) + step}
    return Record(step, 60.0 * step, values)


def same(a: Record, b: Record) -> bool:
    return (a.step, a.time) == (b.step, b.time) and all(
        np.array_equal(a.values[name], b.values[name]) and a.values[name].dtype == values.dtype
        for name, values in b.values.items()
    )


def are_first(found: list[Record], count: int) -> bool:
    return len(found) == count and all(same(one, record(n)) for n, one in enumerate(found))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, list[int]]:
    """A file, the bytes of its journal, and its lengths after each of its records."""
    path = tmp_path_factory.mktemp("journal") / "output.nc"
    journal = Journal(path, ABOUT)
    ends = [journal_of(path).stat().st_size]
    for step in range(5):
        journal.append(record(step))
        ends.append(journal_of(path).stat().st_size)
    journal.close()
    return path, journal_of(path).read_bytes(), ends


def test_what_is_written_is_read(written: tuple[Path, bytes, list[int]]) -> None:
    path, whole, _ = written
    journal_of(path).write_bytes(whole)
    assert read_about(path) == ABOUT
    assert are_first(list(read_records(path)), 5)


@given(cut=st.integers(min_value=0, max_value=2000))
def test_torn_at_any_byte(written: tuple[Path, bytes, list[int]], cut: int) -> None:
    path, whole, ends = written
    cut = min(cut, len(whole))
    journal_of(path).write_bytes(whole[:cut])
    if cut < ends[0]:
        assert read_about(path) is None
        return
    found = list(read_records(path))
    assert are_first(found, sum(end <= cut for end in ends[1:]))


@given(at=st.integers(min_value=0, max_value=2000), flip=st.integers(min_value=1, max_value=255))
def test_a_flipped_byte_is_found(
    written: tuple[Path, bytes, list[int]], at: int, flip: int
) -> None:
    """The records before it are read, and none with another value."""
    path, whole, ends = written
    at = ends[0] + at % (len(whole) - ends[0])
    journal_of(path).write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
    found = list(read_records(path))
    assert are_first(found, sum(end <= at for end in ends[1:]))


def test_no_journal(tmp_path: Path) -> None:
    assert read_about(tmp_path / "output.nc") is None


def test_checksum_goes_on() -> None:
    """It is that of time, step and values, one after another."""
    one = record(3)
    parts = [np.array([one.time]), np.array([one.step]), one.values["flow"]]
    assert one.checksum(["flow"]) == zlib.crc32(b"".join(part.tobytes() for part in parts))


@pytest.mark.parametrize("about", [b"", b"{", b"[1]", b"[" * 100000, b"\xff"])
def test_a_head_of_something_else(tmp_path: Path, about: bytes) -> None:
    path = tmp_path / "output.nc"
    journal_of(path).write_bytes(b"lapwing-journal-1 " + about + b"\n")
    assert read_about(path) is None
