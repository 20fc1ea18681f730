"""A model that only the tests know; nothing in lapwing, nor in its simulator, names it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core.partition import Grid
from lapwing.model import Axis, Geometry, SimulatedWork


@dataclass(frozen=True)
class GridSettings:
    cells_x: int = 24
    cells_y: int = 20


@dataclass(frozen=True)
class Settings:
    grid: GridSettings = field(default_factory=GridSettings)
    strength: float = 0.1


class HeatModel:
    name: str = "heat"
    title: str = "heat that spreads"
    settings: type[Any] = Settings
    cases: Mapping[str, Path] = {}
    sources: Path = Path(__file__).resolve().parent
    works: Mapping[str, SimulatedWork] = {"heat": SimulatedWork(("spread", "take"), of_box={})}

    def geometry(self, settings: Settings, folder: Path) -> Geometry:
        size = (settings.grid.cells_x, settings.grid.cells_y)
        x, y = (Axis(np.arange(n, dtype=np.float64), "m", "distance") for n in size)
        return Geometry(Grid(size), np.ones(size, dtype=np.bool_), x, y)

    def simulation(self, settings: Settings, geometry: Geometry) -> dict[str, Any]:
        return {"strength": settings.strength, "start": "corner"}


model = HeatModel()
