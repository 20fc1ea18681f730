"""The memory of `lapwing partition` for large masks, in short form."""

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[3] / "programs" / "mask_scale.py"
SMALLER, LARGER = 8400, 12000  # columns: above 2^25 cells, where sums are kept in bands
MOST = 2.0  # bytes per further cell: one for the mask that is read, half a byte for its sums


def peak(columns: int) -> float:
    """Bytes at most, of the one row of the table."""
    words = ("--columns", str(columns), "--ranks", "50", "--methods", "block", "--threads", "1")
    command = [sys.executable, str(PROGRAM), *words, "--with", "json,mom6"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("| block |"))
    return float(row.strip("|").split("|")[-1]) * columns * (columns // 2)


def test_memory_grows_by_less_than_two_bytes_per_cell() -> None:
    cells = [columns * (columns // 2) for columns in (SMALLER, LARGER)]
    growth = (peak(LARGER) - peak(SMALLER)) / (cells[1] - cells[0])
    assert growth < MOST
