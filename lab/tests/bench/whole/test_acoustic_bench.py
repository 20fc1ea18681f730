"""`lapwing bench acoustic`: all methods step the same waves, on any number of ranks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Box
from lapwing_lab.bench.measure.method import MethodMissingError
from lapwing_lab.bench.models import peers
from lapwing_lab.bench.models.acoustic_model import AcousticModel

RunBench = Callable[..., Any]
Parse = Callable[..., Any]


def test_a_box_of_the_first_waves_is_a_part_of_them() -> None:
    model = AcousticModel((20, 12, 16))
    part = Box((3, 0, 5), (20, 7, 9))
    for one in (model.first, model.velocity, model.courant):
        assert np.array_equal(one(model.box())[5:9, 0:7, 3:20], one(part))


def test_the_first_waves_are_numbers_that_processors_like() -> None:
    model = AcousticModel((64, 64, 64))
    u = np.abs(model.first(model.box()))
    assert 1.0 < u.max() < 3.0
    assert u[u > 0].min() > 1e-12
    assert model.courant(model.box()).max() < 4 / 19.5  # where the scheme becomes unstable


def results_of(run_bench: RunBench, folder: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    file = folder / "acoustic.json"
    done = run_bench("acoustic", *arguments, "--json", str(file), timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return {row["method"]: row for row in json.loads(file.read_text())["results"]}


@pytest.mark.ranks
@pytest.mark.parametrize(("ranks", "strategy"), [(1, "blocking"), (2, "dataflow")])
def test_lapwing_and_by_hand_have_the_same_bits(
    run_bench: RunBench, tmp_path: Path, ranks: int, strategy: str
) -> None:
    # no whole registers in a row, and an odd number of rows
    arguments = ["--ranks", str(ranks), "--works", "27x11x19", "--strategy", strategy]
    methods = "lapwing,hand,hand-overlap,limit"
    found = results_of(run_bench, tmp_path, *arguments, "--methods", methods, "--samples", "2")
    assert list(found) == methods.split(",")
    for method in ("lapwing", "hand", "hand-overlap"):
        extra = found[method]["extra"]
        assert (extra["apart"], extra["apart_at_end"]) == (0.0, 0.0)
        assert extra["points_per_second"] == pytest.approx(27 * 11 * 19 / found[method]["median"])
        assert extra["over_limit"] > 0
    assert "apart" not in found["limit"]["extra"]


# NumPy in the order of the sums of the kernel, on the whole grid
SAME_AS_THE_FORMULA = """
import numpy as np
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from lapwing_lab import _core
from lapwing_lab.bench.models.acoustic_model import AcousticModel

WEIGHTS = np.array([-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560], np.float32)
model = AcousticModel((45, 130, 24))  # two tiles of rows
inner = (slice(4, -4),) * 3


def shifted(u, axis, cells):
    return np.roll(u, -cells, axis)[inner]


def stepped(before, now, courant):
    total = 3 * WEIGHTS[0] * now[inner]
    for r in range(1, 5):
        x, y, z = (shifted(now, a, -r) + shifted(now, a, r) for a in (2, 1, 0))
        total = total + WEIGHTS[r] * ((x + y) + z)
    after = np.zeros_like(now)
    after[inner] = (now[inner] + now[inner] - before[inner]) + courant * total
    return after


before = now = np.pad(model.first(model.box()), 4)
for _ in range(9):
    before, now = now, stepped(before, now, model.courant(model.box()))
domain = Domain(block_partition(Grid(model.cells), blocks=(1, 1, comm.size)))
box = domain.box
want = now[inner][box.lo[2] : box.hi[2]]
steps = [_core.step_acoustic(domain, one, "auto") for one in ("blocking", "dataflow", "edge-first")]
for method in [*steps, _core.hand_acoustic(domain, False), _core.hand_acoustic(domain, True)]:
    for _ in range(2):  # and once more from the beginning
        method.begin(model.first(box).ravel(), model.courant(box).ravel())
        method.run(9)
        found = np.empty(box.volume, np.float32)
        method.read(found)
        assert np.array_equal(found.reshape(want.shape), want)
assert np.abs(now).max() > 0.5
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_bits_are_those_of_the_formula(run_on_ranks: Callable[..., Any], ranks: int) -> None:
    run_on_ranks(ranks, SAME_AS_THE_FORMULA)


@pytest.mark.ranks
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("ranks", [1, 2])
def test_devito_has_the_same_numbers(run_bench: RunBench, tmp_path: Path, ranks: int) -> None:
    try:
        peers.require_installed("devito")
    except MethodMissingError as reason:
        pytest.skip(f"devito: {reason}")
    arguments = ["--ranks", str(ranks), "--works", "40x24x33", "--methods", "lapwing,devito"]
    found = results_of(run_bench, tmp_path, *arguments, "--modes", "basic,full", "--samples", "2")
    assert 0 < found["devito"]["extra"]["apart"] < 1e-4
    assert found["lapwing"]["extra"]["over_devito"] > 0


def test_a_devito_that_is_not_there_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "versions", lambda peer: {})
    with pytest.raises(MethodMissingError, match="not installed; `make peer-devito`"):
        peers.require_installed("devito")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--works", "64x64"], "--works"),
        (["--works", "64x64x15"], "--works"),
        (["--methods", "lapwing,fortran"], "--methods"),
        (["--modes", "fast"], "--modes"),
        (["--strategy", "wild"], "--strategy"),
    ],
)
def test_bad_requests_say_what_was_expected(arguments: list[str], name: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=rf"^{name}.*: got .*; expected .*; \w+"):
        parse("acoustic", arguments, 2)


def test_small_works_have_more_steps_to_a_sample(parse: Parse) -> None:
    request = parse("acoustic", [], 2)
    assert [request.call_steps(work) for work in request.works] == [50, 2000]
    assert [request.full_name(work) for work in request.works] == ["256x256x256", "64x64x64"]
