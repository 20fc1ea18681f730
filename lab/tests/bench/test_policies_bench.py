"""`lapwing bench policies`: exchanges of a list against those that stages need."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

RunBench = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_needed_exchanges_are_fewer_and_smaller(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "samples.json"
    run = run_bench(
        "policies",
        *("--sizes", "12x9", "--levels", "3", "--samples", "2", "--steps", "4"),
        *("--json", str(file)),
    )
    assert run.returncode == 0, run.stderr
    rows = [line.split("│") for line in run.stdout.splitlines() if "│" in line]
    assert rows[0][1].strip() == "12x9"
    ways = {row[2].strip().split(":")[0]: [cell.strip() for cell in row[3:]] for row in rows}
    assert list(ways) == ["literal, blocking", "needed, blocking", "needed, auto"]
    literal, needed = ways["literal, blocking"], ways["needed, blocking"]
    assert (literal[1], needed[1]) == ("49", "36")  # rounds
    assert int(needed[2]) < int(literal[2])  # messages
    assert int(needed[3].replace(",", "")) < int(literal[3].replace(",", ""))  # bytes
    assert "12x9" in json.dumps(json.loads(file.read_text()))


def test_sizes_are_checked(run_bench: RunBench) -> None:
    run = run_bench("policies", "--sizes", "12by9")
    assert run.returncode == 2
    assert "--sizes" in run.stderr
    assert "60x40" in run.stderr
