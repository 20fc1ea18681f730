"""The coast model in motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing_coast import CoastSettings, model
from lapwing_coast.layers.layer_settings import ForcingSettings, InitialSettings, LayerSettings
from lapwing_coast.settings import GridSettings, SideSettings, TideSettings

from lapwing_lab.bench.stages.work import Work


def stirred(domain: Domain, work: Work) -> Any:
    """The model on the cells of `kelvin` or `kelvin3d` with a wave, so that nothing is at rest.

    Collective. With layers there are wind and two waters too, without them the sea is closed.
    """
    north = SideSettings(open=True, amplitude=[[0.5]], phase=[[90.0]])
    grid = GridSettings(cells_x=work.nx, cells_y=work.ny * domain.ranks)
    if work.levels:
        settings = CoastSettings(
            grid=grid,
            tide=TideSettings(north=north),
            layers=LayerSettings(levels=work.levels),
            initial=InitialSettings("two_layers", 15.0, 33.0, 10.0, 35.0),
            forcing=ForcingSettings(wind_x=0.05, heat=100.0),
        )
    else:
        settings = CoastSettings(grid=grid, tide=TideSettings(north=north, ramp=1e30))
    geometry = model.geometry(settings, Path())
    coast = model.create(domain, settings, geometry, strategy="blocking", transport="auto")
    wave = 0.1 if work.levels else 0.01  # per cell
    coast.state["sea_level"].set(lambda i, j: 0.1 * np.sin(wave * i) * np.cos(1.3 * wave * j))
    coast.advance(2)
    return coast
