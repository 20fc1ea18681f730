"""Advection of a tracer: conservation, constants, extremes, memory orders and ranks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from lapwing import mpi_runtime
from lapwing.domain import Domain, Field
from lapwing.error import UserError
from lapwing_coast import _kernels
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIZE = (23, 17, 6)
_PROGRAM = Path(__file__).parent / "programs" / "tracer.py"


def gyres(size: tuple[int, int, int], strength: float = 60e3) -> tuple[Array, Array]:
    """Flow through x and y faces, m2/s: gyres that weaken with depth, and an overturning in x."""
    nx, ny, levels = size
    i, j, k = np.meshgrid(*(np.arange(float(n)) for n in size), indexing="ij")

    def stream(i: Array, j: Array) -> Array:
        return np.asarray(np.sin(np.pi * (i + 1) / nx) * np.sin(2 * np.pi * (j + 1) / ny))

    amplitude = strength / 2000.0 * (1 + np.cos(np.pi * k / levels)) / 2
    over = np.where(2 * k < levels, 1.0, -1.0) * np.sin(2 * np.pi * (i + 1) / nx)
    x = (stream(i, j - 1) - stream(i, j)) * amplitude + over
    y = (stream(i, j) - stream(i - 1, j)) * amplitude
    x[-1], y[:, -1] = 0.0, 0.0
    return x, y


class Basin:
    """A tracer on one rank, with its owned cells at hand."""

    def __init__(self, levels_fastest: bool, scheme: str, depth: Array) -> None:
        self.domain = Domain(SIZE[:2])
        settings = _kernels.TracerSettings()
        settings.levels = SIZE[2]
        settings.levels_fastest = levels_fastest
        settings.scheme = getattr(_kernels.Scheme, scheme)
        self.advection = _kernels.TracerAdvection(
            self.domain, settings, np.asfortranarray(depth), "blocking", "auto"
        )
        names = ("tracer", "flow_x", "flow_y", "thickness")
        self.fields = {n: Field(self.domain, getattr(self.advection, n)) for n in names}

    def put(self, name: str, values: Array | float) -> None:
        """Set the owned cells of a field."""
        self.fields[name][self.domain.box] = values

    def get(self, name: str) -> Array:
        """The owned cells of a field, a copy."""
        return np.array(self.fields[name][self.domain.box])

    def flow(self) -> None:
        """Let the gyres flow; the faces of land close by themselves."""
        for name, values in zip(("flow_x", "flow_y"), gyres(SIZE), strict=True):
            self.put(name, values)
        self.advection.set_flow()


MakeBasin = Callable[..., Basin]


@pytest.fixture
def make_basin() -> Iterator[MakeBasin]:
    basins: list[Basin] = []

    def make(
        levels_fastest: bool = False, scheme: str = "p2_pdm", depth: Array | None = None
    ) -> Basin:
        bottom = np.full(SIZE[:2], 60.0) if depth is None else depth
        basins.append(Basin(levels_fastest, scheme, bottom))
        return basins[-1]

    yield make
    for basin in basins:
        basin.domain.close()


each_kind = pytest.mark.parametrize(
    ("levels_fastest", "scheme"),
    [(False, "p2_pdm"), (True, "p2_pdm"), (False, "upstream"), (True, "upstream")],
)


@each_kind
def test_conserves_and_makes_no_new_extreme(
    make_basin: MakeBasin, levels_fastest: bool, scheme: str
) -> None:
    """From noise, the hardest start: to rounding, and not by one bit beyond the extremes."""
    basin = make_basin(levels_fastest, scheme)
    basin.flow()
    start = np.random.default_rng(1).random(SIZE)
    basin.put("tracer", start)
    mass = (start * basin.get("thickness")).sum()
    basin.advection.advance(100)
    end = basin.get("tracer")
    assert abs((end * basin.get("thickness")).sum() / mass - 1) < 1e-14
    assert start.min() <= end.min() < end.max() <= start.max()
    assert np.abs(end - start).mean() > 0.1  # it has moved


@each_kind
def test_constant_keeps_its_bits(make_basin: MakeBasin, levels_fastest: bool, scheme: str) -> None:
    basin = make_basin(levels_fastest, scheme)
    basin.flow()
    basin.put("tracer", 0.1)
    basin.advection.advance(50)
    assert (basin.get("tracer") == 0.1).all()


@pytest.mark.parametrize("scheme", ["p2_pdm", "upstream"])
def test_memory_orders_agree_to_the_bit(make_basin: MakeBasin, scheme: str) -> None:
    ends = []
    for levels_fastest in (False, True):
        basin = make_basin(levels_fastest, scheme)
        basin.flow()
        basin.put("tracer", np.random.default_rng(2).random(SIZE))
        basin.advection.advance(30)
        ends.append(basin.get("tracer"))
    assert np.array_equal(ends[0], ends[1])


def test_p2_pdm_blurs_a_front_less_than_upstream(make_basin: MakeBasin) -> None:
    blur = {}
    for scheme in ("p2_pdm", "upstream"):
        basin = make_basin(scheme=scheme)
        basin.flow()
        basin.put("tracer", np.where(np.arange(SIZE[0]) < 12, 1.0, 0.0)[:, None, None])
        basin.advection.advance(60)
        end = basin.get("tracer")
        blur[scheme] = float((end * (1.0 - end)).mean())  # 0 where every cell is on one side
    assert 0 < blur["p2_pdm"] < 0.7 * blur["upstream"]


def test_nothing_enters_land(make_basin: MakeBasin) -> None:
    """Not one bit changes on land, and the sea around it stays within its limits."""
    depth = np.full(SIZE[:2], 60.0)
    depth[8:12, 5:9] = 0.0
    basin = make_basin(depth=depth)
    start = np.random.default_rng(3).random(SIZE)
    basin.put("tracer", start)
    x, y = (np.zeros(SIZE), np.zeros(SIZE))
    x[:7, 3] = 1.0  # a current along a row that returns in the layers below
    x[:7, 3, SIZE[2] // 2 :] = -1.0
    basin.put("flow_x", x)
    basin.put("flow_y", y)
    basin.advection.set_flow()
    basin.advection.advance(20)
    end = basin.get("tracer")
    assert np.array_equal(end[8:12, 5:9], start[8:12, 5:9])
    assert not np.array_equal(end, start)
    assert start.min() <= end.min() < end.max() <= start.max()


def test_a_flow_that_moves_the_surface_is_refused(make_basin: MakeBasin) -> None:
    basin = make_basin()
    flow = np.zeros(SIZE)
    flow[5, 5] = 1.0
    basin.put("flow_x", flow)
    with pytest.raises(UserError, match="no divergence in the sum"):
        basin.advection.set_flow()


def test_a_flow_that_empties_cells_is_refused(make_basin: MakeBasin) -> None:
    basin = make_basin()
    x, y = gyres(SIZE, strength=60e5)
    basin.put("flow_x", x)
    basin.put("flow_y", y)
    with pytest.raises(UserError, match="more leaves a cell than is in it"):
        basin.advection.set_flow()


@pytest.mark.mpi
@pytest.mark.parametrize("strategy", ["blocking", "edge-first", "dataflow"])
def test_ranks_give_the_bits_of_one(strategy: str, tmp_path: Path) -> None:
    x, y = gyres(SIZE)
    state = tmp_path / "state.npz"
    np.savez(state, flow_x=x, flow_y=y, tracer=np.random.default_rng(1).random(SIZE))
    ends = []
    for ranks in (1, 2, 4):
        out = tmp_path / f"{ranks}.npy"
        command = [*mpi_runtime.launcher_command(ranks), sys.executable, str(_PROGRAM)]
        job = subprocess.run(
            [*command, strategy, str(state), str(out)],
            env=mpi_runtime.launcher_environment(),
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert job.returncode == 0, job.stdout + job.stderr
        ends.append(np.load(out))
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[0], ends[2])
