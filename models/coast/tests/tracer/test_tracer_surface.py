"""Tracers under a surface that moves: constants, content, water from outside, ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lapwing.core.partition import Box
from tracer_basin import SIZE, SPLITS, Array, MakeBasin, run_program

STRATEGIES = ("blocking", "edge-first", "dataflow")


def wave(step: int) -> dict[str, Array]:
    """Flow and layers of a standing wave in one step, m2/s and m; layers slide over each other.

    The sea level changes by what the flow brings, and layers share the depth evenly.
    """
    nx, ny, levels = SIZE
    i, j = np.arange(nx)[:, None, None], np.arange(ny)[None, :, None]
    depth = 60.0 + 5.0 * np.sin(0.4 * i) * np.cos(0.3 * j)
    x = 4.0 * np.sin(np.pi * (i + 1) / nx) * np.cos(0.2 * j) / levels  # m2/s
    y = 3.0 * np.sin(np.pi * (j + 1) / ny) * np.cos(0.3 * i) / levels
    brought = 200.0 / 2000.0 * (np.diff(x, axis=0, prepend=0.0) + np.diff(y, axis=1, prepend=0.0))
    period = 40.0  # steps
    swing = np.cumsum(np.cos(2 * np.pi * np.arange(step + 1) / period))
    before = swing[-2] if step else 0.0
    level = [-levels * brought * of for of in (before, swing[-1])]  # m
    slide = 0.3 * np.cos(np.pi * (np.arange(levels) + 0.5) / levels) * (i < nx - 1) + 0 * j
    now = np.cos(2 * np.pi * step / period)
    return {
        "flow_x": x * now * np.ones(levels) + slide,
        "flow_y": y * now * np.ones(levels),
        "thickness": (depth + level[0]) / levels * np.ones(levels),
        "thickness_after": (depth + level[1]) / levels * np.ones(levels),
    }


@pytest.mark.parametrize("levels_fastest", [False, True])
@pytest.mark.parametrize("split", SPLITS)
def test_a_moving_surface_keeps_constants_and_content(
    make_basin: MakeBasin, split: str, levels_fastest: bool
) -> None:
    basin = make_basin(levels_fastest, split=split, tracers=2, moving_surface=True)
    noise = np.random.default_rng(6).random(SIZE)
    basin.tracers[0][basin.domain.box] = 0.1
    basin.tracers[1][basin.domain.box] = noise
    content = (noise * wave(0)["thickness"]).sum()
    for step in range(1000):
        now = wave(step)
        for name, values in now.items():
            basin.put(name, values)
        basin.advection.set_flow()
        basin.advection.advance(1)
    assert np.ptp(now["thickness_after"]) > 0.5
    assert np.abs(basin.get("flow_z")).max() > 1e-4
    assert (np.array(basin.tracers[0][basin.domain.box]) == 0.1).all()
    end = np.array(basin.tracers[1][basin.domain.box])
    assert abs((end * now["thickness_after"]).sum() / content - 1) < 1e-12
    assert noise.min() <= end.min() < end.max() <= noise.max()


@pytest.mark.parametrize("split", SPLITS)
def test_stages_declare_what_they_read(make_basin: MakeBasin, split: str) -> None:
    basin = make_basin(split=split, moving_surface=True)
    for name, values in wave(3).items():
        basin.put(name, values)
    basin.advection.set_flow()
    basin.advection.step.check()
    basin.advection.advance(1)


X, Y = "behind(x, 2), ahead(x, 2)", "behind(y, 2), ahead(y, 2)"


@pytest.mark.parametrize(
    ("split", "exchanges"),
    [
        ("half_steps", [X, Y, Y, X]),
        ("whole_steps", [X, Y]),
        ("horizontal_together", ["cross(2)"]),
    ],
)
def test_all_tracers_travel_together_and_alone(
    make_basin: MakeBasin, split: str, exchanges: list[str]
) -> None:
    """Results of the flow are computed beyond the owned cells, and need not travel."""
    basin = make_basin(split=split, tracers=2, moving_surface=True)
    lines = [line.strip() for line in basin.advection.step.report.describe().splitlines()]
    assert [line for line in lines if line.startswith("exchange")] == [
        f"exchange tracer_1 ({extent}), tracer_2 ({extent})" for extent in exchanges
    ]


@pytest.mark.parametrize(
    ("split", "flow"),
    [("half_steps", 120.0), ("whole_steps", 90.0), ("horizontal_together", 90.0)],
)
def test_water_comes_in_where_the_sea_level_is_prescribed(
    make_basin: MakeBasin, split: str, flow: float
) -> None:
    """In the first column, with the tracer that is there, and into every layer.

    So much flows on (m2/s) that half a step takes more than half of a cell: it is filled before the
    other half does.
    """
    levels = SIZE[2]
    first = Box((0, 0, 0), (1, SIZE[1], 1))
    basin = make_basin(split=split, tracers=2, moving_surface=True, prescribed=[first])
    start = np.random.default_rng(7).random(SIZE)
    basin.tracers[0][basin.domain.box] = 0.1
    basin.tracers[1][basin.domain.box] = start
    after = np.full(SIZE, 10.0)
    after[0] += 0.5 / levels
    after[1] += 200.0 / 2000.0 * flow
    x = np.zeros(SIZE)
    x[0] = flow
    for name, values in (("flow_x", x), ("thickness_after", after)):
        basin.put(name, values)
    basin.advection.set_flow()
    basin.advection.advance(1)
    assert (np.array(basin.tracers[0][basin.domain.box]) == 0.1).all()
    end = np.array(basin.tracers[1][basin.domain.box])
    assert start.min() <= end.min() < end.max() <= start.max()
    assert not np.array_equal(end[1], start[1])
    assert np.abs(basin.get("flow_z")).max() < 1e-12


@pytest.mark.ranks
def test_a_moving_surface_has_the_bits_of_one_rank(tmp_path: Path) -> None:
    """Compares every split; two tracers cost as many exchanges as one."""
    steps = [wave(step) for step in range(4)]
    state = tmp_path / "state.npz"
    series = {name: np.array([step[name] for step in steps]) for name in steps[0]}
    np.savez(
        state,
        tracers=np.random.default_rng(8).random((2, *SIZE)),
        flow_x=series["flow_x"],
        flow_y=series["flow_y"],
        thickness=series["thickness"],
        thickness_after=series["thickness_after"],
    )
    ends = []
    for ranks in (1, 2, 3, 4):
        out = tmp_path / f"{ranks}.npz"
        run_program("tracer_wave.py", ranks, ",".join(STRATEGIES), state, out)
        ends.append(np.load(out))
    one = ends[0]["tracers"][: len(SPLITS)]
    for end in ends:
        for n in range(len(STRATEGIES)):
            assert np.array_equal(end["tracers"][n * len(SPLITS) :][: len(SPLITS)], one)
        assert end["said"].tolist() == ends[0]["said"].tolist()
        assert np.all(np.char.find(end["said"], "cell (") > 0)
    for end in ends[1:]:
        assert end["exchanges"].tolist() == [4, 2, 1] * len(STRATEGIES)
