"""Restart files: a checksum before everything, complete or absent."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.restart import Fingerprint, check_restart_file, read_restart, write_restart
from numpy.typing import NDArray

BELONGS = Fingerprint("toy", {"a.b": 1.5, "c": [1, 2]}, [3, 4, 1], [False, True, False], "abc" * 20)
STATE: dict[str, NDArray[Any]] = {
    "level": np.asfortranarray(np.arange(12.0).reshape(3, 4)) / 3,
    "steps": np.arange(24, dtype=np.int32).reshape(3, 4, 2),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_restart(tmp_path / "r", BELONGS, 17, STATE)
    return tmp_path / "r"


def test_reads_back_to_the_bit(path: Path) -> None:
    step, state = read_restart(path, BELONGS)
    assert step == check_restart_file(path, BELONGS) == 17
    assert list(state) == list(STATE)
    for name, array in STATE.items():
        assert state[name].dtype == array.dtype
        assert state[name].tobytes() == array.tobytes()


def test_the_bytes_do_not_depend_on_the_order_in_memory(path: Path, tmp_path: Path) -> None:
    other = {name: np.ascontiguousarray(array) for name, array in STATE.items()}
    write_restart(tmp_path / "s", BELONGS, 17, other)
    assert (tmp_path / "s").read_bytes() == path.read_bytes()


def test_the_head_is_text_that_sha256sum_can_confirm(path: Path) -> None:
    head, _, payload = path.read_bytes().partition(b"\n")
    assert hashlib.sha256(payload).hexdigest() in head.decode()


def test_every_damaged_byte_is_noticed(path: Path) -> None:
    good = path.read_bytes()
    for position in range(0, len(good), 13):
        bad = bytearray(good)
        bad[position] ^= 0x20
        path.write_bytes(bad)
        with pytest.raises(UserError, match=r"begins otherwise|corrupted|truncated"):
            read_restart(path, BELONGS)


def test_every_truncation_is_noticed(path: Path) -> None:
    good = path.read_bytes()
    for length in (0, 1, 50, 110, 200, len(good) - 1):
        path.write_bytes(good[:length])
        with pytest.raises(UserError, match=r"begins otherwise|truncated"):
            read_restart(path, BELONGS)
    path.write_bytes(good + b"x")
    with pytest.raises(UserError, match="grown"):
        read_restart(path, BELONGS)


def test_nothing_is_parsed_of_a_file_with_a_wrong_checksum(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object, **options: object) -> Any:
        raise AssertionError("parsed")

    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    monkeypatch.setattr("json.loads", never)
    monkeypatch.setattr("numpy.lib.format.read_array", never)
    with pytest.raises(UserError, match="corrupted"):
        read_restart(path, BELONGS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "boat"}, "model = toy"),
        ({"grid": [3, 5, 1]}, r"grid = \[3, 4, 1\]"),
        ({"settings": {"a.b": 2.5, "c": [1, 2]}}, "a.b = 1.5"),
        ({"settings": {"a.b": 1.5}}, "c = "),
        ({"wet": "d" * 64}, "wet cells"),
    ],
)
def test_another_case_is_refused_and_named(path: Path, change: dict[str, Any], words: str) -> None:
    other = Fingerprint(**{**BELONGS.__dict__, **change})
    with pytest.raises(UserError, match=words):
        check_restart_file(path, other)


def test_a_failure_leaves_the_old_file(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"pickle|object|Object"):
        write_restart(path, BELONGS, 18, {"level": np.array([object()])})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


@pytest.mark.parametrize("about", [b"", b"{}", b"[" * 100000, b"\xff", b'{"fields": ["u"]}'])
def test_a_right_checksum_of_something_else(tmp_path: Path, about: bytes) -> None:
    body = about + b"\n"
    head = f"lapwing-restart-1 sha256={hashlib.sha256(body).hexdigest()} bytes={len(body):020d}\n"
    (tmp_path / "r").write_bytes(head.encode() + body)
    for read in (check_restart_file, read_restart):
        with pytest.raises(UserError, match="text or arrays that cannot be read"):
            read(tmp_path / "r", BELONGS)
