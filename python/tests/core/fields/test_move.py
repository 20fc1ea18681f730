"""Fields are moved between domains by python/tests/mpi_programs/transposes/moves.py."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

PROGRAM = Path(__file__).parents[2] / "mpi_programs" / "transposes" / "moves.py"

RunOnRanks = Callable[..., CompletedProcess[str]]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_fields_are_moved_between_domains(run_on_ranks: RunOnRanks, ranks: int) -> None:
    output = run_on_ranks(ranks, PROGRAM.read_text(), timeout=90).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks
