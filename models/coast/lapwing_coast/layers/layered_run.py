"""The coast model in three dimensions, on a domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from lapwing.base.error import user_error
from lapwing.core.domain import Domain, Field
from lapwing.model import Geometry, Picture, Variable
from lapwing.model.structs import struct_from
from numpy.typing import NDArray

from lapwing_coast import _kernels
from lapwing_coast.forcing.air_maps import air_values, pieces
from lapwing_coast.forcing.tide import drying_notes
from lapwing_coast.initial import fill_tracers
from lapwing_coast.layers.layer_settings import ForcingSettings, TracerSettings
from lapwing_coast.layers.stretching import centres_below, shares
from lapwing_coast.pictures import layer_pictures
from lapwing_coast.place.geometry import CoastGeometry
from lapwing_coast.run import barotropic_variables, numbers
from lapwing_coast.sea import make_sea
from lapwing_coast.settings import CoastSettings

_HEAT_CAPACITY = 3990.0  # of sea water, J/(kg K)

# The fields that a step starts from, and users look at: the rest is computed from these before it
# is used.
_STATE = (
    "sea_level",
    "transport_x",
    "transport_y",
    "flow_x",
    "flow_y",
    "flow_z",
    "temperature",
    "salinity",
    "tke",
    "dissipation",
    "viscosity",
    "diffusivity",
    "velocity_x",  # of the step before, for the first record
    "velocity_y",
)


class LayeredRun:
    """The layers and the tide that drives them, ready to be advanced; see `lapwing.model.Run`."""

    def __init__(
        self,
        domain: Domain,
        settings: CoastSettings,
        geometry: Geometry,
        *,
        strategy: str,
        transport: str,
    ) -> None:
        """Allocate the fields and make the step, at rest with the initial water.

        Collective. UserError on all ranks for settings that do not fit or that differ.
        """
        sea = make_sea(settings, geometry)
        self.notes = drying_notes(settings.tide, settings.physics, sea.depth, sea.boundaries)
        self.dt = settings.time.step * settings.time.micro_steps
        self._coast = _kernels.LayeredCoast(
            domain,
            numbers(settings),
            layer_numbers(settings),
            sea.depth,
            sea.boundaries,
            forcing_series(settings, geometry),
            settings.exchanges.listed(),
            strategy,
            transport,
            inputs=sea.inputs,
        )
        self.step = self._coast.step
        self.step_number: int = self._coast.step_number
        self.boundary_values = air_values(self._coast, domain, geometry)
        self.state: Mapping[str, Field] = {
            name: Field(domain, getattr(self._coast, name)) for name in _STATE
        }
        water = self.state["temperature"], self.state["salinity"]
        below = centres_below(settings.vertical, settings.layers.levels)
        fill_tracers(*water, settings.initial, sea.depth, below, domain)
        self.variables: Mapping[str, Variable] = {
            **barotropic_variables(self.state, Field(domain, self._coast.depth)),
            **_layer_variables(domain, self._coast, self.state),
        }
        self.pictures: Sequence[Picture] = layer_pictures(settings, geometry)

    def advance(self, steps: int) -> None:
        """Run `steps` steps of the layers. Call it on all ranks."""
        for piece in pieces(self.boundary_values, self, steps):
            self._coast.advance(piece)
            self.step_number = self._coast.step_number
        self._coast.find_velocities()

    def resume(self, step_number: int) -> None:
        """Go on from `step_number`; the caller has put the state of that moment into `state`."""
        self._coast.resume(step_number)
        self.step_number = step_number
        if self.boundary_values is not None:
            self.boundary_values.forget()

    def check_state(self) -> None:
        """Raise StateError on all ranks when the state is bad.

        Bad is a value that is not finite, a wet cell that has run dry, or more water leaving a cell
        in a step than is in it. Collective; two reductions when all is well.
        """
        self._coast.check_state()


def layer_numbers(settings: CoastSettings) -> _kernels.LayerSettings:
    """Return the settings of the layers that the C++ model takes. Local."""
    layers, tracers, forcing = settings.layers, settings.tracers, settings.forcing
    vertical = settings.vertical
    gravity = settings.physics.gravity
    wind = forcing.wind_x, forcing.wind_y
    return struct_from(
        _kernels.LayerSettings,
        layers,
        tracers,
        settings.time,
        water=struct_from(_kernels.SeaWater, tracers),
        shares=shares(vertical, layers.levels).tolist() if vertical.is_there else [],
        mixing=struct_from(_kernels.HorizontalMixing, settings.mixing),
        k_epsilon=layers.turbulence == "k-epsilon",
        wind_stress=[_stress_over_density(stress, tracers) for stress in wind],
        drive=[gravity * forcing.slope_x, gravity * forcing.slope_y],
        heat_flux=_temperature_flux(forcing.heat, tracers),
        salt_flux=_salt_flux(_diluting(forcing) * forcing.freshwater, tracers),
    )


def forcing_series(settings: CoastSettings, geometry: Geometry) -> _kernels.ForcingSeries:
    """Return the contents of the forcing file as the C++ model takes it; empty without one. Local.

    UserError if the case has a file and `geometry_of` of lapwing.model.case has not made the
    geometry.
    """
    if settings.forcing.file == Path():
        return _kernels.ForcingSeries()
    if not isinstance(geometry, CoastGeometry) or not geometry.forcing.values:
        raise user_error(
            "forcing.file",
            f"{settings.forcing.file}, that nobody has read",
            "a geometry with the content of the file",
            "make the geometry by lapwing.model.case.geometry_of",
        )
    tracers, values = settings.tracers, geometry.forcing.values
    nothing = np.empty(0)
    wind = (values.get(name, nothing) for name in ("wind_x", "wind_y"))
    return _kernels.ForcingSeries(
        times=geometry.forcing.times.tolist(),
        wind_stress=[_stress_over_density(stress, tracers).tolist() for stress in wind],
        heat_flux=_temperature_flux(values.get("heat", nothing), tracers).tolist(),
        salt_flux=_salt_flux(_rain(settings.forcing, values), tracers).tolist(),
    )


def _diluting(forcing: ForcingSettings) -> float:
    """1 where rain is a flux of salt, 0 where it adds volume."""
    return float(forcing.freshwater_adds == "salt_flux")


def _rain(
    forcing: ForcingSettings, values: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The rain at the times of a file that is a flux of salt; none otherwise."""
    there = values.get("freshwater", np.empty(0))
    return there if forcing.freshwater_adds == "salt_flux" else np.empty(0)


