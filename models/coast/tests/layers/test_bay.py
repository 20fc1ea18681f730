"""The shipped bay in three dimensions: its tide, river and wind for longer than a period of M2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_layered import values

MakeSea = Callable[..., Any]  # see conftest.py

STRETCHED = (
    "vertical.stretching=getm",
    "vertical.ddl=0.5",
    "vertical.ddu=0.5",
    "mixing.smagorinsky=0.2",
    "mixing.diffusivity=10",
)


@pytest.mark.slow
@pytest.mark.parametrize("sets", [(), STRETCHED])
def test_the_bay_runs_through_a_tide(make_sea: MakeSea, sets: tuple[str, ...]) -> None:
    """18 hours: steps of 600 s, with an explicit drag of the bottom, broke down after 10."""
    sea = make_sea("bay", *sets)
    for _ in range(18):
        sea.run.advance(round(3600.0 / sea.run.dt))
        sea.run.check_state()
    assert 0.5 < np.abs(values(sea, "sea_level")).max() < 3.0
    assert 0.3 < np.abs(values(sea, "velocity_x")).max() < 3.0
    assert values(sea, "salinity").min() < 30.0
    assert values(sea, "salinity").max() <= 32.0 + 1e-12
