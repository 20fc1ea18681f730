"""`lapwing bench wet`: messages without land, compared with whole ones."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

RunBench = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_forms_send_fewer_bytes(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "samples.json"
    run = run_bench(
        "wet",
        *("--works", "mixed,northsea", "--levels", "3", "--samples", "2", "--rounds", "2"),
        *("--transport", "p2p", "--json", str(file)),
    )
    assert run.returncode == 0, run.stderr
    results = json.loads(file.read_text())["results"]
    for work in ("mixed", "northsea"):
        sent = {row["method"]: row["extra"]["bytes"] for row in results if row["work"] == work}
        assert list(sent) == ["off", "clip", "patches", "lists"]
        assert sent["lists"] <= sent["patches"] <= sent["clip"] <= sent["off"]
        assert sent["lists"] < sent["off"]


def test_a_shape_of_other_ranks_is_refused(run_bench: RunBench) -> None:
    run = run_bench("wet", "--shape", "3x2")
    assert run.returncode == 2
    said = " ".join(run.stderr.split())
    assert "--shape got: 3x2 expected: 2 ranks" in said
