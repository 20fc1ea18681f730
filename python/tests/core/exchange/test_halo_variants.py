"""Halo on demand on several ranks: mpi_programs/halo_variants.py."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "mpi_programs" / "halo_variants.py"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_halos_come_as_wide_as_they_are_asked_for(
    run_on_ranks: Callable[..., "subprocess.CompletedProcess[str]"], ranks: int
) -> None:
    output = run_on_ranks(ranks, PROGRAM.read_text(), timeout=60).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks
