"""Runs that cut their grid again: the same bits, one that pays, one that does not, bad requests."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request
from command_server import Answer

pytestmark = pytest.mark.ranks

Lapwing = Callable[..., Answer]
RunOnRanks = Callable[..., Any]

DRIFT = '''
import dataclasses
import time
import lapwing
import numpy as np
from lapwing.model import Axis, Duration, Geometry

@dataclasses.dataclass(frozen=True)
class Drift:
    """A sea with a costly quarter that moves."""

    nap: float = 0.0  # s of a row of cells from south to north
    heavy: float = 1.0  # how much more a quarter of the sea costs
    dt: Duration = 60.0
    case = {"run": {"duration": "30 min"}, "output": {"every": "5 min", "points": ["a: 9, 5"]}}

    @property
    def geometry(self):
        wet = np.ones((32, 16), dtype=bool)
        wet[:5, :3] = False
        x, y = (Axis(np.arange(float(n)), "1", "cell") for n in wet.shape)
        return Geometry(lapwing.Grid(wet.shape), wet, x, y)

    def create(self, domain, **options):
        heat = domain.field("heat", units="K", constant_on_land=True)
        new, place = domain.field("new", constant_on_land=True), domain.field("place")
        sea = domain.field("sea")  # 1, and 0 on land

        def spread(box, heat, place, sea, new):
            around = heat.at(x=+1) + heat.at(x=-1) + heat.at(y=+1) + heat.at(y=-1)
            change = 0.2 * (around - 4 * heat.at()) + 1e-3 * place * step.step_number
            new[...] = heat.at() + sea * change

        def back(box, new, heat):
            heat[...] = new
            columns = (np.arange(box.lo[0], box.hi[0]) - step.step_number // 4) % 32
            work = np.where(columns < 8, self.heavy, 1.0).sum() * (box.hi[1] - box.lo[1]) / 16
            time.sleep(self.nap * work)

        reads = [(heat, lapwing.cross(1)), place, sea]
        stages = [
            lapwing.Stage(spread, reads=reads, writes=[new]),
            lapwing.Stage(back, reads=[new], writes=[heat]),
        ]
        step = lapwing.Step(domain, stages, **options)
        wet = self.geometry.wet
        heat.set(lambda i, j: np.where(wet[i, j], np.sin(0.4 * i + 0.3 * j * j), 0.0))
        place.set(lambda i, j: 1.0 * i + j)
        sea.set(lambda i, j: 1.0 * wet[i, j])
        return step
'''

# runs a case that is cut again at every look, each time in another way, whatever that gains
ANYWAY = """
import sys
from pathlib import Path
import numpy as np
from lapwing.run.balance.cost_map import CostMap
from lapwing.run.balance.rebalance import Rebalance
from lapwing.run.request import Request
from lapwing.run.run import run_case
from mpi4py import MPI

looks = []

def anyway(self, partition, seconds, making, left):
    looks.append(left)
    random = np.random.default_rng(len(looks))
    known = CostMap(self._geometry.wet)
    for axis, cells in enumerate(known.costs.shape):
        known.costs *= 0.1 + np.expand_dims(random.random(cells), 1 - axis) ** 3
    return self._cut(partition, known)

Rebalance.found = anyway
out, case, *sets = sys.argv[1:]
sys.exit(run_case(Request(case, sets=tuple(sets), out=Path(out), progress="none"), MPI.COMM_WORLD))
"""

LOOKS = ("--set", "run.rebalance=3 min", "--progress", "none")


@pytest.fixture
def drift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # ranks start where the test is
    path = tmp_path / "drift.py"
    path.write_text(DRIFT)
    return path


def files_of(folder: Path) -> dict[str, bytes]:
    """The results of a run, except for what says how it was run."""
    results = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in results
        if path.suffix != ".png" and path.name not in ("case.toml", "profile.json")
    }


OFTEN = ("run.restart_every=7 min", "run.transport=persistent")


@pytest.fixture(scope="module", params=["netcdf", "zarr"])
def plain(
    request: pytest.FixtureRequest, lapwing_in: Callable[..., Answer], tmp_path_factory: Any
) -> tuple[str, dict[str, bytes]]:
    """A form of output, and the results of one rank in it that never cuts again."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "drift.py").write_text(DRIFT)
    sets = (f"output.format={request.param}", *OFTEN)
    answer = lapwing_in(folder, "run", "drift.py", *(w for s in sets for w in ("--set", s)))
    assert answer.code == 0, answer.err
    return request.param, files_of(folder / "out" / "drift")


