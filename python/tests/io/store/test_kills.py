"""Writers of stores that are killed: a reader finds the last complete record, and runs go on."""

import ctypes
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import xarray
from lapwing.io.agenda import Agenda
from lapwing.io.record_file import Earlier
from lapwing.io.records.restarts import newest_restart
from lapwing.io.store.record_store import find_earlier_store
from store_case import BELONGS, StoreCase, expected, require_records, store_case

AGENDA = Agenda(60.0, 6e6, 60.0, 0.0, 1)
TRACE_ME, NEXT_CALL = 0, 24  # of ptrace


def records_in(path: Path) -> int:
    """The number of records that xarray sees."""
    with xarray.open_zarr(path, chunks=None) as data:
        return int(data.time.size)


def forked(work: Callable[[], None]) -> int:
    """A process that does the work and ends, of whatever it raises."""
    process = os.fork()
    if process == 0:
        try:
            work()
        finally:
            os._exit(0)
    return process


def killed_at_call(work: Callable[[], None], number: int) -> bool:
    """True if a process that does the work was killed at a system call; False if it had fewer."""
    trace = ctypes.CDLL(None, use_errno=True).ptrace

    def traced() -> None:
        if trace(TRACE_ME, 0, None, None) == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            work()

    process = forked(traced)
    _, status = os.waitpid(process, 0)
    assert os.WIFSTOPPED(status), "this system refuses ptrace"
    for _ in range(number):
        assert trace(NEXT_CALL, process, None, None) == 0
        _, status = os.waitpid(process, 0)
        if os.WIFEXITED(status):
            return False
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return True


@pytest.fixture
def case() -> StoreCase:
    return store_case()


def kill_at_each_call(case: StoreCase, folder: Path, every: int) -> int:
    """Kill the writer of the third record at each of its system calls; then the run goes on."""
    before, path, number = folder / "before.zarr", folder / "now.zarr", 1
    store = case.records(before)
    for record in range(2):
        case.append(store, record)
    store.release()
    while True:
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(before, path)
        store = case.records(path, Earlier(path, [0, 1], 2))
        killed = killed_at_call(lambda: case.append(store, 2), number)  # noqa: B023
        left = records_in(path)
        assert left == 3 if not killed else left in (2, 3)
        require_records(path, left)
        earlier = find_earlier_store(path, BELONGS, AGENDA, 2)
        assert earlier is not None
        again = case.records(path, earlier)
        for record in range(earlier.kept, 4):
            case.append(again, record)
        again.close()
        require_records(path, 4)
        if not killed:
            return number // every
        number += every


def test_a_kill_at_a_system_call_leaves_all_records(case: StoreCase, tmp_path: Path) -> None:
    assert kill_at_each_call(case, tmp_path, every=29) > 10


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_kill_at_any_system_call_leaves_all_records(case: StoreCase, tmp_path: Path) -> None:
    assert kill_at_each_call(case, tmp_path, every=1) > 300


def kill_restarts_at_each_call(case: StoreCase, folder: Path, every: int) -> int:
    """Kill the writer of a restart at each of its system calls."""
    path, step, number = folder / "r.zarr", 2, 1
    store = case.restart(path)
    for first in (1, 2):
        case.set(first)
        store.write(first)
    while True:
        case.set(step + 1)
        killed = killed_at_call(lambda: store.write(step + 1), number)  # noqa: B023
        newest, _ = newest_restart(path, BELONGS)
        found = case.restart(newest).read()
        assert found == step + 1 if not killed else found in (step, step + 1)
        sea = case.fields["sea"].owned.T
        assert (sea == expected("sea", found, 5)).all()
        step = found
        if not killed:
            return number // every
        number += every


def test_a_kill_at_a_system_call_leaves_an_intact_restart(case: StoreCase, tmp_path: Path) -> None:
    assert kill_restarts_at_each_call(case, tmp_path, every=29) > 10


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_kills_at_many_system_calls_leave_an_intact_restart(
    case: StoreCase, tmp_path: Path
) -> None:
    assert kill_restarts_at_each_call(case, tmp_path, every=3) > 300


def kill_at_random(case: StoreCase, path: Path, kills: int) -> int:
    """Kill writers at random moments, each of which goes on where the one before ended."""
    moments, records = random.Random(42), 0
    for _ in range(kills):
        earlier = Earlier(path, [], records) if records > 0 else None

        heard, told = os.pipe()

        def write(
            earlier: Earlier | None = earlier, first: int = records, told: int = told
        ) -> None:
            store = case.records(path, earlier)
            for record in range(first, 10**6):
                case.append(store, record)
                os.write(told, b".")

        process = forked(write)
        for _ in range(moments.randrange(6)):  # none: killed while it opens the store, too
            os.read(heard, 1)
        time.sleep(moments.uniform(0.0, 0.01))
        os.kill(process, signal.SIGKILL)
        os.close(heard)
        os.close(told)
        _, status = os.waitpid(process, 0)
        assert os.WIFSIGNALED(status)
        found = records_in(path) if path.exists() else 0
        assert found >= records
        if found > 0:
            require_records(path, found, first=max(0, records - 1))
        records = found
    return records


def test_kills_at_random_moments_lose_no_record(case: StoreCase, tmp_path: Path) -> None:
    assert kill_at_random(case, tmp_path / "a.zarr", 8) > 0


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_no_record(case: StoreCase, tmp_path: Path) -> None:
    assert kill_at_random(case, tmp_path / "a.zarr", 200) > 200
