"""Implicit diffusion of the new state, along whole rows and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapwing.core.domain import Field
from lapwing.core.solvers.implicit_diffusion import ImplicitDiffusion
from lapwing.core.solvers.line_transform import Ends

from lapwing_weather.settings import WeatherSettings


class Smoothing:
    """Divides each wave of winds, temperature and humidity by 1 + 2 dt K (kx^2 + ky^2)^2.

    Between walls winds through them are taken as 0 there, and nothing else goes through.
    Collective; raises what an ImplicitDiffusion raises. Cost: three of these.
    """

    def __init__(self, fields: Mapping[str, Field], settings: WeatherSettings) -> None:
        """Make the way to the lines of each kind of field, by `time.transpose`."""
        grid, dynamics = settings.grid, settings.dynamics
        method = {"method": settings.time.transpose} if settings.time.transpose else {}
        how: dict[str, Any] = {**method, "groups": settings.time.groups}
        self._filters: list[ImplicitDiffusion] = []
        closed_x: Ends = "periodic" if grid.periodic_x else "neumann"
        closed_y: Ends = "periodic" if grid.periodic_y else "neumann"
        through_x: Ends = "periodic" if grid.periodic_x else "dirichlet"
        through_y: Ends = "periodic" if grid.periodic_y else "dirichlet"
        for names, ends in (
            (["wind_x"], (through_x, closed_y)),
            (["wind_y"], (closed_x, through_y)),
            (["temperature", "humidity"], (closed_x, closed_y)),
        ):
            self._filters.append(
                ImplicitDiffusion(
                    [fields[name] for name in names if name in fields],
                    2.0 * settings.time.step * dynamics.diffusion,
                    (grid.spacing_x, grid.spacing_y),
                    ends=ends,
                    **how,
                )
            )

    def apply(self) -> None:
        """Filter the owned cells. Local, but all ranks must do so."""
        for one in self._filters:
            one.apply()
