"""`lapwing run --resume`, and what asks a run to stop."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import netCDF4
import pytest
from command_server import Answer

pytestmark = pytest.mark.ranks

Lapwing = Callable[..., Answer]

OFTEN = ("--set", "restart_every=5min", "--progress", "none")  # 30 steps, restarts after each 5


def same(lapwing: Lapwing) -> None:
    answer = lapwing("compare", "whole/output.nc", "here/output.nc")
    assert (answer.code, answer.out) == (0, "bitwise equal\n")


def killed(lapwing: Lapwing, step: int) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    job = lapwing("run", "tiny", "--out", "here", *OFTEN, environment={"TINY_KILL": str(step)})
    assert job.code != 0


@pytest.mark.parametrize(
    "ranks",
    [
        pytest.param((), marks=pytest.mark.slow),
        ("--ranks", 3),
        ("--ranks", 3, "--io-ranks", 1),
    ],
)
def test_goes_on_bit_by_bit(lapwing: Lapwing, ranks: tuple[object, ...]) -> None:
    killed(lapwing, 23)
    answer = lapwing("run", "--resume", "here", *ranks)
    assert answer.code == 0, answer.err
    assert "from step 20 on" in answer.out
    same(lapwing)


@pytest.mark.parametrize("ranks", [(), ("--ranks", 3, "--io-ranks", 1)])
def test_a_run_at_its_end_is_completed(
    lapwing: Lapwing, tmp_path: Path, ranks: tuple[object, ...]
) -> None:
    """As after a kill between the last restart file and the pictures."""
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    assert lapwing("run", "tiny", "--out", "here").code == 0
    profile = (tmp_path / "here/profile.json").read_bytes()
    (tmp_path / "here/level.png").unlink()
    answer = lapwing("run", "--resume", "here", *ranks)
    assert answer.code == 0, answer.err
    assert "no step was left to run" in answer.out
    assert "records are missing" not in answer.out
    assert (tmp_path / "here/level.png").exists()
    assert (tmp_path / "here/profile.json").read_bytes() == profile
    same(lapwing)


@pytest.mark.parametrize(
    "harm", ["flip", *(pytest.param(h, marks=pytest.mark.slow) for h in ("cut", "empty")), "gone"]
)
def test_an_older_restart_where_the_newest_is_torn(
    lapwing: Lapwing, tmp_path: Path, harm: str
) -> None:
    killed(lapwing, 23)
    newest = tmp_path / "here" / "restart.lapwing"
    whole = newest.read_bytes()
    middle = len(whole) // 2
    newest.write_bytes(
        {
            "flip": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "cut": whole[:middle],
            "empty": b"",
            "gone": b"",
        }[harm]
    )
    if harm == "gone":
        newest.unlink()
    answer = lapwing("run", "--resume", "here")
    assert answer.code == 0, answer.err
    assert "from step 15 on" in answer.out
    assert ("here/restart.lapwing: got" in answer.out) == (harm != "gone")
    same(lapwing)


def test_no_intact_restart(lapwing: Lapwing, tmp_path: Path) -> None:
    killed(lapwing, 23)
    for path in (tmp_path / "here").glob("restart.lapwing*"):
        path.write_bytes(b"")
    before = (tmp_path / "here" / "output.nc.journal").read_bytes()
    answer = lapwing("run", "--resume", "here")
    assert answer.code == 2
    assert "--resume here" in answer.err
    assert "here/restart.lapwing.former" in answer.err
    assert (tmp_path / "here" / "output.nc.journal").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "CASE"),
        (("--resume", "nowhere"), "--resume nowhere"),
        (("tiny", "--resume", "here"), "leave CASE or --resume out"),
        (("--resume", "here", "--out", "there"), "leave --out or --resume out"),
        (("--resume", "here", "--restart", "a"), "leave --restart or --resume out"),
    ],
)
def test_wrong_requests(lapwing: Lapwing, arguments: tuple[str, ...], word: str) -> None:
    answer = lapwing("run", *arguments)
    assert answer.code == 2
    assert word in answer.err


@pytest.mark.parametrize(
    ("number", "ranks"),
    [
        (signal.SIGUSR1, ("--ranks", "2")),
        (signal.SIGTERM, ("--ranks", "3", "--io-ranks", "1")),
        pytest.param(signal.SIGTERM, ("--ranks", "2"), marks=pytest.mark.slow),
        pytest.param(signal.SIGUSR1, ("--ranks", "3", "--io-ranks", "1"), marks=pytest.mark.slow),
        *(
            pytest.param(number, (), marks=pytest.mark.slow)
            for number in (signal.SIGTERM, signal.SIGUSR1)
        ),
    ],
)
def test_a_signal_stops_and_resume_goes_on(
    lapwing: Lapwing,
    begin: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    number: signal.Signals,
    ranks: tuple[str, ...],
) -> None:
    slow = ("--set", "slow=0.1")
    job = begin("run", "tiny", "--out", "here", *slow, "--progress", "none", *ranks)
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    assert job.returncode == 0, out + err
    assert f"stopped by {number.name if not ranks else 'SIGUSR1'} after step" in out
    assert "goes on with --resume: lapwing run --resume here" in out
    with netCDF4.Dataset(tmp_path / "here" / "output.nc") as data:
        assert len(data["step"]) < 7
    answer = lapwing("run", "--resume", "here", *ranks)
    assert answer.code == 0, answer.err
    assert lapwing("run", "tiny", "--out", "whole", *slow).code == 0
    same(lapwing)
