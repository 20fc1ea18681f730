"""`lapwing run` from the outside: files, exit codes, restarts, and never a job that hangs."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray
from lapwing.core import mpi_runtime

pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

# the fixture in conftest.py
Lapwing = Callable[..., Any]

RESULTS = [
    *("case.toml", "level.png", "output.nc", "partition.png", "profile.json", "restart.lapwing"),
]


def names(folder: Path) -> list[str]:
    """The contents of a folder, except for the older restart file."""
    there = folder.iterdir() if folder.exists() else ()
    return sorted(path.name for path in there if path.name != "restart.lapwing.former")


@pytest.mark.parametrize("ranks", [1, 3])
def test_run_leaves_all_results(lapwing: Lapwing, tmp_path: Path, ranks: int) -> None:
    answer = lapwing("run", "tiny", "--ranks", ranks, "--out", "here", pictures=True)
    assert answer.code == 0, answer.err
    assert names(tmp_path / "here") == RESULTS
    for picture in ("level.png", "partition.png"):
        assert (tmp_path / "here" / picture).read_bytes().startswith(b"\x89PNG")
    assert f"30 steps on {ranks} rank" in answer.out
    for words in ("halo start", "halo wait", "compute", "messages", "bytes", "here/output.nc"):
        assert words in answer.out
    assert answer.err == ""


def test_stages_have_their_times_and_calls(lapwing: Lapwing, tmp_path: Path) -> None:
    short = ("--ranks", 2, "--set", "run.duration=3000s")  # 30 steps
    answer = lapwing("run", "kelvin-small", *short, "--out", "here")
    profile = json.loads((tmp_path / "here" / "profile.json").read_text())
    for rank in profile["ranks"]:
        assert rank["stages"].keys() == rank["calls"].keys() != set()
        assert set(rank["calls"].values()) == {30}  # one box in each
        assert all(seconds > 0 for seconds in rank["stages"].values())
    for name in profile["ranks"][0]["stages"]:
        assert re.search(rf"^{name} +[\d.e-]+ s +[\d.e-]+ s +30$", answer.out, re.MULTILINE)
    split = lapwing("run", "kelvin-small", *short, "--out", "tiles", "--strategy", "dataflow:2")
    assert split.code == 0, split.err
    tiles = json.loads((tmp_path / "tiles" / "profile.json").read_text())
    assert all(rank["calls"]["momentum_x"] >= 60 for rank in tiles["ranks"])


def test_default_folder_has_the_name_of_the_case(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny").code == 0
    assert names(tmp_path / "out" / "tiny") == RESULTS


def test_rank_counts_and_blocks_give_the_same_bits(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--out", "one").code == 0
    for number, options in enumerate((["--ranks", "2"], ["--blocks", "3x1"], ["--blocks", "2x2"])):
        assert lapwing("run", "tiny", "--out", f"n{number}", *options).code == 0
        answer = lapwing("compare", "one/output.nc", f"n{number}/output.nc")
        assert (answer.code, answer.out) == (0, "bitwise equal\n")
        restart = [tmp_path / folder / "restart.lapwing" for folder in ("one", f"n{number}")]
        assert restart[0].read_bytes() == restart[1].read_bytes()


@pytest.mark.parametrize(
    "minutes", [pytest.param(14, marks=pytest.mark.slow), 15]
)  # an even and an odd step
def test_restart_continues_bit_by_bit_on_other_ranks(
    lapwing: Lapwing, tmp_path: Path, minutes: int
) -> None:
    assert lapwing("run", "tiny", "--ranks", 2, "--out", "whole").code == 0
    half = lapwing("run", "tiny", "--set", f"duration={minutes}min", "--out", "half")
    assert half.code == 0, half.err
    answer = lapwing(
        "run", "tiny", "--ranks", 3, "--restart", "half/restart.lapwing", "--out", "rest"
    )
    assert answer.code == 0, answer.err
    assert f"from step {minutes} on" in answer.out
    answer = lapwing("compare", "whole/output.nc", "rest/output.nc", "--common-times")
    assert (answer.code, answer.out) == (0, "bitwise equal\n")
    restart = [tmp_path / folder / "restart.lapwing" for folder in ("whole", "rest")]
    assert restart[0].read_bytes() == restart[1].read_bytes()


# ---- a restart into the folder of the earlier part

ON = ("--restart", "here/restart.lapwing", "--out", "here")


@pytest.mark.parametrize(("minutes", "ranks"), [(14, 1), (15, 3)])  # 14: its end is no record
def test_restart_into_the_same_folder_appends(
    lapwing: Lapwing, tmp_path: Path, minutes: int, ranks: int
) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    assert lapwing("run", "tiny", "--set", f"duration={minutes}min", "--out", "here").code == 0
    answer = lapwing("run", "tiny", "--ranks", ranks, *ON)
    assert answer.code == 0, answer.err
    kept = minutes // 5 + 1
    assert f"output keeps {kept} of 4 records of here/output.nc" in answer.out
    answer = lapwing("compare", "whole/output.nc", "here/output.nc")
    assert (answer.code, answer.out) == (0, "bitwise equal\n")
    assert names(tmp_path / "here") == RESULTS


def test_records_after_the_restart_are_written_anew(lapwing: Lapwing, tmp_path: Path) -> None:
    """An older copy of the restart file, and records of single precision."""
    single = ("run", "tiny", "--set", "precision=single")
    assert lapwing(*single, "--out", "here", "--set", "duration=12min").code == 0
    (tmp_path / "here" / "restart.lapwing").rename(tmp_path / "older")
    assert lapwing(*single, "--out", "here").code == 0
    before = (tmp_path / "here" / "output.nc").read_bytes()
    (tmp_path / "whole.nc").write_bytes(before)
    answer = lapwing(*single, "--restart", "older", "--out", "here")
    assert answer.code == 0, answer.err
    assert "keeps 3 of 7 records" in answer.out
    assert lapwing("compare", "whole.nc", "here/output.nc").out == "bitwise equal\n"


def test_records_of_a_killed_job_are_kept(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    often = ("run", "tiny", "--set", "restart_every=10min")
    # twice: the second job is killed while it appends
    for step, on in ((18, ()), (28, ON)):
        job = lapwing(*often, *(on or ("--out", "here")), environment={"TINY_KILL": str(step)})
        assert job.code != 0
        assert "output.nc.part" in names(tmp_path / "here")
    answer = lapwing(*often, *ON)
    assert answer.code == 0, answer.err
    assert "output.nc.part was left by a job that was killed" in answer.out
    assert "from step 20 on" in answer.out
    assert lapwing("compare", "whole/output.nc", "here/output.nc").out == "bitwise equal\n"
    assert names(tmp_path / "here") == RESULTS


@pytest.mark.parametrize("torn", [*(pytest.param(n, marks=pytest.mark.slow) for n in (0, 1)), 500])
def test_a_damaged_part_harms_nothing(lapwing: Lapwing, tmp_path: Path, torn: int) -> None:
    """Neither what HDF5 leaves in the middle of a change, nor a journal whose end is torn."""
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    often = ("run", "tiny", "--set", "restart_every=10min")
    assert lapwing(*often, "--out", "here", environment={"TINY_KILL": "24"}).code != 0
    (tmp_path / "here" / "output.nc.part").write_bytes(b"\x89HDF\r\n\x1a\n and no more")
    journal = tmp_path / "here" / "output.nc.journal"
    if torn:  # in the middle of a record after the restart
        with journal.open("ab") as file:
            file.write(journal.read_bytes()[-2000:][:torn])
    answer = lapwing(*often, *ON)
    assert answer.code == 0, answer.err
    assert lapwing("compare", "whole/output.nc", "here/output.nc").out == "bitwise equal\n"
    assert names(tmp_path / "here") == RESULTS


@pytest.mark.parametrize("precision", ["single", pytest.param("double", marks=pytest.mark.slow)])
def test_flipped_bytes_in_earlier_records_are_found(
    lapwing: Lapwing, tmp_path: Path, precision: str
) -> None:
    case = ("run", "tiny", "--set", f"precision={precision}")
    assert lapwing(*case, "--set", "duration=15min", "--out", "here").code == 0
    with netCDF4.Dataset(tmp_path / "here" / "output.nc", "a") as data:
        data["level"][2, 4, 5] = np.nextafter(data["level"][2, 4, 5], data["level"].dtype.type(9))
    before = (tmp_path / "here" / "output.nc").read_bytes()
    answer = lapwing(*case, *ON)
    assert answer.code == 2
    assert "here/output.nc, record 2" in answer.err
    assert "(corrupted)" in answer.err
    assert (tmp_path / "here" / "output.nc").read_bytes() == before
    with netCDF4.Dataset(tmp_path / "here" / "output.nc", "a") as data:
        data["bottom"][1, 4, 5] = 8.0  # one that never changes
    assert "record 0" in lapwing(*case, *ON).err


def test_missing_records_are_said(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--set", "duration=11min", "--out", "here").code == 0
    assert lapwing("run", "tiny", "--set", "duration=20min", "--out", "there").code == 0
    answer = lapwing("run", "tiny", "--restart", "there/restart.lapwing", "--out", "here")
    assert answer.code == 0, answer.err
    assert "records are missing in it after step 11, up to step 20" in answer.out


OTHER_OUTPUT = {
    "settings": (["--set", "pace=0.5"], "pace = 0.5"),
    "grid": (["--set", "nx=13"], "[13, 10, 1]"),
    "precision": (["--set", "precision=single"], "float32"),
    "variables": (["--set", "output.variables=['level']"], "x_xface: not there"),
    "start": (["--set", "start='2001-01-01'"], "2001"),
}


@pytest.mark.parametrize("what", OTHER_OUTPUT)
@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_output_of_another_case_is_not_appended_to(
    lapwing: Lapwing, tmp_path: Path, what: str, ranks: int
) -> None:
    change, words = OTHER_OUTPUT[what]
    assert lapwing("run", "tiny", "--set", "duration=10min", "--out", "mine").code == 0
    assert lapwing("run", "tiny", *change, "--out", "here").code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()}
    answer = lapwing(
        "run", "tiny", "--ranks", ranks, "--restart", "mine/restart.lapwing", "--out", "here"
    )
    assert answer.code == 2, answer.out + answer.err
    assert answer.err.count("error: here/output.nc") == 1
    assert words in answer.err
    assert "choose another --out" in answer.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()} == before


def test_resolved_case_runs_again(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--set", "pace=0.5", "--out", "first").code == 0
    assert "pace = 0.5" in (tmp_path / "first" / "case.toml").read_text()
    assert lapwing("run", "first/case.toml", "--out", "second").code == 0
    assert lapwing("compare", "first/output.nc", "second/output.nc").code == 0
    assert (tmp_path / "first" / "case.toml").read_text() == (
        tmp_path / "second" / "case.toml"
    ).read_text()


def test_runs_on_the_ranks_of_an_mpiexec(lapwing: Lapwing) -> None:
    answer = lapwing("run", "tiny", "--out", "here", before=mpi_runtime.launcher_command(2))
    assert answer.code == 0, answer.err
    assert "30 steps on 2 ranks" in answer.out
    assert answer.out.count("30 steps") == 2  # headline and table, of one rank


def test_output_opens_in_xarray(lapwing: Lapwing, tmp_path: Path) -> None:
    assert (
        lapwing("run", "tiny", "--ranks", 2, "--set", "precision=single", "--out", "here").code == 0
    )
    with xarray.open_dataset(tmp_path / "here" / "output.nc") as data:
        assert data.level.dims == ("time", "y", "x")
        assert data.flow.dims == ("time", "y", "x_xface")
        assert data.level.dtype == np.float32
        assert data.sizes["time"] == 7
        assert data.time.values[1] - data.time.values[0] == np.timedelta64(5, "m")
        assert data.attrs["Conventions"].startswith("CF-")
        assert data.attrs["title"] == "A tiny sea"
        assert bool(data.level.isnull()[-1, 0, 0])  # land
        assert not bool(data.level.isnull()[-1, -1, 0])
        # a face between a wet and a dry cell is land, and so is the closed eastern end
        assert bool(data.flow.isnull()[-1, 0, 3])
        assert bool(data.flow.isnull()[-1, :, -1].all())
        assert float(data.x_xface[0] - data.x[0]) == 500.0
        # what never changes is there once; levels come before y and x
        assert data.bottom.dims == ("level2", "y_yface", "x_xface")
        assert float(data.bottom[1, 5, 5]) == 7.0
        assert bool(data.bottom.isnull()[0, 2, 3])


@pytest.mark.slow
def test_real_model_restarts_bit_by_bit(lapwing: Lapwing) -> None:
    """From an odd step on, where the order of x and y is the other one, and on other blocks."""
    case = ("run", "kelvin-small", "--progress", "none", "--set", "output.every=30min")
    assert lapwing(*case, "--set", "duration=5h", "--ranks", 2, "--out", "whole").code == 0
    part = lapwing(*case, "--set", "duration=8100 s", "--out", "part")
    assert part.code == 0, part.err
    rest = ("--restart", "part/restart.lapwing", "--blocks", "1x3", "--out", "rest")
    answer = lapwing(*case, "--set", "duration=5h", *rest)
    assert answer.code == 0, answer.err
    assert "from step 81 on" in answer.out
    answer = lapwing("compare", "whole/output.nc", "rest/output.nc", "--common-times")
    assert (answer.code, answer.out) == (0, "bitwise equal\n")


def test_progress_bar_and_plain_lines(lapwing: Lapwing) -> None:
    slow = ["--set", "slow=0.02", "--set", "duration=20min"]
    bar = lapwing("run", "tiny", *slow, "--progress", "bar")
    assert "20/20" in bar.out
    assert "steps/s" in bar.out
    plain = lapwing("run", "tiny", *slow, "--progress", "plain")
    assert "step 20/20 (100 %), model time 20:00 min" in plain.out
    none = lapwing("run", "tiny", "--progress", "none")
    assert "step 30/30" not in none.out


ONE_CORE = (
    "import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


@pytest.mark.parametrize("command", ["run", pytest.param("census", marks=pytest.mark.slow)])
def test_more_ranks_than_cores_are_said_once(lapwing: Lapwing, command: str) -> None:
    case = ("kelvin-small", "--ranks", 3, "--set", "duration=10min")
    answer = lapwing(command, *case, before=[sys.executable, "-c", ONE_CORE])
    assert answer.code == 0, answer.err
    words = "3 ranks on 1 core: waits let others run; timings mean little"
    assert answer.out.count(words) == 1
    assert words not in lapwing(command, *case[:1]).out


def test_version(lapwing: Lapwing) -> None:
    answer = lapwing("--version")
    assert (answer.code, answer.err) == (0, "")
    assert re.fullmatch(r"lapwing \d+\.\d+\.\d+\S*\n", answer.out)


def test_help_teaches(lapwing: Lapwing) -> None:
    for command, words in (
        ([], ["--version", "run", "census", "compare", "doctor", "Exit codes"]),
        (["run"], ["CASE", "Examples", "--ranks", "3h", "unstable", "restart.lapwing"]),
        (["compare"], ["Exit codes: 0 bitwise equal", "--common-times"]),
        (["doctor"], ["necessary"]),
    ):
        answer = lapwing(*command, "--help")
        assert answer.code == 0
        for word in words:
            assert word in answer.out


COSTS = """
import sys
from lapwing.core.mpi_runtime import start
from lapwing.run.request import Request, agree_on_setup

comm = start().COMM_WORLD
for costs in ("", "on=50", sys.argv[1]):
    sets = "run.partition=ksection", f"run.costs={costs}"
    request = Request(case="shelf3d-small", sets=sets, leaves_results=False)
    cut = agree_on_setup(request, comm).partition
    if comm.rank == 0:
        print([(part.box.lo, part.box.hi) for part in cut.subdomains])
"""


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_the_cut_of_a_run_counts_what_its_machine_file_says(
    run_on_ranks: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    machine = tmp_path / "machine.toml"
    machine.write_text("[partition]\non = 50.0\n")
    default, told, read = run_on_ranks(4, COSTS, str(machine)).stdout.splitlines()
    assert told == read != default
