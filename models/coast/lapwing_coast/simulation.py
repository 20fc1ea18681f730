"""A case of the coast model as the program behind `lapwing simulate` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapwing.base.error import user_error
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
}


def simulation(settings: CoastSettings, geometry: Geometry) -> dict[str, Any]:
    """What tells the simulation of a case: physics, depth and boundaries.

    Local. UserError for a case with layers or drying, of which it would simulate a part only.
    """
    _require_simulated(settings)
    depth, boundaries = make_sea(settings, geometry)
    return {
        "settings": plain(numbers(settings)),
        "depth": depth.ravel(order="F").tolist(),
        "boundaries": plain(boundaries),
        "listed": settings.exchanges.listed(),
    }


def _require_simulated(settings: CoastSettings) -> None:
    """Only the depth-integrated mode is built into the simulation."""
    without = "the depth-integrated mode without drying: no more is built into the simulation"
    if settings.layers.levels > 0:
        remedy = f"set layers.levels=0, or simulate the tracer of {_LAYERS} layers: tracer-60x60"
        raise user_error("layers.levels", str(settings.layers.levels), without, remedy)
    if settings.physics.drying:
        # the search for dry cells repeats until a number of all ranks says so
        raise user_error("physics.drying", "true", without, "set physics.drying=false")
