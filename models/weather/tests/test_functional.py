"""Six steps of 240 s on the 202 x 190 x 40 cells of HIRLAM's functional test, every cut.

They are semi-implicit and semi-Lagrangian, as its steps of that length were.
Every decomposition of up to nine ranks and every method of transposes gives the bits of one rank.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

STEPS = """
import hashlib, sys
from lapwing import block_partition, transpose_methods
from lapwing.model.case import load_case
from lapwing.run.creation import create_run
from lapwing.core.domain import Domain
from lapwing_weather import model

px, py, *sets = sys.argv[1:]
for method in transpose_methods():
    if method == "auto":
        continue
    case = load_case("g40-functional", {"weather": model}, [*sets, f"time.transpose={method}"])
    geometry = model.geometry(case.settings, case.folder)
    domain = Domain(block_partition(geometry.grid, [int(px), int(py), 1]))
    run = create_run(
        model, domain, case.settings, geometry, strategy="blocking", transport="p2p"
    )
    run.advance(6)
    run.check_state()
    whole = {n: field.gather() for n, field in run.newest().items()}
    if domain.rank == 0:
        bits = b"".join(whole[n].tobytes() for n in sorted(whole))
        print(method, hashlib.sha256(bits).hexdigest(), flush=True)
    domain.close()
"""

SETS = (
    "time.scheme=semi-implicit",
    "dynamics.advection=semi-lagrangian",
    "time.step=240",
    "dynamics.diffusion=1.5e13",
    "time.groups=2",
)
BLOCKS = [(px, n // px) for n in range(1, 10) for px in range(1, n + 1) if n % px == 0]


def digests(run_on_ranks: RunOnRanks, px: int, py: int) -> dict[str, str]:
    """The digest of the state by method."""
    done = run_on_ranks(px * py, STEPS, str(px), str(py), *SETS, timeout=110)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[0]: line[1] for line in lines if len(line) == 2 and len(line[1]) == 64}


@pytest.fixture(scope="module")
def alone(run_on_ranks: RunOnRanks) -> str:
    found = digests(run_on_ranks, 1, 1)
    assert set(found) == {"p2p", "alltoallv", "alltoallw", "onesided", "shared"}
    assert len(set(found.values())) == 1
    return found["p2p"]


@pytest.mark.every_shape
@pytest.mark.parametrize(("px", "py"), BLOCKS)
def test_every_decomposition_and_method(
    run_on_ranks: RunOnRanks, alone: str, px: int, py: int
) -> None:
    found = digests(run_on_ranks, px, py)
    assert len(found) == 5
    assert set(found.values()) == {alone}


@pytest.mark.slow
def test_four_blocks_and_every_method(run_on_ranks: RunOnRanks, alone: str) -> None:
    assert set(digests(run_on_ranks, 2, 2).values()) == {alone}
