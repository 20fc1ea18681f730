"""`lapwing bench miniweather`: all methods step the same thermal, on any number of ranks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Box
from lapwing_lab.bench.models.miniweather import C0, GAMMA, P0, RD, ThermalModel

RunBench = Callable[..., Any]
Parse = Callable[..., Any]


def test_a_box_of_the_first_state_is_a_part_of_it() -> None:
    model = ThermalModel((40, 20))
    part = Box((11, 3, 0), (30, 9, 1))
    assert np.array_equal(model.first(model.box())[:, 3:9, 11:30], model.first(part))
    assert 2.0 < model.first(model.box())[3].max() < 3.0 * 1.2


def test_constants_belong_together() -> None:
    # GAMMA = 1 + RD / CV in C0, and CP / CV, of rounded heat capacities
    assert pytest.approx(RD**GAMMA * P0 ** (1 - GAMMA), rel=1e-3) == C0
    assert ThermalModel((100, 50)).dt == pytest.approx(2 / 3)


def results_of(run_bench: RunBench, folder: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    file = folder / "miniweather.json"
    done = run_bench("miniweather", *arguments, "--json", str(file), timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return {row["method"]: row for row in json.loads(file.read_text())["results"]}


# miniWeather's own test: 100 x 50 cells, 400 s; its energy must fall, by less than 4.5e-5
@pytest.mark.ranks
@pytest.mark.parametrize(
    ("ranks", "strategy"),
    [(1, "dataflow"), pytest.param(3, "blocking", marks=pytest.mark.slow)],
)
def test_mass_stays_and_energy_changes_as_in_miniweather(
    run_bench: RunBench, tmp_path: Path, ranks: int, strategy: str
) -> None:
    arguments = ["--ranks", str(ranks), "--works", "100x50", "--strategy", strategy]
    found = results_of(run_bench, tmp_path, *arguments, "--samples", "2")
    assert list(found) == ["lapwing", "hand"]
    for row in found.values():
        extra = row["extra"]
        assert extra["apart"] == 0
        assert extra["steps"] == 600
        assert abs(extra["d_mass"]) < 1e-13
        assert -4.5e-5 < extra["d_te"] < -3.5e-5
        assert extra["cells_per_second"] == pytest.approx(5000 / row["median"])


# NumPy from the equations, on the whole grid with two cells around it
SAME_AS_THE_FORMULA = """
import numpy as np
from lapwing.core import mpi_runtime
mpi = mpi_runtime.start()
comm = mpi.COMM_WORLD
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from lapwing_lab import _core
from lapwing_lab.bench.models.miniweather import C0, GAMMA, GRAVITY, ThermalModel, at_rest

model = ThermalModel((137, 23))  # more than two chunks of cells
nx, nz = model.cells


def at_faces(q, weights, axis):
    return sum(w * q.take(range(s, q.shape[axis] - 3 + s), axis) for s, w in enumerate(weights))


def around(q, axis):
    if axis == 2:
        return np.pad(q, ((0, 0), (0, 0), (2, 2)), "wrap")
    wide = np.pad(q, ((0, 0), (2, 2), (0, 0)), "edge")
    density = model.means(-2, nz + 2)[0][:, None]
    wide[1, :2] *= density[:2] / density[2]
    wide[1, -2:] *= density[-2:] / density[-3]
    wide[2, :2] = wide[2, -2:] = 0
    return wide


