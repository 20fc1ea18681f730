"""The check that ends a run: it names step, field, cell, value, limit and rank."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing.core.partition import Box
from lapwing.model import StateError
from lapwing_weather._kernels import courant_number
from lapwing_weather.weather_run import longest_time_step, numbers

MakeAir = Callable[..., Any]  # see atmosphere.py
RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]


def cell(i: int, j: int, k: int = 0) -> Box:
    return Box((i, j, k), (i + 1, j + 1, k + 1))


@pytest.mark.parametrize("name", ["wind_x", "wind_y", "temperature", "humidity"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite(make_air: MakeAir, name: str, value: float) -> None:
    air = make_air("area-small")
    air.run.advance(7)
    air.run.check_state()
    field = air.run.newest()[name]
    values = field[air.domain.box]
    values[20, 13, 5] = value
    field[air.domain.box] = values
    text = rf"{name} = {value} at step 7, cell \(20, 13, 5\), rank 0; expected a finite value"
    with pytest.raises(StateError, match=text):
        air.run.check_state()


def test_no_air(make_air: MakeAir) -> None:
    air = make_air("area-small")
    air.run.newest()["pressure"][cell(5, 6)] = -60.0
    with pytest.raises(StateError, match=r"pressure = -60 .* cell \(5, 6\), .*more than 50000"):
        air.run.check_state()


def test_too_long_a_step(make_air: MakeAir) -> None:
    """A storm that the step was not chosen for: the cell and the limit are named."""
    air = make_air("area-small", "time.step=70")
    air.run.check_state()
    field = air.run.newest()["wind_x"]
    values = field[air.domain.box]
    values[30, 3, 2] = 400.0
    field[air.domain.box] = values
    text = r"Courant number = 1\.\d+ at step 0, cell \(30, 3, 2\), rank 0; expected at most 1, "
    with pytest.raises(StateError, match=text + "the limit .* shorter time.step"):
        air.run.check_state()


def test_the_limits_are_those_of_the_scheme(make_air: MakeAir) -> None:
    """A step a little below the limit runs on; noise in one above it grows until the check."""
    stable = ("initial.shape=rest", "dynamics.diffusion=0", "boundary.relaxation=0")
    periodic = ("grid.periodic_x=true", "grid.periodic_y=true", "dynamics.beta=0")
    for share, survives in ((0.99, True), (1.06, False)):
        air = make_air("area-small", *stable, *periodic)
        settings = air.settings
        limit = longest_time_step(settings) * np.sqrt(300.0 / settings.initial.temperature)
        air = make_air("area-small", *stable, *periodic, f"time.step={share * limit}",
                       "dynamics.warmest=200")  # fmt: skip
        pressure = air.get("pressure") + np.random.default_rng(4).uniform(-1, 1, (37, 31))
        air.put("pressure", pressure)
        air.run.advance(600)
        spread = np.ptp(air.get("pressure"))
        assert (spread < 4.0) == survives, (share, spread)


def test_both_limits_agree(make_air: MakeAir) -> None:
    """The checks of a case and of a run agree for air at rest, except for the top."""
    settings = make_air("area-small").settings
    share = courant_number(numbers(settings), 0.0, 0.0, settings.dynamics.warmest)
    assert share == pytest.approx(settings.time.step / longest_time_step(settings), rel=0.06)


MPI_CODE = """
import numpy as np
from lapwing.model.case import load_case
from lapwing.core.domain import Domain
from lapwing.model import StateError
from lapwing.core.partition import Box
from lapwing_weather import model


case = load_case("area-small", {"weather": model})
geometry = model.geometry(case.settings, case.folder)
domain = Domain(geometry.grid)
run = model.create(
    domain, case.settings, geometry, strategy="blocking", transport="auto"
)
run.advance(5)
run.check_state()
cell = Box((30, 25, 0), (31, 26, 1))
owner = [d.rank for d in domain.partition.subdomains if d.box.contains(cell)][0]
if domain.rank == owner:
    run.newest()["pressure"][cell] = np.nan
try:
    run.check_state()
except StateError as error:
    assert f"= nan at step 5, cell (30, 25), rank {owner};" in str(error), str(error)
    print("caught on", domain.rank)
domain.close()
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_agree(run_on_ranks: RunOnRanks, ranks: int) -> None:
    output = run_on_ranks(ranks, MPI_CODE).stdout
    assert output.count("caught on") == ranks
