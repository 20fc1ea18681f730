"""The coast model on a domain."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.core.domain import Domain, Field
from lapwing.model import Geometry, Variable
from lapwing.model.structs import struct_from

from lapwing_coast import _kernels
from lapwing_coast.forcing.air_maps import air_values, pieces
from lapwing_coast.forcing.tide import drying_notes
from lapwing_coast.sea import make_sea
from lapwing_coast.settings import CoastSettings


class CoastRun:
    """The coast model on a domain, ready to be advanced; see `lapwing.model.Run`."""

    def __init__(
        self,
        domain: Domain,
        settings: CoastSettings,
        geometry: Geometry,
        *,
        strategy: str,
        transport: str,
    ) -> None:
        """Allocate the fields and make the step, at rest.

        Collective. UserError on all ranks for settings that do not fit (a time step beyond the
        limit of gravity waves among them) or that differ.
        """
        sea = make_sea(settings, geometry)
        self.notes = drying_notes(settings.tide, settings.physics, sea.depth, sea.boundaries)
        self.dt = settings.time.step
        self._coast = _kernels.Coast(
            domain,
            numbers(settings),
            sea.depth,
            sea.boundaries,
            strategy,
            transport,
            settings.exchanges.listed(),
            inputs=sea.inputs,
        )
        self.step = self._coast.step
        self.step_number: int = self._coast.step_number
        self.boundary_values = air_values(self._coast, domain, geometry)
        self.state: Mapping[str, Field] = {
            name: Field(domain, getattr(self._coast, name))
            for name in ("sea_level", "transport_x", "transport_y")
        }
        self.variables: Mapping[str, Variable] = barotropic_variables(
            self.state, Field(domain, self._coast.depth)
        )

    def advance(self, steps: int) -> None:
        """Run `steps` time steps. Call it on all ranks."""
        for piece in pieces(self.boundary_values, self, steps):
            self._coast.advance(piece)
            self.step_number = self._coast.step_number

    def resume(self, step_number: int) -> None:
        """Go on from `step_number`; the caller has put the state of that moment into `state`."""
        self._coast.resume(step_number)
        self.step_number = step_number
        if self.boundary_values is not None:
            self.boundary_values.forget()

    def check_state(self) -> None:
        """Raise StateError on all ranks when a value is not finite or a wet cell has run dry.

        Collective; one reduction when all is well.
        """
        self._coast.check_state()


def barotropic_variables(state: Mapping[str, Field], depth: Field) -> dict[str, Variable]:
    """Return what output files may hold of the depth-integrated mode. Local."""
    return {
        "sea_level": Variable(
            state["sea_level"],
            "m",
            "sea level above its undisturbed height",
            "sea_surface_height_above_mean_sea_level",
        ),
        "transport_x": _transport(state["transport_x"], "x"),
        "transport_y": _transport(state["transport_y"], "y"),
        "depth": Variable(
            depth,
            "m",
            "undisturbed depth",
            "sea_floor_depth_below_mean_sea_level",
            fixed=True,
        ),
    }


def _transport(field: Field, axis: str) -> Variable:
    return Variable(field, "m2 s-1", f"depth-integrated velocity along {axis}, at {axis} faces")


def numbers(settings: CoastSettings) -> _kernels.CoastSettings:
    """Return the settings that the C++ model takes. Local."""
    physics = settings.physics
    return struct_from(
        _kernels.CoastSettings,
        settings.grid,
        physics,
        settings.tide,
        time_step=settings.time.step,
        least_depth=physics.least_depth if physics.drying else 0.0,
    )
