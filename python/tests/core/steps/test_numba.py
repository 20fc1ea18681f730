"""Kernels that Numba compiles are stages as they are."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba", reason="Numba is not installed: `make numba`")

ROOT = Path(__file__).parents[4]
PROGRAMS = Path(__file__).parents[2] / "mpi_programs"
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    "ranks", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)]
)
def test_the_bits_are_those_of_numpy(run_on_ranks: RunOnRanks, ranks: int) -> None:
    program = (PROGRAMS / "numba_stages.py").read_text()
    output = run_on_ranks(ranks, program, timeout=110).stdout
    assert output.count("the bits of NumPy") == ranks


@pytest.mark.ranks
def test_the_example_runs_by_the_commands_in_its_head(
    lapwing: Callable[..., Any], tmp_path: Path
) -> None:
    example = ROOT / "examples" / "11_numba" / "heat.py"
    shutil.copy(example, tmp_path)
    for command in re.findall(r"^lapwing (.*)$", example.read_text(), re.M):
        answer = lapwing(*command.split(), timeout=110)
        assert answer.code == 0, answer.out + answer.err
    assert "all that could be tried give the bits of one rank" in answer.out
