"""A case of the coast model as the program behind `lapwing simulate` reads it."""

from __future__ import annotations

from lapwing.model import Geometry

from lapwing_coast._kernels import Boundary
from lapwing_coast.run import numbers
from lapwing_coast.sea import make_sea
from lapwing_coast.settings import CoastSettings

_NUMBERS = ("time_step", "spacing_x", "spacing_y", "gravity", "coriolis", "drag", "ramp")


def simulation_lines(settings: CoastSettings, geometry: Geometry) -> list[str]:
    """Return the lines that tell the simulation of a case: physics, depth and boundaries. Local."""
    depth, boundaries = make_sea(settings, geometry)
    values = numbers(settings)
    lines = ["work coast", *(f"{name} {getattr(values, name)!r}" for name in _NUMBERS)]
    lines.append("depth values " + _text(depth.ravel(order="F").tolist()))
    return [*lines, *map(_boundary, boundaries)]


def _boundary(boundary: Boundary) -> str:
    lo, hi = boundary.cells.lo, boundary.cells.hi
    tides = [
        f"{tide.angular_speed!r} {_text(tide.in_phase)} {_text(tide.quadrature)}"
        for tide in boundary.constituents
    ]
    corners = f"{lo[0]} {lo[1]} {hi[0]} {hi[1]}"
    return " ".join([f"boundary {corners} {len(tides)}", *tides])


def _text(values: list[float]) -> str:
    return " ".join(map(repr, values))
