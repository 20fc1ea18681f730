"""`lapwing run` that goes wrong on the way: exit code 3, the last good state kept, no hang."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.io.restart import read_restart, write_restart
from lapwing.run.request import Request, make_setup

pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

# the fixture in conftest.py
Lapwing = Callable[..., Any]
EndsBySignal = Callable[..., str]  # likewise

# going on in the folder of the earlier part
ON = ("--restart", "here/restart.lapwing", "--out", "here")


# what is left of the output of a job that cannot close it
KILLED = ("output.nc.journal", "output.nc.part")


def names(folder: Path) -> list[str]:
    """The contents of a folder, except for the lock of an ended job and the older restart."""
    there = folder.iterdir() if folder.exists() else ()
    left_out = (".lapwing.lock", "restart.lapwing.former")
    return sorted(path.name for path in there if path.name not in left_out)


# ---- runs that go wrong on the way


@pytest.mark.parametrize("ranks", [1, 3])
def test_nan_stops_the_run_and_keeps_the_last_good_restart(
    lapwing: Lapwing, tmp_path: Path, ranks: int
) -> None:
    answer = lapwing(
        "run", "tiny", "--ranks", ranks, "--out", "here",
        "--set", "nan_step=16", "--set", "restart_every=5min",
    )  # fmt: skip
    assert answer.code == 4
    assert "level is NaN at (3, 4)" in answer.err
    assert re.search(r"after step (16|17|18|19|20) on rank \d", answer.err)
    assert "here/restart.lapwing, step 15" in answer.err
    assert "Traceback" not in answer.err
    assert names(tmp_path / "here") == ["case.toml", "output.nc", "restart.lapwing"]
    with netCDF4.Dataset(tmp_path / "here" / "output.nc") as data:
        assert list(data["step"][:]) == [0, 5, 10, 15]
        assert np.isfinite(data["level"][:]).all()
    # and it is good: the run goes on from it where nothing spoils it
    answer = lapwing("run", "here/case.toml", "--restart", "here/restart.lapwing", "--set",
                     "nan_step=0", "--out", "on")  # fmt: skip
    assert answer.code == 2  # the settings of the model are part of the state's identity
    assert "trouble.nan_step" in answer.err


def test_nan_without_a_restart_file(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "tiny", "--out", "here", "--set", "nan_step=16")
    assert answer.code == 4
    assert "restart:  none was written; --set run.restart_every=" in answer.err
    assert names(tmp_path / "here") == ["case.toml", "output.nc"]


def test_nan_after_a_restart_names_that_file_and_leaves_its_output(
    lapwing: Lapwing, tmp_path: Path
) -> None:
    trouble = ("run", "tiny", "--set", "nan_step=16")
    assert lapwing(*trouble, "--set", "duration=15min", "--out", "here").code == 0
    before = (tmp_path / "here" / "output.nc").read_bytes()
    answer = lapwing(*trouble, *ON)
    assert answer.code == 4
    assert "restart:  here/restart.lapwing, step 15" in answer.err
    assert (tmp_path / "here" / "output.nc").read_bytes() == before
    assert "output.nc.part" not in names(tmp_path / "here")


# ---- the same with the real model


@pytest.mark.parametrize("ranks", [1, 3])
def test_sea_that_runs_dry(lapwing: Lapwing, tmp_path: Path, ranks: int) -> None:
    answer = lapwing(
        "run", "kelvin-small", "--ranks", ranks, "--out", "here", "--progress", "none",
        "--set", "depth.depth=0.4", "--set", "run.restart_every=30min", "--set", "check_every=10",
        "--set", "output.every=30min",
    )  # fmt: skip
    assert answer.code == 4, answer.out + answer.err
    assert answer.err.count("error:") == 1
    found = re.search(
        r"got:      sea_level = (\S+) at step (\d+), cell \(\d+, \d+\), rank \d$", answer.err, re.M
    )
    assert found, answer.err
    assert "remedy:   run the case again with a smaller time step" in answer.err
    kept = re.search(r"restart:  here/restart.lapwing, step (\d+)$", answer.err, re.M)
    assert kept, answer.err
    assert 0 < int(kept[1]) <= int(found[2])
    with netCDF4.Dataset(tmp_path / "here" / "output.nc") as data:
        assert data["step"][-1] == int(kept[1])
    # the last good state is one: the run goes on from it, into the same trouble
    again = lapwing("run", "here/case.toml", "--progress", "none", *ON)
    assert again.code == 4
    assert found[0].split(", rank")[0] in again.err


@pytest.mark.parametrize("ranks", [1, 2])
def test_nan_in_the_real_model(lapwing: Lapwing, tmp_path: Path, ranks: int) -> None:
    """A restart file whose checksum is right and whose state is not."""
    case = ("run", "kelvin-small", "--progress", "none")
    assert lapwing(*case, "--set", "duration=1h", "--out", "here").code == 0
    path = tmp_path / "here" / "restart.lapwing"
    plan = make_setup(Request("kelvin-small"), 1)
    step, state = read_restart(path, plan.belongs)
    state["sea_level"][20, 13] = -np.nan
    write_restart(tmp_path / "bad.lapwing", plan.belongs, step, state)
    answer = lapwing(
        *case, "--ranks", ranks, "--restart", "bad.lapwing", "--out", "here",
        "--set", "check_every=1",
    )  # fmt: skip
    assert answer.code == 4, answer.out + answer.err
    assert re.search(rf"got:      sea_level = nan at step {step + 1}, cell \(\d+, \d+\), rank \d$",
                     answer.err, re.M), answer.err  # fmt: skip
    assert "-nan" not in answer.err
    assert "expected: a finite value" in answer.err
    assert read_restart(path, plan.belongs)[0] == step
    assert names(tmp_path / "here")[:2] == ["case.toml", "output.nc"]


def test_exception_on_one_rank_ends_the_job(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing(
        "run", "tiny", "--ranks", 3, "--out", "here",
        "--set", "raise_step=9", "--set", "raise_rank=1",
    )  # fmt: skip
    assert answer.code == 3
    assert "KeyError: 'a bug in the tiny model'" in answer.err
    assert "during:   time step, step 8, on rank 1" in answer.err
    assert "Traceback" in answer.err  # a bug, not a user's error
    assert set(names(tmp_path / "here")) <= {"case.toml", "output.nc", *KILLED}


def test_exception_on_the_only_rank(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "tiny", "--out", "here", "--set", "raise_step=9")
    assert answer.code == 3
    assert "time step, step 8" in answer.err
    assert names(tmp_path / "here") == ["case.toml", "output.nc"]
    with netCDF4.Dataset(tmp_path / "here" / "output.nc") as kept:
        assert kept["step"][:].tolist() == [0, 5]  # all that was due before


def test_rank_that_vanishes_ends_the_job(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "tiny", "--ranks", 2, "--out", "here", "--set", "die_step=9")
    assert answer.code == 3
    assert set(names(tmp_path / "here")) <= {"case.toml", "output.nc", *KILLED}


def test_full_disk_is_an_outside_error(lapwing: Lapwing, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "restart.lapwing.part").symlink_to("/dev/full")
    answer = lapwing("run", "tiny", "--ranks", 2, "--out", "here")
    assert answer.code == 3
    assert "No space left" in answer.err
    assert "restart.lapwing" not in names(tmp_path / "here")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with room for 400 KiB, where root may mount one."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k", "lapwing-test", str(folder)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("root may not mount a small disk here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("ranks", [1, 2])
def test_disk_fills_during_the_output(lapwing: Lapwing, small_disk: Path, ranks: int) -> None:
    answer = lapwing("run", "tiny", "--ranks", ranks, "--out", "small/here", "--set", "nx=60",
                     "--set", "ny=60", "--set", "output.every=1min")  # fmt: skip
    assert answer.code == 3
    assert answer.err.startswith("error: small/here/output.nc\n")
    assert answer.err.count("error:") == 1
    assert "Traceback" not in answer.err
    assert "free on that disk" in answer.err
    assert "during:   output, step" in answer.err
    # the journal, which is not compressed, meets the end of the disk: the file is closed
    assert names(small_disk / "here") == ["case.toml", "output.nc"]
    with netCDF4.Dataset(small_disk / "here" / "output.nc") as kept:
        steps = kept["step"][:].compressed().tolist()
        assert len(steps) >= 3
        assert steps == list(range(len(steps)))  # every whole record, and no other
        assert np.isfinite(kept["level"][: len(steps)].compressed()).all()


def test_failure_to_close_names_the_output_and_leaves_its_records(
    lapwing: Lapwing, tmp_path: Path, tiny_folder: Path
) -> None:
    answer = lapwing("run", "tiny", "--out", "here", environment={"TINY_FULL_AT_CLOSE": "1"})
    assert answer.code == 3
    assert "error: here/output.nc\n" in answer.err
    assert "during:   output, step 30" in answer.err
    assert "Traceback" not in answer.err
    assert names(tmp_path / "here") == ["case.toml", *KILLED, "restart.lapwing"]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_ranks_end_with_the_command(
    ends_by_signal: EndsBySignal, tmp_path: Path, number: signal.Signals
) -> None:
    slow = ("--set", "slow=0.5", "--set", "duration=5d")
    begun = (tmp_path / "here" / "case.toml").exists  # by the ranks
    said = ends_by_signal(number, ["run", "tiny", "--ranks", "2", "--out", "here", *slow], begun)
    assert f"ended by {number.name}" in said


def test_debug_prints_a_traceback(lapwing: Lapwing) -> None:
    answer = lapwing("run", "tiny", "--set", "nx=many", "--debug")
    assert answer.code == 2
    assert "Traceback" in answer.err


def test_missing_mpiexec(tiny_folder: Path, tmp_path: Path) -> None:
    """The launcher of a copied build is looked for where it was; here that place is empty."""
    code = (
        "import sys; from lapwing.core import mpi_runtime; from lapwing.__main__ import main;"
        "mpi_runtime._build_info.MPIEXEC = '/nowhere/mpiexec';"
        "sys.argv[1:] = ['run', 'tiny', '--ranks', '2', '--out', 'here']; main()"
    )
    job = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tiny_folder), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert job.returncode == 3, job.stderr
    assert "mpiexec missing" in job.stderr
    assert "remedy:" in job.stderr
    assert names(tmp_path / "here") == []
