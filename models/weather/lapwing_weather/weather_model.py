"""The weather model as the command line finds it; see `lapwing.model.Model`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from lapwing.core.domain import Domain
from lapwing.model import Geometry, SimulatedWork
from lapwing.model.structs import plain

from lapwing_weather.geometry import make_geometry, with_boundary
from lapwing_weather.settings import WeatherSettings
from lapwing_weather.weather_run import WeatherRun, lines_of, numbers

_FOLDER = Path(__file__).parent / "cases"


class WeatherModel:
    """Hydrostatic flow of air over a limited area or in a channel."""

    name: str = "weather"
    title: str = "hydrostatic flow of air on a C-grid with hybrid levels, after HIRLAM"
    settings: type[Any] = WeatherSettings
    cases: Mapping[str, Path] = {path.stem: path for path in sorted(_FOLDER.glob("*.toml"))}
    sources: Path = Path(__file__).resolve().parents[1]
    works: Mapping[str, SimulatedWork] = {"weather": SimulatedWork(from_start=True)}

    def geometry(self, settings: WeatherSettings, folder: Path) -> Geometry:
        """Make the grid and its axes; the cases name no files. Local."""
        return make_geometry(settings)

    def inputs(
        self,
        settings: WeatherSettings,
        geometry: Geometry,
        folder: Path,
        start: datetime,
        duration: float,
    ) -> Geometry:
        """Add the records that the edges are drawn to, where there is a file of them. Local."""
        return with_boundary(settings, geometry, folder, start, duration)

    def simulation(self, settings: WeatherSettings, geometry: Geometry) -> dict[str, Any]:
        """Return what the program behind `lapwing simulate` reads of a case. Local."""
        return {
            "settings": plain(numbers(settings)),
            "outside": lines_of(settings),
            "transpose": settings.time.transpose,
            "groups": settings.time.groups,
        }

    def create(
        self,
        domain: Domain,
        settings: WeatherSettings,
        geometry: Geometry,
        *,
        strategy: str,
        transport: str,
    ) -> WeatherRun:
        """Put the model on a domain, with the initial air of the case. Collective."""
        return WeatherRun(domain, settings, geometry, strategy=strategy, transport=transport)


model = WeatherModel()
