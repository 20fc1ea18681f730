"""One job per folder, and nothing of a job that outlives its launcher."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_server import Answer
from lapwing.base.error import UserError
from lapwing.base.folder_lock import FolderLock

Lapwing = Callable[..., Answer]

SLOW = ("run", "tiny", "--out", "here", "--progress", "none", "--set", "slow=0.1")  # 30 steps


@pytest.mark.parametrize("servers", [(), ("--ranks", "2", "--io-ranks", "1")])
def test_a_second_job_in_the_folder_is_refused_and_harms_nothing(
    lapwing: Lapwing, begin: Callable[..., subprocess.Popen[str]], servers: tuple[str, ...]
) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    first = begin(*SLOW, *servers)
    assert first.poll() is None
    second = lapwing("run", "tiny", "--out", "here", anew=True)
    _, err = first.communicate(timeout=60)
    assert second.code == 2
    assert "--out here" in second.err
    assert "another job writes to (host " in second.err
    assert "choose another --out" in second.err
    assert first.returncode == 0, err
    assert lapwing("compare", "whole/output.nc", "here/output.nc").out == "bitwise equal\n"
    assert lapwing("run", "tiny", "--out", "here").code == 0  # free again


def free(folder: Path) -> bool:
    """True if no job writes to the folder."""
    try:
        FolderLock("--out", folder).release()
    except UserError:
        return False
    return True


@pytest.mark.ranks
def test_ranks_end_with_a_launcher_that_is_killed(
    lapwing: Lapwing, begin: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    job = begin(*SLOW, "--set", "duration=5d", "--ranks", "2")
    assert job.poll() is None
    job.send_signal(signal.SIGKILL)
    end = time.monotonic() + 15
    job.communicate(timeout=15)  # until all that it has started has closed its output
    while not free(tmp_path / "here"):  # some ranks end after their output is closed
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_lock_is_for_one(tmp_path: Path) -> None:
    lock = FolderLock("--out", tmp_path)
    with pytest.raises(UserError, match=f"process {os.getpid()}"):
        FolderLock("--out", tmp_path)
    lock.release()
    lock.release()
    FolderLock("--out", tmp_path).release()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_left_is_taken(tmp_path: Path) -> None:
    left = tmp_path / ".lapwing.lock"
    left.write_text("host elsewhere, process 1")
    lock = FolderLock("--out", tmp_path)
    assert f"process {os.getpid()}," in left.read_text()
    lock.release()
    assert not left.exists()


def test_output_that_begins_in_the_middle_is_told(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--set", "duration=15min", "--out", "here").code == 0
    (tmp_path / "here" / "output.nc").unlink()
    answer = lapwing("run", "tiny", "--restart", "here/restart.lapwing", "--out", "here")
    assert answer.code == 0, answer.err
    assert "note   here/output.nc begins after step 15" in answer.out
