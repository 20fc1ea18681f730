"""The coast model as the command line finds it; see `lapwing.model.Model`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from lapwing.core.domain import Domain
from lapwing.io.boundary.boundary_file import BoundaryFile
from lapwing.model import Geometry, SimulatedWork

from lapwing_coast.forcing.air_maps import open_maps
from lapwing_coast.forcing.forcing_file import read_forcing
from lapwing_coast.forcing.inflow import read_rivers
from lapwing_coast.forcing.tide_file import TideRecord, read_tide
from lapwing_coast.layers.layered_run import LayeredRun
from lapwing_coast.place.geometry import SeriesRecord, in_coast, make_geometry
from lapwing_coast.run import CoastRun
from lapwing_coast.settings import CoastSettings
from lapwing_coast.simulation import simulation, works

_FOLDER = Path(__file__).parent / "cases"


class CoastModel:
    """Depth-integrated tides on the Arakawa C-grid."""

    name: str = "coast"
    title: str = "depth-integrated tides on a C-grid with coasts, after GETM"
    settings: type[Any] = CoastSettings
    cases: Mapping[str, Path] = {path.stem: path for path in sorted(_FOLDER.glob("*.toml"))}
    sources: Path = Path(__file__).resolve().parents[1]
    works: Mapping[str, SimulatedWork] = works

    def geometry(self, settings: CoastSettings, folder: Path) -> Geometry:
        """Make the grid, mask and axes; a relative file name is under `folder`. Local."""
        return make_geometry(
            settings.grid, folder, settings.layers.levels, settings.depth, settings.vertical
        )

    def inputs(
        self,
        settings: CoastSettings,
        geometry: Geometry,
        folder: Path,
        start: datetime,
        duration: float,
    ) -> Geometry:
        """Add what the files of tide, forcing and rivers hold, where a case has them. Local."""
        read: dict[str, SeriesRecord | TideRecord | BoundaryFile] = {}
        size = geometry.wet.shape
        if settings.forcing.maps != Path():
            read["air"] = open_maps(settings.forcing, folder, start, duration, geometry)
        if settings.tide.file != Path():
            read["tide"] = read_tide(folder / settings.tide.file, size)
        if settings.layers.levels > 0 and settings.forcing.file != Path():
            read["forcing"] = read_forcing(settings.forcing, folder, start, duration)
        if settings.rivers.file != Path():
            read["rivers"] = read_rivers(settings.rivers, folder, start, duration)
        return in_coast(geometry, **read) if read else geometry

    def simulation(self, settings: CoastSettings, geometry: Geometry) -> dict[str, Any]:
        """Return what the program behind `lapwing simulate` reads of a case. Local."""
        return simulation(settings, geometry)

    def create(
        self,
        domain: Domain,
        settings: CoastSettings,
        geometry: Geometry,
        *,
        strategy: str,
        transport: str,
    ) -> CoastRun | LayeredRun:
        """Put the model on a domain, at rest; with layers where it has any. Collective."""
        kind = LayeredRun if settings.layers.levels > 0 else CoastRun
        return kind(domain, settings, geometry, strategy=strategy, transport=transport)


model = CoastModel()
