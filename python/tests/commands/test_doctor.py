"""`lapwing doctor`: sound here, and able to speak where things are missing."""

import mmap
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.finding import Finding
from lapwing.commands import doctor
from lapwing.commands.doctor import is_healthy
from lapwing.run.segments import remove_left_segments

# the fixture in conftest.py
Lapwing = Callable[..., Any]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_this_machine_is_sound(lapwing: Lapwing) -> None:
    answer = lapwing("doctor")
    assert answer.code == 0, answer.out
    for words in ("Python", "mpiexec", "2 ranks together", "model coast", "netCDF4", "cores"):
        assert words in answer.out
    assert "the transport shared works" in answer.out
    assert "all is there" in answer.out


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_ranks_that_cannot_share_memory_are_a_finding_that_stops_nobody() -> None:
    job = subprocess.run(
        ["sh", "-c", 'ulimit -n 200; exec "$0" -m lapwing doctor', sys.executable],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert job.returncode == 0, job.stdout + job.stderr
    said = " ".join(job.stdout.split())
    assert "optional memory of other ranks" in said
    assert "may not map the memory of another" in said
    assert "ulimit -n" in said


def test_only_necessary_things_are_necessary() -> None:
    optional = Finding("gfortran", "not installed", "apt-get install gfortran", necessary=False)
    assert is_healthy([Finding("Python", "3.11"), optional])
    assert not is_healthy([Finding("netCDF4", "not installed", "pip install netCDF4")])


def test_missing_package_and_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    checks = [doctor._package("no-such-package-here"), doctor._program("gfortran")]
    assert "pip install no-such-package-here" in checks[0].remedy
    assert "apt-get install gfortran" in checks[1].remedy
    doctor.print_checks(checks)
    shown = capsys.readouterr().out
    assert "MISSING" in shown
    assert "optional" in shown
    assert "something necessary is missing" in shown


def test_a_broken_installation_is_a_finding() -> None:
    def look() -> list[Finding]:
        raise ImportError("libmpi.so.12: cannot open shared object file")

    (check,) = doctor._guarded("lapwing", look)
    assert "libmpi.so.12" in check.found
    assert "make build" in check.remedy


@pytest.mark.parametrize("hidden", ["lapwing.core._core", "lapwing.core._build_info"])
def test_doctor_speaks_where_the_extension_cannot_be_loaded(hidden: str) -> None:
    code = (
        f"import sys; sys.modules[{hidden!r}] = None; from lapwing.__main__ import main;"
        "sys.argv[1:] = ['doctor']; main()"
    )
    job = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert job.returncode == 1, job.stderr
    assert "something necessary is missing" in job.stdout
    assert "Traceback" not in job.stderr


@pytest.mark.parametrize("name", ["mpich_shm_1", "ucx_shm_posix_1", "sm_segment.here.0.1.0"])
def test_segments_of_killed_jobs_are_named_and_those_in_use_are_not(
    tmp_path: Path, name: str
) -> None:
    left, used = tmp_path / f"{name}1", tmp_path / f"{name}2"
    for segment in (left, used):
        segment.write_bytes(bytes(4096))
    with used.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        said = doctor._mpi_memory(tmp_path).found
        remove_left_segments(0, tmp_path)
    assert f"1 segments of killed jobs are left: rm {left}" in said
    assert str(used) not in said
    assert [path.name for path in tmp_path.iterdir()] == [used.name]


def test_nothing_is_said_of_segments_where_there_are_none(tmp_path: Path) -> None:
    assert "segments" not in doctor._mpi_memory(tmp_path).found
