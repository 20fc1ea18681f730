"""Any ranks, blocks, strategy, transport and kernel give the bits of one rank on two lattices."""

from __future__ import annotations

import math
from typing import Any

import pytest
from fluid import DIGESTS
from model_runs import RunOnRanks, digests_on, lines_on, transports_here

CASES = ("cavity-small", "porous-small")
KERNELS = ("two-lattice", "in-place")
STRATEGIES = ("blocking", "3s", "5s", "6s", "edge-first", "dataflow", "deep:2")
# puts with and without buffers, gets, and loads; with and without work between start and wait
TRANSPORTS = tuple(
    f"{strategy}@{transport}"
    for transport in transports_here(("onesided", "direct", "pull", "shared"))
    for strategy in ("blocking", "dataflow")
)
# of 1, 2, 4, 6 and 8 ranks
SHAPES = [
    (x, y, n // x // y)
    for n in (1, 2, 4, 6, 8)
    for x in range(1, n + 1)
    for y in range(1, n + 1)
    if n % (x * y) == 0
]
USUAL = [(2, 1, 1), (1, 2, 2)]  # those of every `make test`


def shapes() -> list[Any]:
    return [
        pytest.param(
            shape,
            id="x".join(map(str, shape)),
            marks=[] if shape in USUAL else [pytest.mark.every_shape],
        )
        for shape in SHAPES
    ]


def blocks(*shape: int) -> str:
    return f"run.blocks={list(shape)}"


@pytest.fixture(scope="module", params=CASES)
def alone(request: pytest.FixtureRequest, run_on_ranks: RunOnRanks) -> tuple[str, set[str]]:
    case = str(request.param)
    return case, digests_on(run_on_ranks, 1, DIGESTS, case, blocks(1, 1, 1), "blocking")


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", shapes())
def test_every_cut(
    run_on_ranks: RunOnRanks, alone: tuple[str, set[str]], shape: tuple[int, ...], kernel: str
) -> None:
    """In place the same bits too: both patterns collide the same values."""
    case, expected = alone
    asked = (case, blocks(*shape), f"lattice.kernel={kernel}", *STRATEGIES)
    assert digests_on(run_on_ranks, math.prod(shape), DIGESTS, *asked) == expected


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", shapes())
def test_every_way_of_the_halos(
    run_on_ranks: RunOnRanks, alone: tuple[str, set[str]], shape: tuple[int, ...], kernel: str
) -> None:
    """The transport p2p is tested above."""
    case, expected = alone
    asked = (case, blocks(*shape), f"lattice.kernel={kernel}", *TRANSPORTS)
    assert digests_on(run_on_ranks, math.prod(shape), DIGESTS, *asked) == expected


def test_single_precision(run_on_ranks: RunOnRanks) -> None:
    single = "lattice.precision=single"
    alone = ("porous-small", blocks(1, 1, 1), "blocking")
    cut = ("porous-small", blocks(1, 1, 2), "lattice.kernel=in-place", "dataflow")
    one = digests_on(run_on_ranks, 1, DIGESTS, *alone, single)
    two = digests_on(run_on_ranks, 2, DIGESTS, *cut, single)
    double = digests_on(run_on_ranks, 1, DIGESTS, *alone)
    assert one == two != double


def test_halos_travel_once_a_step_or_less(run_on_ranks: RunOnRanks) -> None:
    """In place they come every other step, and return after it; `deep` needs them more rarely."""
    found = {}
    for kernel in KERNELS:
        more = ("blocking", "deep:3") if kernel == "two-lattice" else ("blocking",)
        asked = ("cavity-small", blocks(1, 1, 2), f"lattice.kernel={kernel}", *more)
        for line in lines_on(run_on_ranks, 2, DIGESTS, *asked)[1]:
            _, strategy, rounds = line.split()
            found[kernel, strategy] = float(rounds)
    assert found == {
        ("two-lattice", "blocking"): 1.0,
        ("two-lattice", "deep:3"): pytest.approx(1 / 3),
        ("in-place", "blocking"): 1.0,  # one and its return in two steps
    }


VOLUME = """
from lapwing import block_partition
from lapwing.model.case import load_case
from lapwing.core.domain import Domain
from lapwing_lattice import model

n = 6
sets = [f"grid.cells_x={n}", f"grid.cells_y={2 * n}", f"grid.cells_z={2 * n}"]
case = load_case("taylor-green", {"lattice": model}, sets)
geometry = model.geometry(case.settings, case.folder)
domain = Domain(block_partition(geometry.grid, [1, 2, 2]))
run = model.create(domain, case.settings, geometry, strategy="blocking", transport="p2p")
print("bytes", run.step.report.volume.bytes)
domain.close()
"""


def test_five_populations_per_face_and_one_per_edge(run_on_ranks: RunOnRanks) -> None:
    """A rank with neighbours along y and z sends four faces, and all twelve edges, as x closes."""
    n = 6
    said = run_on_ranks(4, VOLUME, timeout=60).stdout.splitlines()
    found = [float(line.split()[1]) for line in said if line.startswith("bytes")]
    assert found == [4 * 5 * 8 * n**2 + 12 * 8 * n] * 4
