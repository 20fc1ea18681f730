"""Costs of stages, as rows of a machine file."""

import subprocess
import sys
import tomllib
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "programs" / "stage_costs.py"


def costs(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_rows_of_a_machine_file() -> None:
    done = costs("kelvin", "20x20", "30x10")
    assert done.returncode == 0, done.stderr
    rows = tomllib.loads(done.stdout)["compute"]["coast"]
    assert [row["box"] for row in rows] == [[20, 20], [30, 10]]
    for row in rows:
        assert 0 < float(row["momentum_x"].removesuffix(" ns")) < 1e4


def test_a_sea_with_a_mask_has_a_size_of_its_own() -> None:
    done = costs("northsea", "60x60")
    assert done.returncode == 1
    assert "grid of northsea: got 390 x 300 cells; expected 60 x 60 cells" in done.stderr
    assert "Traceback" not in done.stderr
