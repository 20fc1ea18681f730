"""`lapwing bench helmholtz`: a solver undivided and by groups of levels."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

RunBench = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_groups_and_parts_are_measured_in_turns(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "samples.json"
    run = run_bench(
        "helmholtz",
        *("--ranks", "2", "--work", "20x12x8", "--groups", "2", "--samples", "2"),
        *("--json", str(file)),
    )
    assert run.returncode == 0, run.stderr
    results = {row["method"]: row for row in json.loads(file.read_text())["results"]}
    assert list(results) == ["1 group", "2 groups", "moving", "lines"]
    # there and back between the halves of x; along y a rank has whole lines already
    assert results["1 group"]["extra"]["messages"] == 2
    assert results["2 groups"]["extra"]["messages"] == 4
    half = 20 * 12 * 8 * 8 // 2
    assert results["1 group"]["extra"]["buffer_bytes"] == 2 * half
    assert all(len(row["samples"]) == 2 and row["min"] > 0 for row in results.values())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--work", "20x12"), "--work"),
        (("--blocks", "2x3"), "4, one per rank"),
        (("--groups", "9"), "--groups"),
        (("--method", "pigeon"), "alltoallv"),
    ],
)
def test_bad_requests(run_bench: RunBench, options: tuple[str, ...], words: str) -> None:
    run = run_bench("helmholtz", "--ranks", "4", "--work", "20x12x8", *options)
    assert run.returncode == 2
    assert words in run.stderr
