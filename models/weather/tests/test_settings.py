"""Bad cases: each is refused with what came, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.domain import Domain
from lapwing.model.case import load_case
from lapwing_weather import _kernels, model
from lapwing_weather.levels import make_levels
from lapwing_weather.settings import LevelSettings

MakeAir = Callable[..., Any]  # see atmosphere.py


@pytest.mark.parametrize(
    ("case", "setting", "message"),
    [
        ("area-small", "grid.cells_x=1", r"grid.cells_x: got 1; expected at least 2"),
        ("area-small", "grid.spacing_y=0", r"grid.spacing_y: got 0 m"),
        ("area-small", "levels.count=0", r"levels.count: got 0; expected 1 or more"),
        ("area-small", "levels.top=60000", r"levels.top: got 60000 Pa"),
        ("area-small", "levels.a=[0.0]", r"levels.a and levels.b: got 1 and 0 values with the"),
        ("area-small", "levels.shape=given", r"levels.a and levels.b: got 0 and 0 values"),
        ("area-small", "levels.shape=eta", r"hybrid"),
        ("area-small", "time.step=0", r"time.step: got 0 s"),
        ("area-small", "time.filter=0.6", r"time.filter: got 0.6; expected 0 to 0.5"),
        ("area-small", "dynamics.diffusion=-1", r"dynamics.diffusion: got -1 m4/s"),
        ("area-small", "dynamics.coriolis=nan", r"dynamics.coriolis: got nan"),
        ("area-small", "dynamics.humidity=false", r"initial.humidity: .*without dynamics.humidity"),
        ("area-small", "boundary.relaxation=16", r"boundary.relaxation: got 16 cells on 37 x 31"),
        ("area-small", "boundary.relaxation=-1", r"boundary.relaxation: got -1 cells"),
        ("area-small", "grid.periodic_x=true", r"boundary.relaxation: got 8 cells on a grid that"),
        ("geostrophic", "grid.periodic_y=true", r"dynamics.beta: .*closes on itself along y"),
        ("area-small", "initial.radius=0", r"initial.radius: got 0 m"),
        ("area-small", "dt=10", r"did you mean 'time.step'\?"),
        ("area-small", "grid.nx=10", r"did you mean 'grid.cells_x'\?"),
        ("area-small", "grid.cells=3", r"unknown key .*cells_[xy]"),
    ],
)
def test_bad_setting(case: str, setting: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_case(case, {"weather": model}, [setting])


@pytest.mark.parametrize(
    ("case", "sets", "message"),
    [
        (
            "area-small",
            ["time.step=150"],
            r"time.step: got 150 s; expected at most 75.* s, .*300 K",
        ),
        ("jet-small", ["grid.periodic_x=false"], r"initial.shape 'eady': .*a channel"),
        ("jet-small", ["levels.top=0"], r"initial.shape 'eady': got levels.top 0 Pa"),
        ("jet-small", ["dynamics.coriolis=0"], r"initial.shape 'eady': .*rotation"),
        ("geostrophic", ["levels.top=1000"], r"initial.shape 'geostrophic': .*sigma layers"),
        (
            "gravity-wave",
            ["levels.shape=given", "levels.count=2", "levels.a=[0,5e4,0]", "levels.b=[0,0.6,1]"],
            r"levels: got 80000 Pa at half level 1 and 50000 Pa below it.*surface has 50000 Pa",
        ),
        (
            "gravity-wave",
            ["levels.shape=given", "levels.count=1", "levels.a=[0,0]", "levels.b=[0.1,1]"],
            r"levels: got a\[0\] = 0, b\[0\] = 0.1; expected b = 0 .*at the top",
        ),
        (
            "gravity-wave",
            ["levels.shape=given", "levels.count=1", "levels.a=[0,10]", "levels.b=[0,1]"],
            r"levels: got a\[1\] = 10, b\[1\] = 1; expected a = 0, b = 1 at the surface",
        ),
    ],
)
def test_bad_combination(make_air: MakeAir, case: str, sets: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_air(case, *sets)


def test_the_kernels_refuse_by_themselves() -> None:
    """The C++ model without a case meets the same walls."""
    domain = Domain((10, 10))
    settings = _kernels.WeatherSettings()
    settings.levels.a, settings.levels.b = [0.0, 0.0], [0.0, 1.0]
    for name, value, message in (
        ("time_step", 0.0, "time step"),
        ("time_step", np.nan, "time step"),
        ("diffusion", 1e17, r"diffusion: got 1e\+17 m4/s; expected 0 to"),
        ("relaxation", 6, "relaxation: got 6 cells"),
    ):
        before = getattr(settings, name)
        setattr(settings, name, value)
        with pytest.raises(UserError, match=message):
            _kernels.WeatherModel(domain, settings, "blocking", "p2p")
        setattr(settings, name, before)
    settings.levels.a = [0.0]
    with pytest.raises(UserError, match="levels: got 1 a and 2 b"):
        _kernels.WeatherModel(domain, settings, "blocking", "p2p")
    domain.close()


@pytest.mark.parametrize("shape", ["sigma", "hybrid"])
@pytest.mark.parametrize("top", [0.0, 1000.0, 2e4])
def test_shipped_levels(shape: str, top: float) -> None:
    """Pressure grows downwards over low and high ground; hybrid ones are flat on top."""
    levels = make_levels(LevelSettings(shape=shape, count=40, top=top))  # type: ignore[arg-type]
    for pressure in (5e4, 1e5, 1.1e5):
        assert np.all(np.diff(levels.halves(pressure)) > 0)
    assert levels.a[0] == top
    assert (levels.a[-1], levels.b[-1]) == (0.0, 1.0)
    if shape == "hybrid":
        assert levels.b[4] < 0.02
