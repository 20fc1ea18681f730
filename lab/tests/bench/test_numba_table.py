"""The program behind the table of docs/guide/numba.md."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="numba is not installed: `make numba`")
PROGRAM = Path(__file__).parents[2] / "programs" / "numba" / "numba_kernel.py"


def test_the_table_of_the_page_has_one_result_in_four_ways() -> None:
    command = [sys.executable, str(PROGRAM), "36x18", "2"]
    printed = subprocess.run(
        command, capture_output=True, text=True, timeout=100, check=True
    ).stdout
    assert printed.count("same bits") == 4
