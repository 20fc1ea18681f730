"""Flats that fall dry: no cell gives away water that it has not, and none is lost."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import StateError
from lapwing.core.domain import Domain
from lapwing_coast import CoastRun, model
from lapwing_coast.settings import CoastSettings

MakeSea = Callable[..., Any]  # see conftest.py

FLATS = (
    "depth.depth=1.0",
    "tide.north.amplitude=[[1.2]]",
    "time.step=50 s",
    "grid.spacing_x=1000",
    "grid.spacing_y=1000",
)


def test_water_stays(make_sea: MakeSea) -> None:
    """A tide of 1.2 m over flats of 1 m: they fall dry and flood again."""
    sea = make_sea("kelvin-small", *FLATS, "physics.drying=true", "grid.cells_y=4")
    depth, least = 1.0, sea.settings.physics.least_depth
    lowest, highest = [], []
    for _ in range(36):
        sea.run.advance(48)
        inside = sea.level[:, :-1] + depth  # the northern row is prescribed
        lowest.append(inside.min())
        highest.append(inside.max())
    assert min(lowest) >= least - 1e-12
    assert min(lowest) < 6 * least  # nearly dry: friction keeps the last of it
    assert max(highest) > 1.5 * depth
    assert np.isfinite(sea.level).all()


def test_a_tide_below_the_bottom_keeps_the_least_depth(make_sea: MakeSea) -> None:
    """The prescribed row holds the least depth at ebb, and no water is lost inside."""
    sea = make_sea("kelvin-small", *FLATS, "physics.drying=true", "grid.cells_y=5")
    least, dt, spacing = sea.settings.physics.least_depth, 50.0, 1000.0
    (note,) = sea.run.notes
    assert note.startswith("the tide may fall below the bottom in 47 of 47 cells of tide.north;")
    assert "keeps 0.05 m of water there" in note
    water, held = np.empty(0), 0
    for _ in range(600):
        before = sea.level.copy()
        sea.run.advance(1)
        water = sea.level + 1.0
        assert water.min() >= least - 1e-12
        held += int(np.isclose(water[:, -1], least, atol=1e-12).sum())
        flow = np.diff(sea.x, axis=0, prepend=0.0) + np.diff(sea.y, axis=1, prepend=0.0)  # m2/s
        change = (sea.level - before + dt / spacing * flow)[:, :-1]  # the last row is prescribed
        assert np.abs(change).max() < 1e-13
    sea.run.check_state()
    assert held > 100


def test_a_tide_above_the_bottom_is_left_alone(make_sea: MakeSea) -> None:
    """Drying changes no bit where no cell falls dry."""
    levels = []
    for drying in ("true", "false"):
        sea = make_sea("kelvin-small", f"physics.drying={drying}", "grid.cells_y=6")
        assert sea.run.notes == []
        sea.run.advance(200)
        levels.append(sea.level.tobytes())
    assert levels[0] == levels[1]


def test_missing_water_is_no_reason_to_switch_on_what_is_on(make_sea: MakeSea) -> None:
    sea = make_sea("kelvin-small", *FLATS, "physics.drying=true", "grid.cells_y=4")
    sea.put(np.full((47, 4), -2.0), np.zeros((47, 4)), np.zeros((47, 4)))
    with pytest.raises(StateError, match=r"expected water in every wet cell; run the case again"):
        sea.run.check_state()


def test_without_drying_the_run_stops(make_sea: MakeSea) -> None:
    sea = make_sea("kelvin-small", *FLATS, "grid.cells_y=12")

    def run() -> None:
        for _ in range(36):
            sea.run.advance(48)
            sea.run.check_state()

    with pytest.raises(StateError, match=r"physics\.drying"):
        run()


def test_volume_is_kept(make_sea: MakeSea) -> None:
    """A heap of water runs over dry flats, and none is lost."""

    def closed(settings: CoastSettings) -> CoastSettings:
        north = dataclasses.replace(settings.tide.north, open=False)
        return dataclasses.replace(settings, tide=dataclasses.replace(settings.tide, north=north))

    sea = make_sea("kelvin-small", *FLATS, "physics.drying=true", change=closed)
    heap = np.full((47, 41), -0.95)  # m: the least depth
    heap[:10, :10] = 2.0
    sea.put(heap, np.zeros((47, 41)), np.zeros((47, 41)))
    for _ in range(10):
        sea.run.advance(30)
        sea.run.check_state()
        assert (sea.level + 1.0).min() >= 0.05 - 1e-12
    assert (sea.level > -0.9).sum() > 200  # it has spread
    assert sea.level.sum() == pytest.approx(heap.sum(), abs=1e-9)


@pytest.mark.parametrize("strategy", ["dataflow", "edge-first", "deep:2"])
def test_strategies_fall_back(make_sea: MakeSea, strategy: str) -> None:
    """No cell is final before the brakes are: steps run undivided, and have the same bits."""
    plain = make_sea("kelvin-small", *FLATS, "physics.drying=true", "grid.cells_y=12")
    plain.run.advance(500)
    geometry = model.geometry(plain.settings, None)  # type: ignore[arg-type]
    domain = Domain(geometry.grid)
    run = CoastRun(domain, plain.settings, geometry, strategy=strategy, transport="auto")
    run.advance(500)
    assert np.array_equal(run.state["sea_level"][domain.box], plain.level)
    domain.close()
