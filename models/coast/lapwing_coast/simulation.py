"""A case of the coast model as the program behind `lapwing simulate` reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing.model import Geometry, SimulatedWork
from lapwing.model.structs import plain

from lapwing_coast import _kernels
from lapwing_coast.layers.layered_run import forcing_series, layer_numbers
from lapwing_coast.run import numbers
from lapwing_coast.sea import make_sea
from lapwing_coast.settings import CoastSettings

if TYPE_CHECKING:
    from lapwing.core._core import Grid, Step

Pairs = Sequence[tuple[str, str]]  # stage and field of exchanges that travel unasked

_LAYERS = 60
_DEPTH = 60.0  # m


def _coast_of_box(grid: Grid, listed: Pairs = ()) -> Callable[[Domain, str], tuple[Step, Any]]:
    depth = np.full(grid.size[:2], _DEPTH, order="F")

    def make(domain: Domain, strategy: str) -> tuple[Step, Any]:
        made = _kernels.Coast(
            domain, _kernels.CoastSettings(), depth, [], strategy, "p2p", list(listed)
        )
        return made.step, made

    return make


def _tracer_of_box(grid: Grid, listed: Pairs = ()) -> Callable[[Domain, str], tuple[Step, Any]]:
    depth = np.full(grid.size[:2], _DEPTH, order="F")
    settings = _kernels.TracerSettings()
    settings.levels = _LAYERS

    def make(domain: Domain, strategy: str) -> tuple[Step, Any]:
        made = _kernels.TracerAdvection(domain, settings, depth, strategy, "p2p", list(listed))
        return made.step, made

    return make


# the sea of GETM's report, without tides
works: Mapping[str, SimulatedWork] = {
    "coast": SimulatedWork(
        stages=("momentum_x", "momentum_y", "continuity"),
        of_box={"settings": {}, "depth": _DEPTH, "boundaries": []},
        on_domain=_coast_of_box,
        literal=(
            ("momentum_x", "transport_x"),
            ("momentum_y", "transport_y"),
            ("continuity", "sea_level"),
        ),
    ),
    "tracer": SimulatedWork(
        stages=tuple(f"{part}_{axis}" for part in ("interface", "update") for axis in "xyz"),
        of_box={"settings": {"levels": _LAYERS}, "depth": _DEPTH},
        on_domain=_tracer_of_box,
        layers=_LAYERS,
        literal=tuple((f"update_{axis}", "tracer") for axis in "xyz"),
    ),
    "coast3d": SimulatedWork(from_start=True),
}


def simulation(settings: CoastSettings, geometry: Geometry) -> dict[str, Any]:
    """The inputs of a simulation: physics, depth, boundaries and any layers. Local."""
    sea = make_sea(settings, geometry)
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
        "depth": sea.depth.ravel(order="F").tolist(),
        "boundaries": plain(sea.boundaries),
        "inputs": plain(sea.inputs),
        "listed": settings.exchanges.listed(),
    }
