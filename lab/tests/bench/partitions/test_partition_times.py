"""The study of partitions and `lapwing bench partitions`, in short form."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunBench = Callable[..., Any]  # a fixture in conftest.py
PROGRAM = Path(__file__).parents[3] / "programs" / "partition_times.py"
STEP = 8  # column of the table


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_steps_on_all_cuts_end_with_the_same_bits(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "samples.json"
    few = ("--works", "shelf3d-small", "--samples", "2", "--steps", "1", "--seeds", "1")
    done = run_bench("partitions", *few, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row["method"]: row for row in json.loads(file.read_text())["results"]}
    assert {"all blocks", "ksection, tiles", "assigned", "metis blocks, volume 1"} <= set(rows)
    assert rows["wet blocks"]["extra"]["speed_up"] == 1.0


def study(*arguments: str) -> str:
    command = [sys.executable, str(PROGRAM), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cells_of(text: str, method: str) -> list[str]:
    (row,) = (line for line in text.splitlines() if line.startswith(f"| 6 | {method} |"))
    return [cell.strip() for cell in row.strip("|").split("|")]


def number(text: str, method: str, column: int) -> float:
    return float(cells_of(text, method)[column].replace(",", ""))


def test_costs_and_times_of_a_small_sea() -> None:
    said = study(
        *("--case", "northsea", "--ranks", "6", "--machines", "hector-xt4"),
        *("--seeds", "2", "--measure", "0"),
    )
    assert cells_of(said, "wet blocks")[STEP + 1] == "1.000"
    boxed, tiled = (number(said, name, STEP) for name in ("ksection", "ksection, tiles"))
    assert tiled < boxed  # whose boxes have land, which takes time
    assert number(said, "ksection", STEP + 2) < boxed
    assert "(" in cells_of(said, "metis parts, volume")[STEP - 2]  # the range of its seeds
    assert "| hector-xt4 | all | 16 |" in said
    assert "- ksection does not pay:" in said


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_predicted_steps_are_those_of_the_simulator() -> None:
    said = study(
        *("--case", "northsea", "--ranks", "6", "--machines", "hector-xt4"),
        *("--seeds", "1", "--measure", "0", "--simulate"),
    )
    for method in ("wet blocks", "ksection", "assigned", "metis blocks, cut"):
        predicted, simulated = (number(said, method, column) for column in (STEP, STEP + 5))
        assert predicted == pytest.approx(simulated, rel=0.05)
