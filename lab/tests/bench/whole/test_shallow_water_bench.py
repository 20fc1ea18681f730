"""`lapwing bench shallow-water`: all methods step the same flow, on any number of ranks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Box
from lapwing_lab._core import ShallowModel
from lapwing_lab.bench.measure.method import MethodMissingError
from lapwing_lab.bench.models import peers
from lapwing_lab.bench.models.shallow_water import first_flow

RunBench = Callable[..., Any]
Parse = Callable[..., Any]


def test_the_first_flow_is_in_balance_and_as_deep_as_the_model() -> None:
    model = ShallowModel(360, 180)
    h, u, v = (one.reshape(180, 360) for one in first_flow(model, Box((0, 0, 0), (360, 180, 1))))
    assert h.mean() == pytest.approx(model.depth, abs=0.1)
    assert u.max() == pytest.approx(10.0, rel=1e-2)  # between two rows
    assert not v.any()
    rows = np.arange(1, 180)
    slope = -(model.coriolis + rows * model.spacing * model.beta) / model.gravity * u[1:, 0]
    waves = 0.2 * np.cos(np.arange(180) / 179 * 8 * np.pi)[:, None]
    smooth = h - waves * np.sin(np.arange(360) / 359 * 10 * np.pi)[None, :]
    assert np.diff(smooth[:, 0]) / model.spacing == pytest.approx(slope, abs=1e-12)


def test_a_box_of_the_first_flow_is_a_part_of_it() -> None:
    model = ShallowModel(40, 20)
    whole = first_flow(model, Box((0, 0, 0), (40, 20, 1)))
    part = first_flow(model, Box((0, 5, 0), (40, 12, 1)))
    for one, other in zip(whole, part, strict=True):
        assert np.array_equal(one.reshape(20, 40)[5:12], other.reshape(7, 40))


def results_of(
    run_bench: RunBench, folder: Path, *arguments: str
) -> dict[tuple[str, str], dict[str, Any]]:
    file = folder / "shallow.json"
    done = run_bench("shallow-water", *arguments, "--json", str(file), timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(file.read_text())["results"]
    return {(row["work"], row["method"]): row for row in rows}


@pytest.mark.ranks
@pytest.mark.parametrize(("ranks", "double"), [(1, False), (2, False), (3, True)])
def test_cpp_by_hand_and_numpy_have_the_same_bits(
    run_bench: RunBench, tmp_path: Path, ranks: int, double: bool
) -> None:
    # wider than a tile of the sweep, so that there are two
    arguments = ["--ranks", str(ranks), "--works", "600x27", "--methods", "cpp,hand,numpy"]
    more = ["--double"] if double else []
    found = results_of(run_bench, tmp_path, *arguments, "--samples", "2", *more)
    assert {method for _, method in found} == {"cpp", "hand", "numpy"}
    for row in found.values():
        assert row["extra"]["steps"] == 400
        assert [row["extra"][f"apart_{one}"] for one in "huv"] == [0.0, 0.0, 0.0]
        assert row["extra"]["steps_per_second"] == pytest.approx(1 / row["median"])


@pytest.mark.ranks
@pytest.mark.slow
def test_numba_has_the_same_bits(run_bench: RunBench, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    arguments = ["--ranks", "2", "--works", "600x27", "--methods", "cpp,numba"]
    found = results_of(run_bench, tmp_path, *arguments, "--samples", "2")
    assert found["600x27", "numba"]["extra"]["apart_h"] == 0.0
    assert found["600x27", "numba"]["extra"]["apart_v"] == 0.0


SAME_ON_ANY_RANKS = """
import sys
import numpy as np
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from lapwing_lab import _core
from lapwing_lab.bench.models.shallow_water import first_flow
model = _core.ShallowModel(50, 37)
grid = Grid((50, 37), periodic=(True, False))
domain = Domain(block_partition(grid, blocks=(1, comm.size, 1)))
for strategy in ("blocking", "dataflow"):
    method = _core.step_shallow(domain, model, False, strategy, "auto")
    flow = first_flow(model, domain.box)
    method.begin(*flow)
    method.run(25)
    found = [np.empty_like(one) for one in flow]
    method.read(*found)
    parts = comm.gather(np.stack(found).reshape(3, -1, 50))
    if comm.rank == 0:
        whole = np.concatenate(parts, axis=1)
        assert np.isfinite(whole).all() and np.abs(whole[2]).max() > 1e-3
        import hashlib
        print("digest", hashlib.sha256(whole.tobytes()).hexdigest())
"""


def test_the_bits_do_not_depend_on_ranks_or_strategy(run_on_ranks: Callable[..., Any]) -> None:
    digests = set()
    for ranks in (1, 2, 4):
        lines = run_on_ranks(ranks, SAME_ON_ANY_RANKS).stdout.splitlines()
        digests |= {line for line in lines if line.startswith("digest")}
    assert len(digests) == 1


@pytest.mark.ranks
@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("ranks", [1, 2])
def test_the_demo_agrees_once_it_has_what_is_missing(
    run_bench: RunBench, tmp_path: Path, ranks: int
) -> None:
    try:
        peers.require_installed("mpi4jax")
    except MethodMissingError as reason:
        pytest.skip(f"mpi4jax: {reason}")
    methods = "cpp,mpi4jax,mpi4jax-friction,mpi4jax-corrected"
    arguments = ["--ranks", str(ranks), "--works", "360x180", "--methods", methods, "--double"]
    found = results_of(run_bench, tmp_path, *arguments, "--samples", "2")
    apart = {method: row["extra"]["apart_h"] for (_, method), row in found.items()}
    assert apart["mpi4jax-corrected"] < 1e-10
    assert 1e-8 < apart["mpi4jax-friction"] < 1e-3
    assert 1e-8 < apart["mpi4jax"] < 1e-1


def test_a_demo_that_is_not_there_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    with pytest.raises(MethodMissingError, match="not installed; `make peer-mpi4jax`"):
        peers.require_installed("mpi4jax")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--works", "360"], "--works"),
        (["--works", "360x12"], "--works"),
        (["--methods", "cpp,fortran"], "--methods"),
        (["--strategy", "wild"], "--strategy"),
    ],
)
def test_bad_requests_say_what_was_expected(arguments: list[str], name: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=rf"^{name}.*: got .*; expected .*; \w+"):
        parse("shallow-water", arguments, 2)


def test_samples_have_as_many_steps_as_a_call_of_mpi4jax(parse: Parse) -> None:
    request = parse("shallow-water", [], 2)
    assert [request.call_steps(work) for work in request.works] == [10, 100]
    assert [request.full_name(work) for work in request.works] == ["3600x1800", "360x180"]
