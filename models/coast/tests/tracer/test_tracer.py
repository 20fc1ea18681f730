"""Advection of a tracer: conservation, constants, extremes, memory orders and ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.model import StateError
from lapwing_coast import _kernels
from tracer_basin import SIZE, SPLITS, TVD, Array, MakeBasin, gyres, run_program

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


@pytest.mark.parametrize("scheme", [*TVD, "p2"])
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


each_scheme_and_split = pytest.mark.parametrize(
    ("scheme", "split"),
    [(scheme, split) for split in SPLITS for scheme in TVD] + [("p2", s) for s in SPLITS[:2]],
)


@each_scheme_and_split
def test_content_is_conserved_for_long(make_basin: MakeBasin, scheme: str, split: str) -> None:
    """Conserved over 1000 steps to rounding, and without a new extreme, except for p2."""
    basin = make_basin(scheme=scheme, split=split)
    basin.flow(30e3)
    start = np.random.default_rng(4).random(SIZE)
    basin.put("tracer", start)
    content = (start * basin.get("thickness")).sum()
    for _ in range(10):
        basin.advection.advance(100)
        end = basin.get("tracer")
        if scheme != "p2":
            assert start.min() <= end.min() < end.max() <= start.max()
    assert abs((end * basin.get("thickness")).sum() / content - 1) < 1e-12
    assert np.abs(end - start).mean() > 0.1


@each_scheme_and_split
def test_constants_keep_their_bits(make_basin: MakeBasin, scheme: str, split: str) -> None:
    basin = make_basin(scheme=scheme, split=split)
    basin.flow(30e3)
    basin.put("tracer", 0.1)
    basin.advection.advance(50)
    assert (basin.get("tracer") == 0.1).all()


def test_p2_goes_beyond_the_extremes_at_a_front(make_basin: MakeBasin) -> None:
    beyond = {}
    for scheme in ("p2", "p2_pdm"):
        basin = make_basin(scheme=scheme)
        basin.flow()
        basin.put("tracer", np.where(np.arange(SIZE[0]) < 12, 1.0, 0.0)[:, None, None])
        basin.advection.advance(20)
        beyond[scheme] = basin.get("tracer").max() - 1.0
    assert beyond["p2"] > 0.01
    assert beyond["p2_pdm"] == 0.0


@pytest.mark.parametrize(
    ("scheme", "least", "most"), [("upstream", 0.8, 1.1), ("muscl", 1.8, 3.2), ("p2", 2.8, 3.2)]
)
def test_order_of_convergence(
    make_basin: MakeBasin, scheme: str, least: float, most: float
) -> None:
    """A wave goes once round a channel that closes on itself: half the error, at which power."""
    errors = []
    for cells in (64, 128):
        spacing = 64e3 / cells  # m
        basin = make_basin(
            scheme=scheme,
            size=(cells, 3, 1),
            periodic=True,
            spacing_x=spacing,
            time_step=0.4 * spacing,  # at 1 m/s
            split="whole_steps",
        )
        basin.put("flow_x", 60.0)
        basin.advection.set_flow()
        # the mean over each cell, as this is what moves
        edges = np.cos(2 * np.pi * np.arange(cells + 1) / cells)
        start = (edges[:-1] - edges[1:])[:, None, None] * cells / (2 * np.pi)
        basin.put("tracer", start)
        basin.advection.advance(round(cells / 0.4))
        errors.append(np.abs(basin.get("tracer") - start).mean())
    assert least < np.log2(errors[0] / errors[1]) < most


def slope(scheme: str, share: float, ahead: Array, behind: Array) -> Array:
    """Twice the slope of a scheme from its limiter of the ratio of differences, as papers write it.

    `share` of a cell leaves it; differences are to the next cell, and from the one before.
    """
    ratio = behind / ahead
    third = (0.5 + (1 - 2 * share) / 6) + (0.5 - (1 - 2 * share) / 6) * ratio
    limiters = {
        "upstream": 0.0 * ratio,
        "p2": third,
        "superbee": np.maximum(np.minimum(1, 2 * ratio), np.minimum(ratio, 2)),
        "muscl": np.minimum(np.minimum(2, 2 * ratio), (1 + ratio) / 2),
        "p2_pdm": np.minimum(third, np.minimum(2 / (1 - share), 2 * ratio / share)),
    }
    limiter = limiters[scheme] if scheme == "p2" else np.maximum(0, limiters[scheme])
    return np.asarray(limiter * (1 - share) * ahead)


@pytest.mark.parametrize("onward", [1, -1])
@pytest.mark.parametrize("scheme", [*TVD, "p2"])
def test_a_step_is_that_of_the_limiter(make_basin: MakeBasin, scheme: str, onward: int) -> None:
    """Along a channel that closes on itself, either way."""
    share = 0.3
    basin = make_basin(scheme=scheme, split="whole_steps", size=(64, 3, 2), periodic=True)
    basin.put("flow_x", onward * share * 30.0 * 2000.0 / 200.0)
    basin.advection.set_flow()
    start = np.random.default_rng(9).random((64, 3, 2))
    basin.put("tracer", start)
    basin.advection.advance(1)
    now = start[::onward]  # as it flows
    ahead = np.roll(now, -1, 0) - now
    interface = now + 0.5 * slope(scheme, share, ahead, np.roll(ahead, 1, 0))
    end = now - share * (interface - np.roll(interface, 1, 0))
    assert np.abs(basin.get("tracer")[::onward] - end).max() < 1e-8


def turntable(cells: int) -> tuple[Array, Array, Array]:
    """Flow of a disc that turns in a still square, m2/s, and the distance of cells from its axis.

    As gyres do it has a stream function, of the corners towards larger indices.
    """
    corner = np.arange(-1.0, cells) + 1 - cells / 2
    squared = np.minimum(corner[:, None] ** 2 + corner[None, :] ** 2, (cells / 2 - 1) ** 2)
    stream = 0.5 * squared[:, :, None]
    middle = corner[1:] - 0.5
    x, y = (
        -(stream[1:, 1:] - stream[1:, :-1]),
        stream[1:, 1:] - stream[:-1, 1:],
    )
    return x, y, np.hypot(middle[:, None], middle[None, :])


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("scheme", TVD)
def test_a_slotted_disc_and_a_cone_turn(make_basin: MakeBasin, scheme: str, split: str) -> None:
    """Once round, in bounds, and back where they were."""
    cells, steps = 40, 320
    basin = make_basin(
        scheme=scheme,
        split=split,
        size=(cells, cells, 1),
        depth=np.ones((cells, cells)),
        spacing_x=1.0,
        spacing_y=1.0,
        time_step=2 * np.pi / steps,
    )
    x, y, _ = turntable(cells)
    basin.put("flow_x", x)
    basin.put("flow_y", y)
    basin.advection.set_flow()
    middle = np.arange(cells) + 0.5 - cells / 2
    a, b = middle[:, None], middle[None, :]
    disc = (np.hypot(a + 9, b) < 6) & ~((np.abs(a + 9) < 1.5) & (b < 3))
    start = np.maximum(disc, np.maximum(0.0, 1 - np.hypot(a - 9, b) / 6))[:, :, None]
    basin.put("tracer", start)
    for _ in range(4):
        basin.advection.advance(steps // 4)
        end = basin.get("tracer")
        assert 0.0 <= end.min() < end.max() <= 1.0
    away = np.abs(end - start).sum() / start.sum()
    assert away < {"upstream": 1.5, "superbee": 0.6, "muscl": 0.7, "p2_pdm": 0.7}[scheme]
    for half in (slice(0, cells // 2), slice(cells // 2, cells)):  # the disc, the cone
        shift = (end[half] - start[half]) * middle[half][:, None, None]
        assert abs(shift.sum() / start[half].sum()) < 1.0


@pytest.mark.parametrize(
    ("split", "along", "flow", "share"),
    [
        ("half_steps", "x", 300.0, 1.5),
        ("whole_steps", "x", 150.0, 1.5),
        ("horizontal_together", "x and y", 150.0, 2.1),
    ],
)
def test_the_limits_name_step_and_cell(
    make_basin: MakeBasin, split: str, along: str, flow: float, share: float
) -> None:
    """A layer of 10 m loses 15 m to one neighbour in a fractional step, and 6 m to another."""
    basin = make_basin(split=split)
    x, y = np.zeros(SIZE), np.zeros(SIZE)
    x[7, 5, 2:4] = (flow, -flow)  # m2/s
    y[7, 5, 2:4] = (60.0, -60.0)
    basin.put("flow_x", x)
    basin.put("flow_y", y)
    with pytest.raises(UserError, match=r"more leaves a cell than is in it, in cell \(7, 5, 2\)"):
        basin.advection.set_flow()
    with pytest.raises(
        StateError, match=rf"takes {share:g} of a cell along {along} at step 12, cell \(7, 5, 2\)"
    ):
        basin.advection.check_limits(12)


def test_a_layer_without_water_is_found(make_basin: MakeBasin) -> None:
    basin = make_basin(moving_surface=True)
    for name in ("thickness", "thickness_after"):
        dry = np.full(SIZE, 10.0)
        dry[4, 3, 1] = -0.5
        basin.put(name, dry)
    with pytest.raises(UserError, match=r"thickness of a layer: got -0.5 m in cell \(4, 3, 1\)"):
        basin.advection.set_flow()
    with pytest.raises(StateError, match=r"-0.5 m of water .* step 3, cell \(4, 3, 1\)"):
        basin.advection.check_limits(3)


@pytest.mark.parametrize("choice", ["scheme", "split"])
def test_an_unknown_choice_names_those_there_are(choice: str) -> None:
    settings = _kernels.TracerSettings()
    with pytest.raises(UserError, match=r"got quickest; expected .* or .*; choose one of these"):
        setattr(settings, choice, "quickest")
    with pytest.raises(UserError, match=f"{choice}: got quickest; expected .* or .*; choose one"):
        _kernels.TracerSettings(**{choice: "quickest"})


def test_every_choice_has_its_name() -> None:
    for scheme in (*TVD, "p2"):
        assert _kernels.TracerSettings(scheme=scheme).scheme == scheme
    for split in SPLITS:
        assert _kernels.TracerSettings(split=split).split == split


def test_p2_is_refused_where_it_would_grow(make_basin: MakeBasin) -> None:
    with pytest.raises(UserError, match="p2 with the split horizontal_together"):
        make_basin(scheme="p2", split="horizontal_together")


@pytest.mark.ranks
@pytest.mark.parametrize(
    "strategy",
    [*(pytest.param(s, marks=pytest.mark.slow) for s in ("blocking", "edge-first")), "dataflow"],
)
def test_ranks_give_the_bits_of_one(strategy: str, tmp_path: Path) -> None:
    x, y = gyres(SIZE)
    state = tmp_path / "state.npz"
    np.savez(state, flow_x=x, flow_y=y, tracer=np.random.default_rng(1).random(SIZE))
    ends = []
    for ranks in (1, 2, 4):
        out = tmp_path / f"{ranks}.npy"
        run_program("tracer.py", ranks, strategy, state, out)
        ends.append(np.load(out))
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[0], ends[2])
