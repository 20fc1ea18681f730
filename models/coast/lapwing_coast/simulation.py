"""A case of the coast model as the program behind `lapwing simulate` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapwing.model import Geometry, SimulatedWork
from lapwing.model.structs import plain

from lapwing_coast.run import numbers
from lapwing_coast.sea import make_sea
from lapwing_coast.settings import CoastSettings

_LAYERS = 60

# the sea of GETM's report, without tides
works: Mapping[str, SimulatedWork] = {
    "coast": SimulatedWork(
        stages=("momentum_x", "momentum_y", "continuity"),
        of_box={"settings": {}, "depth": 60.0, "boundaries": []},
    ),
    "tracer": SimulatedWork(
        stages=tuple(f"{part}_{axis}" for part in ("interface", "update") for axis in "xyz"),
        of_box={"settings": {"levels": _LAYERS}, "depth": 60.0},
        layers=_LAYERS,
    ),
}


def simulation(settings: CoastSettings, geometry: Geometry) -> dict[str, Any]:
    """Return what tells the simulation of a case: physics, depth and boundaries. Local."""
    depth, boundaries = make_sea(settings, geometry)
    return {
        # without drying: its search for dry cells repeats until a number of all ranks says so,
        # which the step by hand does not know
        "settings": plain(numbers(settings)) | {"least_depth": 0.0},
        "depth": depth.ravel(order="F").tolist(),
        "boundaries": plain(boundaries),
    }
