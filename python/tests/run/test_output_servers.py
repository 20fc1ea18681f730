"""`lapwing run --io-ranks`: the files of a run without servers, bit for bit, and no hang."""

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.core import mpi_runtime
from lapwing.run.servers.crew import kept_files, shared_out

# the fixture in conftest.py
Lapwing = Callable[..., Any]
EndsBySignal = Callable[..., str]  # likewise

POINTS = (
    "--set", "output.points=['mast: 5000, 7000', 'quay: 2000, 4000', 'b: 11000, 9000']",
    "--set", "output.points_every=2min",
)  # fmt: skip
ALWAYS = [
    *("case.toml", "level.png", "output.nc", "partition.png", "profile.json", "restart.lapwing"),
]
ON = ("--restart", "here/restart.lapwing", "--out", "here")


def names(folder: Path) -> list[str]:
    """The contents of a folder, except for the lock of an ended job and the older restart."""
    there = folder.iterdir() if folder.exists() else ()
    left_out = (".lapwing.lock", "restart.lapwing.former")
    return sorted(path.name for path in there if path.name not in left_out)


def same_files(folder: Path, one: str, other: str, *files: str) -> None:
    """Not one byte differs: nothing in the files tells who wrote them."""
    for file in files:
        assert (folder / one / file).read_bytes() == (folder / other / file).read_bytes(), file


def test_every_file_has_one_server() -> None:
    for points in (False, True):
        for servers in range(1, len(kept_files(points)) + 1):
            shares = shared_out(servers, points)
            assert sorted(shares) == sorted(kept_files(points))
            assert set(shares.values()) == set(range(servers))
    assert shared_out(2, points=True) == {"output.nc": 0, "restart.lapwing": 1, "points.nc": 1}


@pytest.mark.ranks
@pytest.mark.parametrize(
    ("servers", "ranks"),
    [
        (1, 2),
        (2, 3),
        *(pytest.param(*more, marks=pytest.mark.slow) for more in ((1, 1), (1, 4), (2, 1), (3, 2))),
    ],
)
def test_servers_write_the_same_files(
    lapwing: Lapwing, tmp_path: Path, servers: int, ranks: int
) -> None:
    case = ("run", "tiny", *POINTS, "--set", "restart_every=7min")
    assert lapwing(*case, "--out", "own").code == 0
    answer = lapwing(*case, "--out", "served", "--ranks", ranks + servers, "--io-ranks", servers)
    assert answer.code == 0, answer.err
    assert f"30 steps on {ranks} rank" in answer.out
    assert re.search(rf"output {servers} server ranks?( \(.*\))?, {ranks} model rank", answer.out)
    assert re.search(r"output +\d+\.\d+ s of the slowest rank, copying, and handing", answer.out)
    assert names(tmp_path / "served") == names(tmp_path / "own")
    same_files(tmp_path, "own", "served", "output.nc", "points.nc", "restart.lapwing")
    answer = lapwing("compare", "own/output.nc", "served/output.nc")
    assert (answer.code, answer.out) == (0, "bitwise equal\n")


