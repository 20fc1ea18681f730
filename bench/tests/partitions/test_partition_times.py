"""The study of partitions and `lapwing bench partitions`, in short form."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunBench = Callable[..., Any]  # a fixture in conftest.py
PROGRAM = Path(__file__).parents[2] / "partition_times.py"


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_steps_on_all_cuts_end_with_the_same_bits(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "samples.json"
    few = ("--works", "shelf3d-small", "--samples", "2", "--steps", "1", "--seeds", "1")
    done = run_bench("partitions", *few, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row["method"]: row for row in json.loads(file.read_text())["results"]}
    assert {"all blocks", "ksection", "assigned", "metis blocks, volume 0"} <= set(rows)
    assert rows["wet blocks"]["extra"]["speed_up"] == 1.0


def study(*arguments: str) -> str:
    command = [sys.executable, str(PROGRAM), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cells_of(text: str, method: str) -> list[str]:
    (row,) = (line for line in text.splitlines() if line.startswith(f"| 6 | {method} |"))
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_costs_and_times_of_a_small_sea() -> None:
    said = study(
        *("--case", "northsea", "--ranks", "6", "--machines", "hector-xt4"),
        *("--seeds", "2", "--measure", "0"),
    )
    best, cut = cells_of(said, "wet blocks"), cells_of(said, "ksection")
    assert best[9] == "1.000"
    assert float(cut[7].replace(",", "")) > 0
    assert cells_of(said, "metis parts, volume")[7] == ""  # no boxes, no step
    assert "| hector-xt4 | all, over wet blocks |" in said
    assert "ksection" in said.splitlines()[-1]


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_predicted_steps_are_those_of_the_simulator() -> None:
    said = study(
        *("--case", "northsea", "--ranks", "6", "--machines", "hector-xt4"),
        *("--seeds", "1", "--measure", "0", "--simulate"),
    )
    for method in ("wet blocks", "ksection", "assigned", "metis blocks, cut"):
        predicted, simulated = (float(cells_of(said, method)[n].replace(",", "")) for n in (7, 10))
        assert predicted == pytest.approx(simulated, rel=0.05)
