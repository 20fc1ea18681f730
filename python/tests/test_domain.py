"""Domains in Python, and errors that all ranks raise together: mpi_programs/errors.py."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "mpi_programs"
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_mistakes_of_one_rank_are_errors_on_all(run_on_ranks: RunOnRanks, ranks: int) -> None:
    output = run_on_ranks(ranks, (PROGRAMS / "errors.py").read_text(), timeout=60).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks


@pytest.mark.mpi
def test_watchdog_ends_a_job_that_waits_for_a_silent_neighbour(run_on_ranks: RunOnRanks) -> None:
    began = time.monotonic()
    done = run_on_ranks(
        2,
        "import os; os.environ['LAPWING_WATCHDOG'] = '1'\n"
        + (PROGRAMS / "silent_neighbour.py").read_text(),
        timeout=40,
        check=False,
    )
    assert done.returncode != 0
    assert (
        "lapwing: no progress for 1 s (LAPWING_WATCHDOG): rank 0 waits for ranks 1 in the exchange "
        "of depth: float64"
    ) in done.stdout
    assert time.monotonic() - began < 10


@pytest.mark.mpi
def test_domains_fields_and_exchanges_can_be_read(run_on_ranks: RunOnRanks) -> None:
    code = (
        "from lapwing import Domain\n"
        "domain = Domain((9, 8), periodic=True)\n"
        "field = domain.field('depth', halo=1, dtype='float32')\n"
        "print(domain, field, domain.exchange(field), sep='\\n')\n"
    )
    lines = run_on_ranks(1, code).stdout.splitlines()
    assert lines[0].startswith(
        "Domain(rank 0 of 1, [Box[0:9, 0:8, 0:1]], Partition(9 (periodic) x 8"
    )
    assert lines[1] == (
        "Field(FieldSpec(depth: float32, center, order xyzc, halo x 1..1, y 1..1, corners) "
        "on rank 0: Box[0:9, 0:8, 0:1])"
    )
    assert lines[2].startswith("Exchange(p2p, ")
    assert lines[3] == "rank 0: 0 messages, 0 bytes out, 0 in, 152 copied"
