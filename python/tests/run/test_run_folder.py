"""One job per folder, and nothing of a job that outlives its launcher."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_server import LAPWING, Answer
from lapwing.base.error import UserError
from lapwing.base.folder_lock import FolderLock

Lapwing = Callable[..., Answer]

SLOW = ("run", "tiny", "--progress", "none", "--set", "slow=0.1")  # 30 steps


@pytest.fixture
def begin(tiny_folder: Path, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Begin a command and wait until it has made the folder `here`."""

    def start(*arguments: str) -> subprocess.Popen[str]:
        job = subprocess.Popen(
            [*LAPWING, *arguments, "--out", "here"],
            env={**os.environ, "PYTHONPATH": str(tiny_folder)},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        end = time.monotonic() + 30
        while not (tmp_path / "here" / "case.toml").exists() and time.monotonic() < end:
            time.sleep(0.02)
        assert job.poll() is None
        return job

    return start


@pytest.mark.parametrize("servers", [(), ("--ranks", "2", "--io-ranks", "1")])
def test_a_second_job_in_the_folder_is_refused_and_harms_nothing(
    lapwing: Lapwing, begin: Callable[..., subprocess.Popen[str]], servers: tuple[str, ...]
) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    first = begin(*SLOW, *servers)
    second = lapwing("run", "tiny", "--out", "here", anew=True)
    _, err = first.communicate(timeout=60)
    assert second.code == 2
    assert "--out here" in second.err
    assert "another job writes to (host " in second.err
    assert "choose another --out" in second.err
    assert first.returncode == 0, err
    assert lapwing("compare", "whole/output.nc", "here/output.nc").out == "bitwise equal\n"
    assert lapwing("run", "tiny", "--out", "here").code == 0  # free again


@pytest.mark.ranks
def test_ranks_end_with_a_launcher_that_is_killed(
    lapwing: Lapwing, begin: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    job = begin(*SLOW, "--set", "duration=5d", "--ranks", "2")
    job.send_signal(signal.SIGKILL)
    job.wait(timeout=10)
    began = time.monotonic()
    job.communicate(timeout=20)  # until all that it has started has closed its output
    assert time.monotonic() - began < 15
    FolderLock("--out", tmp_path / "here").release()


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
