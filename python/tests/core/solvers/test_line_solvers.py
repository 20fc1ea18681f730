"""Helmholtz equations and implicit diffusion: against dense matrices, and bits over ranks."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = (Path(__file__).parents[2] / "mpi_programs" / "line_solvers.py").read_text()
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

IN_ERROR = """
import numpy as np
from lapwing import Domain, UserError, block_partition
from lapwing.core.solvers.helmholtz import Helmholtz
from lapwing.core.solvers.implicit_diffusion import ImplicitDiffusion
from lapwing.core.partition import Grid

domain = Domain(block_partition(Grid((12, 8)), [2, 1, 1]))
field = domain.field("p", levels=4)

def refused(make):
    try:
        make()
    except UserError as problem:
        print(f"rank {domain.rank}: {problem}", flush=True)

"""


def solved(run_on_ranks: RunOnRanks, blocks: str) -> list[str]:
    px, py = (int(n) for n in blocks.split("x"))
    code = PROGRAM.replace('os.environ["BLOCKS"]', repr(blocks))
    return run_on_ranks(px * py, code, timeout=100).stdout.splitlines()


def bits(lines: list[str]) -> set[str]:
    """The solved equations and their bits, without the warnings about lengths."""
    return {line.rsplit(" ", 1)[0] for line in lines if line.startswith(("helmholtz", "diffusion"))}


@pytest.fixture(scope="module")
def alone(run_on_ranks: RunOnRanks) -> list[str]:
    lines = solved(run_on_ranks, "1x1")
    return [line for line in lines if line.startswith(("helmholtz", "diffusion"))]


@pytest.mark.ranks
def test_solutions_are_those_of_dense_matrices(alone: list[str]) -> None:
    assert len(alone) == 18
    for line in alone:
        assert float(line.rsplit(" ", 1)[1]) < 1e-12, line
    # three kinds of ends, and both signs of what is filtered: nothing else changes bits
    assert len(bits(alone)) == 9


@pytest.mark.parametrize(
    "blocks",
    [
        "2x1",
        "1x3",
        "2x2",
        pytest.param("2x3", marks=pytest.mark.slow),
        pytest.param("3x3", marks=pytest.mark.slow),
    ],
)
def test_bits_are_those_of_one_rank(
    run_on_ranks: RunOnRanks, alone: list[str], blocks: str
) -> None:
    assert bits(solved(run_on_ranks, blocks)) == bits(alone)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("Helmholtz(field, 0.0, (1.0, 1.0))", "there is no one solution"),
        (
            "Helmholtz(field, [1.0, 1.0, 0.0, 1.0], (1.0, 1.0))",
            "shift of the Helmholtz equation of level 2: got 0;",
        ),
        ("Helmholtz(field, [1.0, 2.0], (1.0, 1.0))", "got (2,) values; expected one finite number"),
        (
            "Helmholtz(field, 1.0, (1.0, 1.0), ends=('neumann', 'periodic'))",
            "ends along y: got periodic",
        ),
        (
            "Helmholtz(domain.field('f', dtype='float32', levels=4), 1.0, (1.0, 1.0))",
            "field f of a line solver: got float32",
        ),
        ("ImplicitDiffusion([field], 1.0, (1.0, 1.0), order=3)", "got 3; expected an even number"),
        ("ImplicitDiffusion([field], -1.0, (1.0, 1.0))", "strength of the diffusion: got -1"),
        (
            "Helmholtz(domain.field('f', levels=1), 1.0, (1.0, 1.0))",
            "use fewer blocks along x",
        ),
        ("Helmholtz(field, -2.0, (1.0, 1.0))", "elimination would need pivots"),
        ("Helmholtz(field, 1.0, (1.0, 0.0))", "spacing along y: got 0"),
        ("Helmholtz(field, 1.0 + domain.rank, (1.0, 1.0))", "Helmholtz equation: got shift"),
        ("ImplicitDiffusion([field], 1.0, (1.0, 1.0 + domain.rank))", "implicit diffusion: got"),
    ],
)
def test_mistakes_are_errors_on_all_ranks(
    run_on_ranks: RunOnRanks, mistake: str, words: str
) -> None:
    output = run_on_ranks(2, f"{IN_ERROR}refused(lambda: {mistake})\n", timeout=60).stdout
    assert [words in line for line in output.splitlines() if line.startswith("rank")] == [True] * 2


def test_a_length_with_a_large_prime_works_and_warns_once(run_on_ranks: RunOnRanks) -> None:
    code = (
        "from lapwing import Domain, block_partition\n"
        "from lapwing.core.solvers.helmholtz import Helmholtz\n"
        "from lapwing.core.partition import Grid\n"
        "domain = Domain(block_partition(Grid((2 * 101, 6)), [2, 1, 1]))\n"
        "field = domain.field('p', levels=2)\n"
        "for box in domain.boxes:\n    field[box] = 1.0\n"
        "Helmholtz(field, 0.5, (1.0, 1.0)).solve()\n"
        "print(max(abs(field[box] - 2.0).max() for box in domain.boxes) < 1e-12)\n"
    )
    done = run_on_ranks(2, code, timeout=60)
    assert done.stdout.count("True") == 2
    assert done.stdout.count("202 has the prime factor 101, for which an FFT takes longer") == 1
