"""A job in which one MPI call fails ends with words that name it, by a few calls of each kind."""

import subprocess
import sys
from pathlib import Path

import pytest

CALLS = Path(__file__).parent / "faults/mpi_calls.py"


# not with Open MPI: where MPI_Comm_dup fails on one rank it ends the job itself, in its own words
@pytest.mark.ranks
@pytest.mark.any_mpi
@pytest.mark.slow
@pytest.mark.parametrize("transport", ["p2p", "auto"])
def test_a_failing_call_ends_the_job_in_words(transport: str) -> None:
    command = [sys.executable, CALLS, "--trials", "4", "--transports", transport]
    tried = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert f"| `{transport}` |" in tried.stdout or "skipped: transport" in tried.stdout
