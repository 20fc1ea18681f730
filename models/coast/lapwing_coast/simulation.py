"""A case of the coast model as the program behind `lapwing simulate` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapwing.model import Geometry, SimulatedWork
from lapwing.model.structs import plain

from lapwing_coast.layers.layered_run import forcing_series, layer_numbers
from lapwing_coast.run import numbers
from lapwing_coast.sea import make_sea
from lapwing_coast.settings import CoastSettings

_LAYERS = 60

# the sea of GETM's report, without tides
works: Mapping[str, SimulatedWork] = {
    "coast": SimulatedWork(
        stages=("momentum_x", "momentum_y", "continuity"),
        of_box={"settings": {}, "depth": 60.0, "boundaries": []},
        literal=(
            ("momentum_x", "transport_x"),
            ("momentum_y", "transport_y"),
            ("continuity", "sea_level"),
        ),
    ),
    "tracer": SimulatedWork(
        stages=tuple(f"{part}_{axis}" for part in ("interface", "update") for axis in "xyz"),
        of_box={"settings": {"levels": _LAYERS}, "depth": 60.0},
        layers=_LAYERS,
        literal=tuple((f"update_{axis}", "tracer") for axis in "xyz"),
    ),
    "coast3d": SimulatedWork(from_start=True),
}


def simulation(settings: CoastSettings, geometry: Geometry) -> dict[str, Any]:
    """What tells the simulation of a case: physics, depth, boundaries and any layers. Local."""
    depth, boundaries = make_sea(settings, geometry)
    layers: dict[str, Any] = {}
    if settings.layers.levels > 0:
        layers = {
            "work": "coast3d",
            "layers": plain(layer_numbers(settings)),
            "forcing": plain(forcing_series(settings, geometry)),
        }
    elif settings.physics.drying:
        layers = {"outside": ["try_level", "brake"]}
    return layers | {
        "settings": plain(numbers(settings)),
        "depth": depth.ravel(order="F").tolist(),
        "boundaries": plain(boundaries),
        "listed": settings.exchanges.listed(),
    }