@pytest.mark.parametrize(
    ("ranks", "more"),
    [
        pytest.param(1, (), marks=pytest.mark.slow),
        (2, ()),
        pytest.param(3, (), marks=pytest.mark.slow),
        pytest.param(4, ("run.blocks=[2, 2]", "run.strategy=deep:2"), marks=pytest.mark.slow),
        (4, ("run.partition=ksection",)),
        (3, ("run.strategy=dataflow",)),
        pytest.param(2, ("run.strategy=auto",), marks=pytest.mark.slow),
    ],
)
def test_the_same_bytes(
    run_on_ranks: RunOnRanks,
    plain: tuple[str, dict[str, bytes]],
    drift: Path,
    ranks: int,
    more: tuple[str, ...],
) -> None:
    """Cut again nine times, with records and restart files on the way."""
    form, expected = plain
    every = (f"output.format={form}", "run.rebalance=3 min", "run.check_every=4")
    found = run_on_ranks(ranks, ANYWAY, "again", str(drift), *OFTEN, *every, *more)
    assert "rebalance   the grid was cut again 9 times, which took" in found.stdout
    assert len(expected) > 2
    assert files_of(drift.parent / "again") == expected


def test_a_restart_goes_on_after_cuts(
    lapwing: Lapwing, run_on_ranks: RunOnRanks, drift: Path
) -> None:
    assert lapwing("run", drift, "--out", "plain").code == 0
    half = ("run.duration=14 min", "run.rebalance=3 min")
    run_on_ranks(3, ANYWAY, "again", str(drift), *half)
    more = ("--restart", "again/restart.lapwing", "--ranks", 2)
    answer = lapwing("run", drift, "--out", "again", *more, *LOOKS)
    assert answer.code == 0, answer.err
    assert "from step 14 on" in answer.out
    plain, again = (drift.parent / name / "restart.lapwing" for name in ("plain", "again"))
    assert plain.read_bytes() == again.read_bytes()
    assert lapwing("compare", "plain/output.nc", "again/output.nc").out == "bitwise equal\n"


def test_a_drifting_load_is_cut_again(lapwing: Lapwing, drift: Path) -> None:
    """One rank takes twice as long as the other, in naps that a busy machine does not change much.

    The first estimate of a cut's cost counts as little, as it is large on a busy machine.
    """
    cheap = "import lapwing.run.balance.rebalance as looks\nmade = looks.Rebalance.__init__\n"
    cheap += "looks.Rebalance.__init__ = lambda self, *given: made(self, *given[:-1], 1e-3)\n"
    drift.write_text(cheap + DRIFT)
    slow = ("--set", "nap=2e-3", "--set", "heavy=3", "--set", "run.transport=persistent")
    answer = lapwing("run", drift, "--ranks", 2, "--out", "again", *slow, *LOOKS)
    assert answer.code == 0, answer.err
    cuts = re.search(
        r"^rebalance   the grid was cut again (\d+) times?, which took", answer.out, re.M
    )
    assert cuts is not None, answer.out
    assert 1 <= int(cuts[1]) <= 9
    assert lapwing("run", drift, "--out", "plain", *slow).code == 0
    assert lapwing("compare", "plain/output.nc", "again/output.nc").out == "bitwise equal\n"


def test_an_even_load_is_never_cut_again(lapwing: Lapwing, drift: Path) -> None:
    answer = lapwing("run", drift, "--ranks", 2, "--set", "nap=2e-4", *LOOKS)
    assert answer.code == 0, answer.err
    assert "rebalance   the grid was never cut again" in answer.out


def test_a_run_that_does_not_look_says_nothing_of_it(lapwing: Lapwing, drift: Path) -> None:
    answer = lapwing("run", drift)
    assert answer.code == 0, answer.err
    assert "rebalance" not in answer.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("run.rebalance=0",), ("run.rebalance", "0 s", "more than 0 s")),
        (("run.rebalance=-60",), ("run.rebalance", "-60 s", "more than 0 s")),
        (("run.rebalance=90",), ("run.rebalance", "90 s", "a multiple of the step, 60 s")),
        (("run.rebalance=1",), ("run.rebalance", "1 s", "set it to 60")),
    ],
)
def test_wrong_moments(
    lapwing: Lapwing, drift: Path, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    answer = lapwing("run", drift, "--ranks", 2, *(w for o in options for w in ("--set", o)))
    assert_wrong_request(answer, *words)
    assert not (drift.parent / "out" / "drift" / "output.nc").exists()


def test_output_servers_know_one_partition(lapwing: Lapwing, drift: Path) -> None:
    answer = lapwing("run", drift, "--ranks", 3, "--io-ranks", 1, *LOOKS)
    assert_wrong_request(answer, "run.rebalance", "180 s with --io-ranks 1", "leave --io-ranks or")
