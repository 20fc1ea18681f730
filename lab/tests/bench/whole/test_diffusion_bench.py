"""`lapwing bench diffusion`: all methods step the same heat, on any number of ranks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Box
from lapwing_lab.bench.models.diffusion import HeatModel

RunBench = Callable[..., Any]
Parse = Callable[..., Any]


def test_a_box_of_the_first_heat_is_a_part_of_it() -> None:
    model = HeatModel((20, 12, 16))
    part = Box((3, 0, 5), (20, 7, 9))
    for one in (model.first, model.factor):
        assert np.array_equal(one(model.box())[5:9, 0:7, 3:20], one(part))
    assert 50 < model.first(model.box()).max() < 110
    assert model.factor(model.box()).max() * sum(2 / d**2 for d in model.distances) < 1  # stable


@pytest.mark.ranks
@pytest.mark.parametrize(
    ("ranks", "strategy"),
    [pytest.param(1, "blocking", marks=pytest.mark.slow), (2, "dataflow")],
)
def test_the_benchmark_tells_the_effective_throughput(
    run_bench: RunBench, tmp_path: Path, ranks: int, strategy: str
) -> None:
    file = tmp_path / "diffusion.json"
    arguments = ["--ranks", str(ranks), "--works", "27x11x19", "--strategy", strategy]
    done = run_bench("diffusion", *arguments, "--samples", "2", "--json", str(file), timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(file.read_text())["results"]
    assert [row["method"] for row in found] == ["lapwing", "hand", "hand-overlap", "limit"]
    for row in found:
        moved = 3 * 8 * 27 * 11 * 19
        assert row["extra"]["effective_throughput"] == pytest.approx(moved / row["median"])
        assert row["extra"]["over_limit"] > 0


# NumPy in the order of the sums of the kernel, on the whole grid
SAME_AS_THE_FORMULA = """
import numpy as np
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from lapwing_lab import _core
from lapwing_lab.bench.models.diffusion import HeatModel

model = HeatModel((45, 14, 24))
inner = (slice(1, -1),) * 3


def second(t, axis):
    before, after = np.roll(t, 1, axis)[inner], np.roll(t, -1, axis)[inner]
    return (before - (t[inner] + t[inner])) + after


def stepped(t, factor):
    x, y, z = (1 / (d * d) for d in model.distances)
    lap = x * second(t, 2) + y * second(t, 1) + z * second(t, 0)
    after = t.copy()
    after[inner] = t[inner] + factor[inner] * lap
    return after


want = model.first(model.box())
for _ in range(9):
    want = stepped(want, model.factor(model.box()))
domain = Domain(block_partition(Grid(model.points), blocks=(1, 1, comm.size)))
box, far = domain.box, model.distances
steps = [_core.step_diffusion(domain, far, one, "auto") for one in ("blocking", "dataflow")]
for method in [*steps, *(_core.hand_diffusion(domain, far, one) for one in (False, True))]:
    for _ in range(2):  # and once more from the beginning
        method.begin(model.first(box).ravel(), model.factor(box).ravel())
        method.run(9)
        found = np.empty(box.volume)
        method.read(found)
        assert np.array_equal(found, want[box.lo[2] : box.hi[2]].ravel())
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_bits_are_those_of_the_formula(run_on_ranks: Callable[..., Any], ranks: int) -> None:
    run_on_ranks(ranks, SAME_AS_THE_FORMULA)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--works", "64x64"], "--works"),
        (["--works", "64x64x3"], "--works"),
        (["--methods", "lapwing,fortran"], "--methods"),
        (["--strategy", "wild"], "--strategy"),
    ],
)
def test_bad_requests_say_what_was_expected(arguments: list[str], name: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=rf"^{name}.*: got .*; expected .*; \w+"):
        parse("diffusion", arguments, 2)
