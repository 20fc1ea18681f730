"""A short form of `make trust`: each fault once, by some transports; kills at random moments."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trust
import trust_faults
from command_server import LAPWING
from lapwing.core.mpi_runtime import built_with

pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

ROOT = Path(__file__).parents[3]
LEFT_OUT = ("persistent", "neighbor", "datatype", "direct", "pull")
MADE = list(trust_faults.faults())
# `make trust` tries every transport, and more kills
SHORT = [fault for fault in MADE if fault.moment.removeprefix("exchange, ") not in LEFT_OUT]
KILLS = int(os.environ.get("LAPWING_TEST_KILLS", "40"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, tiny_folder: Path) -> Path:
    return trust.make_whole(tmp_path_factory.mktemp("whole"), str(tiny_folder))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", SHORT, ids=lambda fault: f"{fault.kind}, {fault.moment}")
def test_a_fault(fault: trust_faults.Fault, whole: Path, tmp_path: Path, tiny_folder: Path) -> None:
    if missing := fault.needs():
        pytest.skip(missing)
    row = trust.Row(fault)
    trust.Trial(fault, tmp_path, whole, row, str(tiny_folder)).run()
    assert (row.hangs, row.lost, row.left, row.troubles) == (0, 0, 0, [])


def test_the_page_shows_what_was_kept() -> None:
    page = (ROOT / "docs" / "trust.md").read_text()
    kept = json.loads((ROOT / "docs" / "trust.json").read_text())
    assert trust.page_with(page, kept) == page, "run `make trust-page`"
    if str(built_with()) == kept["mpi"]:
        tried = {(row["kind"], row["moment"]) for row in kept["rows"]}
        assert {(fault.kind, fault.moment) for fault in MADE} == tried
    for row in kept["rows"]:
        assert [row[name] for name in ("hangs", "lost", "left", "troubles")] == [0, 0, 0, 0], row


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kills", [10, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_random_kills_lose_no_record(
    whole: Path, tmp_path: Path, tiny_folder: Path, kills: int
) -> None:
    """SIGKILL at any moment, again and again in one folder, until a run comes to its end."""
    environment = {**os.environ, "PYTHONPATH": str(tiny_folder), "TINY_NO_PICTURES": "1"}
    chance = random.Random(7)
    folder, done = tmp_path, 0
    while done < kills:
        folder = tmp_path / str(done)
        folder.mkdir()
        begin = [*LAPWING, *trust_faults.CASE, *trust_faults.OFTEN, "--out", "here"]
        while not (folder / "here" / "level.png").exists():
            there = any((folder / "here").glob("restart.lapwing*"))
            again = [*LAPWING, "run", "--resume", "here", "--progress", "none"]
            job = subprocess.Popen(
                again if there else begin,
                env=environment, cwd=folder, stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            if done < kills:
                wait = chance.uniform(0.3, 0.9)
                time.sleep(wait)
                job.kill()
            said, _ = job.communicate(timeout=60)
            assert job.returncode in (0, -signal.SIGKILL), said
            done += job.returncode == -signal.SIGKILL
        code, said = trust.lapwing(folder, environment, "compare", str(whole), "here/output.nc")
        assert code == 0, said
        done += 0 if done else 1


def test_few_descriptors_are_told_at_once(tmp_path: Path, tiny_folder: Path) -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60)); import sys; "
        "from lapwing.__main__ import main; sys.argv[1:] = ['run', 'tiny', '--out', 'here']; main()"
    )
    job = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tiny_folder)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 60
    assert job.returncode == 3, job.stderr
    assert "ulimit -n" in job.stderr
    assert not (tmp_path / "here").exists()
