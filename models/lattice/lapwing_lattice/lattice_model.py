"""The lattice model as the command line finds it; see `lapwing.model.Model`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lapwing.core.domain import Domain
from lapwing.model import Geometry, SimulatedWork

from lapwing_lattice.geometry import LatticeGeometry, make_geometry
from lapwing_lattice.lattice_run import LatticeRun
from lapwing_lattice.settings import LatticeSettings
from lapwing_lattice.simulation import simulation, works

_FOLDER = Path(__file__).parent / "cases"


class LatticeModel:
    """Flow around and between obstacles by lattice Boltzmann."""

    name: str = "lattice"
    title: str = "lattice Boltzmann, D3Q19, with half-way bounce-back"
    settings: type[Any] = LatticeSettings
    cases: Mapping[str, Path] = {path.stem: path for path in sorted(_FOLDER.glob("*.toml"))}
    sources: Path = Path(__file__).resolve().parents[1]
    works: Mapping[str, SimulatedWork] = works

    def geometry(self, settings: LatticeSettings, folder: Path) -> LatticeGeometry:
        """Make the grid, its axes and its solid cells; a mask file is under `folder`. Local."""
        return make_geometry(settings, folder)

    def simulation(self, settings: LatticeSettings, geometry: Geometry) -> dict[str, Any]:
        """Return what the program behind `lapwing simulate` reads of a case. Local."""
        assert isinstance(geometry, LatticeGeometry)
        return simulation(settings, geometry)

    def create(
        self,
        domain: Domain,
        settings: LatticeSettings,
        geometry: Geometry,
        *,
        strategy: str,
        transport: str,
    ) -> LatticeRun:
        """Put the model on a domain, with the initial flow of the case. Collective."""
        assert isinstance(geometry, LatticeGeometry)
        return LatticeRun(domain, settings, geometry, strategy=strategy, transport=transport)


model = LatticeModel()
