"""lab/programs/partition_costs.py: cuts of seas, and what they cost, as results to keep."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lapwing_lab.bench.kept.results import kept

PROGRAM = Path(__file__).parents[3] / "programs" / "partition_costs.py"


@pytest.mark.timeout(120)
def test_the_program_of_costs_writes_results(tmp_path: Path) -> None:
    pytest.importorskip("global_land_mask")
    file = tmp_path / "costs.json"
    command = [sys.executable, str(PROGRAM), "northsea", "gulf=-5,7,-8,12@6", "-n", "3,6"]
    command += ["--method", "ksection", "--ranks-per-node", "3", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = kept("it", [json.loads(file.read_text())], [{"began": "2026-12-01", "load": 0.0}])
    assert results.works() == ["northsea@3", "northsea@6", "gulf@3", "gulf@6"]
    assert results.methods("gulf@6") == ["ksection", "ksection, nodes first"]
    assert results.values("northsea@6", "ksection", "wet") == [74725]
    assert "northsea.nc: 390 x 300 points" in done.stdout