# Applies to a number or an array, with the same bits.
_Amount = TypeVar("_Amount", float, NDArray[np.float64])


def _stress_over_density(stress: _Amount, tracers: TracerSettings) -> _Amount:
    """Convert N/m2 to m2/s2. Local."""
    return stress / tracers.reference_density


def _temperature_flux(heat: _Amount, tracers: TracerSettings) -> _Amount:
    """Convert W/m2 to K m/s. Local."""
    return heat / (tracers.reference_density * _HEAT_CAPACITY)


def _salt_flux(freshwater: _Amount, tracers: TracerSettings) -> _Amount:
    """Convert m/s to g/kg m/s: fresh water dilutes salinity. Local."""
    return -tracers.reference_salinity * freshwater


def _layer_variables(
    domain: Domain, coast: _kernels.LayeredCoast, state: Mapping[str, Field]
) -> dict[str, Variable]:
    def velocity(name: str, axis: str) -> Variable:
        return Variable(
            Field(domain, getattr(coast, name)),
            "m s-1",
            f"velocity along {axis}, at {axis} faces",
            f"sea_water_{axis}_velocity",
        )

    return {
        "temperature": Variable(
            state["temperature"], "degC", "temperature", "sea_water_temperature"
        ),
        "salinity": Variable(state["salinity"], "1e-3", "salinity", "sea_water_salinity"),
        "velocity_x": velocity("velocity_x", "x"),
        "velocity_y": velocity("velocity_y", "y"),
        "tke": Variable(
            state["tke"],
            "m2 s-2",
            "turbulent kinetic energy, at the tops of layers",
            "specific_turbulent_kinetic_energy_of_sea_water",
            at_tops=True,
        ),
        "viscosity": Variable(
            state["viscosity"],
            "m2 s-1",
            "vertical viscosity, at the tops of layers",
            "ocean_vertical_momentum_diffusivity",
            at_tops=True,
        ),
    }
