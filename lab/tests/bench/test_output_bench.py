"""`lapwing bench output`: a model that writes itself against one with servers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

RunBench = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.ranks
@pytest.mark.any_mpi
@pytest.mark.slow
def test_servers_take_output_from_the_model(run_bench: RunBench, tmp_path: Path) -> None:
    """With a rank of its own to write, and time enough: a fifth of the time at most."""
    file = tmp_path / "samples.json"
    run = run_bench(
        "output",
        *("--duration", "2 d", "--every", "6 h", "--samples", "3", "--folder", str(tmp_path)),
        *("--json", str(file), "--progress", "none"),
    )
    assert run.returncode == 0, run.stderr
    rows = {(r["work"], r["method"]): r for r in json.loads(file.read_text())["results"]}
    assert set(rows) == {
        (f"kelvin3d-small@{ranks}", method) for ranks in (1, 2) for method in ("model", "servers")
    }
    for (_, method), row in rows.items():
        assert len(row["samples"]) == 3
        assert row["extra"]["wall"] > row["extra"]["stepping"] > 0
        assert ("less" in row["extra"]) == (method == "servers")
    # the best of three: other programs may take the cores in any one of them
    own, served = (min(rows["kelvin3d-small@1", m]["samples"]) for m in ("model", "servers"))
    assert served < own / 5
    assert not list(tmp_path.glob("*/output.nc"))  # nothing is left


def test_the_model_needs_a_rank(run_bench: RunBench) -> None:
    run = run_bench("output", "--io-ranks", "3")
    assert run.returncode == 2
    assert "more than the 3 of --io-ranks" in run.stderr


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_a_case_that_cannot_run_ends_it(run_bench: RunBench, tmp_path: Path) -> None:
    """Model ranks find that, while the server waits for their words."""
    case = tmp_path / "long.toml"
    case.write_text('model = "coast"\n[time]\nstep = "1h"\n')
    run = run_bench("output", "--case", str(case), "--ranks", "2", "--samples", "2")
    assert run.returncode != 0
    assert "time step" in run.stderr


def test_a_folder_that_cannot_be(run_bench: RunBench) -> None:
    run = run_bench("output", "--folder", "/dev/null/here")
    assert run.returncode == 2
    assert "/dev/null" in run.stderr
