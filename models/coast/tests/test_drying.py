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


@pytest.mark.parametrize("strategy", ["dataflow", "edge-first", "deep(2)"])
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