@pytest.mark.ranks
def test_the_ranks_of_an_mpiexec_are_divided(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--set", "precision=single", "--out", "own").code == 0
    answer = lapwing(
        "run", "tiny", "--set", "precision=single", "--io-ranks", 1, "--out", "served",
        before=mpi_runtime.launcher_command(3),
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.out.count("1 server rank, 2 model ranks") == 1
    same_files(tmp_path, "own", "served", "output.nc", "restart.lapwing")


@pytest.mark.ranks
def test_without_ranks_a_server_comes_on_top(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "tiny", "--blocks", "2x1", "--io-ranks", 1, "--out", "here")
    assert answer.code == 0, answer.err
    assert "1 server rank, 2 model ranks" in answer.out
    assert names(tmp_path / "here") == ALWAYS


@pytest.mark.ranks
@pytest.mark.parametrize(
    "case", [pytest.param("kelvin3d-small", marks=pytest.mark.slow), "shelf3d-small"]
)
def test_layers_and_wet_cells_of_a_sea(lapwing: Lapwing, tmp_path: Path, case: str) -> None:
    """Layers, fixed maps, a coast and a partition that is searched for: on three model ranks."""
    short = ("run", case, "--progress", "none", "--set", "duration=1h", "--set", "every=20min")
    cut = ("--set", "run.partition=ksection")
    assert lapwing(*short, *cut, "--ranks", 3, "--out", "own").code == 0
    answer = lapwing(*short, *cut, "--ranks", 4, "--io-ranks", 1, "--out", "served")
    assert answer.code == 0, answer.err
    same_files(tmp_path, "own", "served", "output.nc", "restart.lapwing")


@pytest.mark.ranks
@pytest.mark.parametrize("minutes", [pytest.param(14, marks=pytest.mark.slow), 15])
def test_restart_from_a_file_of_a_server(lapwing: Lapwing, tmp_path: Path, minutes: int) -> None:
    """On other ranks, with and without servers, into the same folder."""
    case = ("run", "tiny", *POINTS)
    assert lapwing(*case, "--out", "whole").code == 0
    served = ("--ranks", 3, "--io-ranks", 1)
    half = lapwing(*case, "--set", f"duration={minutes}min", "--out", "here", *served)
    assert half.code == 0, half.err
    for file in ("restart.lapwing", "output.nc", "points.nc"):
        (tmp_path / "other").mkdir(exist_ok=True)
        (tmp_path / "other" / file).write_bytes((tmp_path / "here" / file).read_bytes())
    answer = lapwing(*case, *ON, "--ranks", 4, "--io-ranks", 2)
    assert answer.code == 0, answer.err
    assert f"output keeps {minutes // 5 + 1} of 4 records of here/output.nc" in answer.out
    answer = lapwing(*case, "--restart", "other/restart.lapwing", "--out", "other", "--ranks", 2)
    assert answer.code == 0, answer.err
    for folder in ("here", "other"):
        for file in ("output.nc", "points.nc"):
            assert lapwing("compare", f"whole/{file}", f"{folder}/{file}").code == 0
        same_files(tmp_path, "whole", folder, "restart.lapwing")


@pytest.mark.ranks
def test_records_of_a_killed_job_with_a_server_are_kept(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    served = ("run", "tiny", "--set", "restart_every=5min", "--ranks", 3, "--io-ranks", 1)
    job = lapwing(*served, "--set", "slow=0.02", "--out", "here", environment={"TINY_KILL": "28"})
    assert job.code != 0
    assert "output.nc.part" in names(tmp_path / "here")
    answer = lapwing(*served, "--set", "slow=0.02", *ON)
    assert answer.code == 0, answer.err
    assert "output.nc.part was left by a job that was killed" in answer.out
    assert lapwing("compare", "whole/output.nc", "here/output.nc").out == "bitwise equal\n"


# ---- what goes wrong


@pytest.mark.ranks
@pytest.mark.parametrize(
    ("servers", "ranks"),
    [
        pytest.param(1, 1, marks=pytest.mark.slow),
        (1, 3),
        pytest.param(2, 2, marks=pytest.mark.slow),
    ],
)
def test_nan_keeps_the_good_records(
    lapwing: Lapwing, tmp_path: Path, servers: int, ranks: int
) -> None:
    trouble = ("run", "tiny", "--set", "nan_step=16", "--set", "restart_every=5min")
    own = lapwing(*trouble, "--out", "own")
    answer = lapwing(*trouble, "--out", "here", "--ranks", ranks + servers, "--io-ranks", servers)
    assert answer.code == own.code == 4
    assert "level is NaN at (3, 4)" in answer.err
    assert "restart:  here/restart.lapwing, step 15" in answer.err
    assert answer.err.count("error:") == 1
    assert names(tmp_path / "here") == names(tmp_path / "own")
    same_files(tmp_path, "own", "here", "output.nc", "restart.lapwing")


@pytest.mark.ranks
def test_records_of_what_never_changes_alone(lapwing: Lapwing, tmp_path: Path) -> None:
    """No field travels for a record, and there is one all the same."""
    short = ("run", "kelvin-small", "--set", "duration=30min", "--set", "output.every=10min")
    only = ("--set", 'output.variables=["depth"]', "--progress", "none")
    for out, ranks, servers in (("own", 1, 0), ("here", 2, 1)):
        answer = lapwing(*short, *only, "--ranks", ranks, "--io-ranks", servers, "--out", out)
        assert answer.code == 0, answer.err
    same_files(tmp_path, "own", "here", "output.nc", "restart.lapwing")


@pytest.mark.ranks
def test_nan_after_a_restart_leaves_the_earlier_output(lapwing: Lapwing, tmp_path: Path) -> None:
    trouble = ("run", "tiny", "--set", "nan_step=16", "--ranks", 2, "--io-ranks", 1)
    assert lapwing(*trouble, "--set", "duration=15min", "--out", "here").code == 0
    before = (tmp_path / "here" / "output.nc").read_bytes()
    answer = lapwing(*trouble, *ON)
    assert answer.code == 4
    assert "restart:  here/restart.lapwing, step 15" in answer.err
    assert (tmp_path / "here" / "output.nc").read_bytes() == before
    assert "output.nc.part" not in names(tmp_path / "here")


@pytest.mark.ranks
@pytest.mark.parametrize(
    "servers", [pytest.param(0, marks=pytest.mark.slow), 1, pytest.param(2, marks=pytest.mark.slow)]
)
def test_full_disk_stops_the_model(lapwing: Lapwing, tmp_path: Path, servers: int) -> None:
    """Files may not grow beyond a limit; the restart file of before stays."""
    answer = lapwing(
        "run", "tiny", "--ranks", 2 + servers, "--io-ranks", servers, "--out", "here",
        "--set", "nx=100", "--set", "ny=100", "--set", "output.every=1min",
        "--set", "restart_every=1min", "--set", "slow=0.02", "--set", "duration=2h",
        environment={"TINY_FILE_LIMIT": "600000"},
    )  # fmt: skip
    assert answer.code == 3
    assert answer.err.startswith("error: here/output.nc\n"), answer.err
    assert answer.err.count("error:") == 1
    for part in ("got:", "expected: to write it", "remedy:   look at the free space"):
        assert part in answer.err
    assert "Traceback" not in answer.err
    # the journal, which is not compressed, meets the limit: the file is closed
    assert names(tmp_path / "here") == ["case.toml", "output.nc", "restart.lapwing"]
    stopped = re.search(r"during:   output, step (\d+)", answer.err)
    assert stopped, answer.err
    assert 2 <= int(stopped[1]) < 120
    # what is left is good
    on = lapwing("run", "here/case.toml", "--restart", "here/restart.lapwing", "--out", "on",
                 "--set", "output.every=1h")  # fmt: skip
    assert on.code == 0, on.err


@pytest.mark.ranks
def test_a_restart_file_that_cannot_be_written(lapwing: Lapwing, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "restart.lapwing.part").symlink_to("/dev/full")
    answer = lapwing("run", "tiny", "--ranks", 3, "--io-ranks", 1, "--out", "here")
    assert answer.code == 3
    assert "error: here/restart.lapwing\n" in answer.err
    assert "No space left" in answer.err
    assert "restart.lapwing" not in names(tmp_path / "here")


@pytest.mark.ranks
def test_a_failure_to_close_is_told_by_the_model(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing(
        "run", "tiny", "--ranks", 3, "--io-ranks", 1, "--out", "here",
        environment={"TINY_FULL_AT_CLOSE": "1"},
    )  # fmt: skip
    assert answer.code == 3
    assert "error: here/output.nc\n" in answer.err
    assert "during:   output, step 30" in answer.err
    assert names(tmp_path / "here") == [
        "case.toml", "output.nc.journal", "output.nc.part", "restart.lapwing",
    ]  # fmt: skip


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_output_of_another_case_is_refused_once(
    lapwing: Lapwing, tmp_path: Path, ranks: int
) -> None:
    """The server finds it, after the model was made."""
    half = ("--set", "duration=15min")
    assert lapwing("run", "tiny", *half, "--out", "here").code == 0
    assert lapwing("run", "tiny", *half, "--set", "pace=0.5", "--out", "other").code == 0
    (tmp_path / "other" / "output.nc").replace(tmp_path / "here" / "output.nc")
    answer = lapwing("run", "tiny", *ON, "--ranks", ranks + 1, "--io-ranks", 1)
    assert answer.code == 2, answer.err
    assert answer.err.count("error:") == 1
    assert "pace = 0.5" in answer.err


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_what_only_the_model_refuses(lapwing: Lapwing, tmp_path: Path, ranks: int) -> None:
    served = ("--ranks", ranks + 1, "--io-ranks", 1)
    answer = lapwing("run", "tiny", "--out", "here", *served, "--set", "halo=40")
    assert answer.code == 2, answer.err
    assert answer.err.count("error:") == 1
    assert not (tmp_path / "here").exists()


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_exception_on_one_rank_ends_the_servers_too(
    lapwing: Lapwing, tmp_path: Path, ranks: int
) -> None:
    answer = lapwing(
        "run", "tiny", "--ranks", ranks + 1, "--io-ranks", 1, "--out", "here",
        "--set", "raise_step=9", "--set", f"raise_rank={ranks // 2}",
    )  # fmt: skip
    assert answer.code == 3
    assert "KeyError: 'a bug in the tiny model'" in answer.err
    assert "time step, step 8" in answer.err
    left = {"case.toml", "output.nc", "output.nc.part", "output.nc.journal"}
    assert set(names(tmp_path / "here")) <= left


@pytest.mark.ranks
def test_rank_that_vanishes_ends_the_servers_too(lapwing: Lapwing, tmp_path: Path) -> None:
    served = ("--ranks", 3, "--io-ranks", 1)
    assert lapwing("run", "tiny", *served, "--out", "here", "--set", "die_step=9").code == 3


@pytest.mark.ranks
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGHUP, marks=pytest.mark.slow), signal.SIGINT]
)
def test_servers_end_with_the_command(
    ends_by_signal: EndsBySignal, tmp_path: Path, number: signal.Signals
) -> None:
    served = ("--ranks", "3", "--io-ranks", "1", "--set", "slow=0.5", "--set", "duration=5d")
    begun = (tmp_path / "here" / "case.toml").exists  # by the ranks
    said = ends_by_signal(number, ["run", "tiny", "--out", "here", *served], begun)
    assert f"ended by {number.name}" in said


@pytest.mark.ranks
def test_a_served_record_is_the_state_of_its_step(lapwing: Lapwing, tmp_path: Path) -> None:
    """The model writes on at once: what travels must be a copy."""
    case = ("run", "tiny", "--set", "output.every=1min", "--set", "nx=300", "--set", "ny=200")
    assert lapwing(*case, "--out", "own").code == 0
    assert lapwing(*case, "--out", "served", "--ranks", 3, "--io-ranks", 1).code == 0
    with (
        netCDF4.Dataset(tmp_path / "own/output.nc") as own,
        netCDF4.Dataset(tmp_path / "served/output.nc") as served,
    ):
        assert list(served["step"][:]) == list(range(31))
        for step in range(31):
            np.testing.assert_array_equal(own["level"][step], served["level"][step])


@pytest.mark.slow
def test_a_slow_server_may_take_its_time(lapwing: Lapwing) -> None:
    """It answers the model's watchdogs between the variables of a record."""
    answer = lapwing(
        "run", "tiny", "--ranks", 3, "--io-ranks", 1, "--out", "here", "--progress", "none",
        "--set", "duration=4min", "--set", "output.every=1min",
        environment={"LAPWING_WATCHDOG": "1", "TINY_SLOW_DISK": "6"}, timeout=120,
    )  # fmt: skip
    assert answer.code == 0, answer.out + answer.err
    assert "no progress" not in answer.err