def tendency(q, dt, axis):
    width = model.widths[0 if axis == 2 else 1]
    wide = around(q, axis)
    value = at_faces(wide, np.array([-1, 7, 7, -1]) / 12, axis)
    third = at_faces(wide, [-1, 3, -3, 1], axis)
    if axis == 2:
        rho0, rho_theta0 = (one[:, None] for one in model.means(0, nz))
    else:
        rho0, rho_theta0 = (one[:, None] for one in at_rest(np.arange(nz + 1) * model.widths[1]))
    rho, rho_theta = value[0] + rho0, value[3] + rho_theta0
    p = C0 * rho_theta**GAMMA - (C0 * rho_theta0**GAMMA if axis == 1 else 0)
    mass = value[1 if axis == 2 else 2].copy()
    if axis == 1:
        mass[[0, -1]] = third[0, [0, -1]] = 0
    flux = np.array([mass, mass * value[1] / rho, mass * value[2] / rho, mass * rho_theta / rho])
    flux[1 if axis == 2 else 2] += p
    flux += 0.05 * width / (16 * dt) * third
    change = -np.diff(flux, axis=axis) / width
    if axis == 1:
        change[2] -= GRAVITY * q[0]
    return change


def stepped(q, axes):
    for axis in axes:
        at = q
        for part in (3, 2, 1):
            dt = model.dt / part
            at = q + dt * tendency(at, dt, axis)
        q = at
    return q


def reference(hotter):
    q = hotter * model.first(model.box())
    for n in range(9):
        q = stepped(q, (2, 1) if n % 2 == 0 else (1, 2))
    return q


# where it is 8 times as hot, the pressure begins far from that of the background
wanted = {hotter: reference(hotter) for hotter in (1, 8)}
bits = {hotter: set() for hotter in wanted}


def check(domain, method):
    box = domain.box
    for hotter in (1, 8, 1):  # and once more from the beginning
        want = wanted[hotter]
        method.begin(hotter * model.first(box).ravel())
        method.run(4)
        method.run(5)
        found = np.empty((4, box.hi[1] - box.lo[1], box.hi[0] - box.lo[0]))
        method.read(found.ravel())
        far = np.abs(found - want[:, box.lo[1] : box.hi[1], box.lo[0] : box.hi[0]])
        assert np.all(far < 1e-9 * np.abs(want).max(axis=(1, 2), keepdims=True)), far.max()
        whole = np.empty_like(want)
        for lo, hi, part in comm.allgather((box.lo, box.hi, found)):
            whole[:, lo[1] : hi[1], lo[0] : hi[0]] = part
        bits[hotter].add(whole.tobytes())


grid = Grid(model.cells, periodic=(True, False))
domain = Domain(block_partition(grid, blocks=(comm.size, 1, 1)))
for strategy in ("blocking", "dataflow", "edge-first"):
    check(domain, _core.step_miniweather(domain, model.numbers(), strategy, "auto"))
check(domain, _core.hand_miniweather(domain, model.numbers()))
alone = Domain(block_partition(grid, blocks=(1, 1, 1)), mpi.COMM_SELF)
check(alone, _core.hand_miniweather(alone, model.numbers()))
cut = Domain(block_partition(grid, blocks=(1, comm.size, 1)))  # z too can be cut
check(cut, _core.step_miniweather(cut, model.numbers(), "blocking", "auto"))
assert [len(found) for found in bits.values()] == [1, 1]
assert (8 * model.first(model.box())[3] / model.means(0, nz)[1][:, None]).max() > 2 / 32
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_numbers_are_those_of_the_formula(run_on_ranks: Callable[..., Any], ranks: int) -> None:
    run_on_ranks(ranks, SAME_AS_THE_FORMULA)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--works", "64"], "--works"),
        (["--works", "3x50"], "--works"),
        (["--methods", "lapwing,fortran"], "--methods"),
        (["--strategy", "wild"], "--strategy"),
    ],
)
def test_bad_requests_say_what_was_expected(arguments: list[str], name: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=rf"^{name}.*: got .*; expected .*; \w+"):
        parse("miniweather", arguments, 2)


def test_small_works_have_more_steps_to_a_sample(parse: Parse) -> None:
    request = parse("miniweather", [], 2)
    assert [request.call_steps(work) for work in request.works] == [50, 800]
    assert [request.full_name(work) for work in request.works] == ["400x200", "100x50"]
