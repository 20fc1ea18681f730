"""The weather model on a domain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from lapwing.base.duration import format_duration
from lapwing.base.error import user_error
from lapwing.core.domain import Domain, Field
from lapwing.io.boundary.boundary_file import BoundaryFile
from lapwing.io.boundary.boundary_values import BoundaryValues
from lapwing.model import Geometry, Picture, Variable
from lapwing.model.structs import struct_from

from lapwing_weather import _kernels
from lapwing_weather.geometry import BoundedGeometry
from lapwing_weather.initial import InitialAir
from lapwing_weather.initialisation import (
    Edges,
    copy_fields,
    filter_state,
    of_steps_forward,
)
from lapwing_weather.levels import make_levels
from lapwing_weather.pictures import weather_pictures
from lapwing_weather.semi_implicit import vertical_modes
from lapwing_weather.settings import WeatherSettings
from lapwing_weather.vertical_structure import vertical_structure

_NAMES = ("wind_x", "wind_y", "temperature", "pressure", "humidity")
_IN_FILES = {"pressure": "surface_pressure"}  # names of variables, where not those of fields
_TIMES = 3  # states that rotate

MakeKernels = Callable[[_kernels.WeatherSettings], _kernels.WeatherModel]


class WeatherRun:
    """The weather model on a domain, ready to be advanced; see `lapwing.model.Run`."""

    boundary_values: BoundaryValues | None = None
    notes: Sequence[str] = ()  # on the initialisation

    def __init__(
        self,
        domain: Domain,
        settings: WeatherSettings,
        geometry: Geometry,
        *,
        strategy: str,
        transport: str,
    ) -> None:
        """Allocate the fields, make the step and put the initial air into them.

        Collective. UserError on all ranks for settings that do not fit (a time step beyond the
        limit of gravity waves among them) or that differ.
        """
        initial = InitialAir(settings)
        self.dt = settings.time.step
        given = numbers(settings)
        given.changing_boundary = isinstance(geometry, BoundedGeometry)

        def make(numbers: _kernels.WeatherSettings) -> _kernels.WeatherModel:
            time = settings.time
            return _kernels.WeatherModel(
                domain, numbers, strategy, transport, time.transpose, time.groups
            )

        self._weather = make(given)
        _refuse_long_steps(settings, "time.step")  # of levels that the model has not refused
        self._initialisation: Callable[[], None] | None = None
        if settings.initialisation.method == "digital_filter":
            _refuse_long_steps(of_steps_forward(settings), "initialisation.step")
            self._initialisation = lambda: self._filter(domain, settings, make)
            self.notes = (_plan_of(settings),)
        self.step = self._weather.step
        self.step_number: int = self._weather.step_number
        states = [_named(domain, self._weather.state(n)) for n in range(_TIMES)]
        self.state: Mapping[str, Field] = {
            f"{name}_{n}": field for n, state in enumerate(states) for name, field in state.items()
        }
        records = [_named(domain, record) for record in self._weather.given]
        self.given: Mapping[str, Field] = {
            name if n == 0 else f"{name}_{n}": field
            for n, record in enumerate(records)
            for name, field in ((f"{key}_given", one) for key, one in record.items())
        }
        for fields in (*states, *records):
            initial.fill(list(fields.values()), domain)
        if isinstance(geometry, BoundedGeometry) and geometry.boundary is not None:
            slots = [{_IN_FILES.get(n, n): f for n, f in record.items()} for record in records]
            self.boundary_values = BoundaryValues(
                domain, geometry.boundary, slots, _times_of(self._weather, geometry.boundary)
            )
        self.variables: Mapping[str, Variable] = _variables(domain, self._weather)
        self.pictures: Sequence[Picture] = weather_pictures(settings, geometry)

    def newest(self) -> dict[str, Field]:
        """Return the fields of the newest state by name. Local."""
        number = self._weather.newest
        return {
            name: self.state[f"{name}_{number}"]
            for name in _NAMES
            if f"{name}_{number}" in self.state
        }

    def initialise(self) -> None:
        """Filter the initial state, where the case says so, unless that was done. Collective.

        StateError on all ranks when a state on the way is bad. Cost: steps of one and a half spans.
        """
        if self._initialisation is not None:
            filter_, self._initialisation = self._initialisation, None
            filter_()

    def _filter(self, domain: Domain, settings: WeatherSettings, make: MakeKernels) -> None:
        def model(of: WeatherSettings, step: float) -> _kernels.WeatherModel:
            given = numbers(of)
            given.time_step = step
            return make(given)

        states = [list(_named(domain, self._weather.state(n)).values()) for n in range(_TIMES)]
        edges = self._edges_at_start(domain)
        filter_state(domain, settings, model, states[0], edges)
        for other in states[1:]:
            copy_fields(domain, states[0], other)

    def _edges_at_start(self, domain: Domain) -> Edges:
        """The records that the edges are drawn to at time 0. Collective with a file."""
        shares = [1.0]
        if self.boundary_values is not None:
            self.boundary_values.reach(0, self.dt)
            one, other = self._weather.given_times
            later = min(max(one / (one - other), 0.0), 1.0) if one != other else 0.0
            shares = [1.0 - later, later]
        records = [list(_named(domain, one).values()) for one in self._weather.given]
        return list(zip(shares, records, strict=False))

    def advance(self, steps: int) -> None:
        """Run `steps` time steps. Call it on all ranks."""
        self.initialise()
        while steps > 0:
            piece = steps
            if self.boundary_values is not None:
                self.boundary_values.reach(self.step_number, self.dt)
                piece = int(min(steps, self.boundary_values.steps_left(self.step_number, self.dt)))
            self._weather.advance(piece)
            self.step_number = self._weather.step_number
            steps -= piece

    def resume(self, step_number: int) -> None:
        """Go on from `step_number`; the caller has put the states of that moment into `state`."""
        self._initialisation = None
        self._weather.resume(step_number)
        self.step_number = step_number
        if self.boundary_values is not None:
            self.boundary_values.forget()

    def show(self) -> None:
        """Copy the newest state to the variables, and find the height of the layers. Local."""
        self._weather.show()

    def check_state(self) -> None:
        """Raise StateError on all ranks when the state is bad.

        Bad is a value that is not finite, a pressure or temperature that is not above 0, or a
        Courant number above 1. Collective; one reduction when all is well.
        """
        self._weather.check_state()


def numbers(settings: WeatherSettings) -> _kernels.WeatherSettings:
    """Return the settings that the C++ model takes. Local."""
    levels = make_levels(settings.levels)
    implicit = _diffuses_implicitly(settings)
    is_semi_implicit = settings.time.scheme == "semi-implicit"
    return struct_from(
        _kernels.WeatherSettings,
        settings.grid,
        settings.time,
        settings.dynamics,
        settings.boundary,
        time_step=settings.time.step,
        diffusion=0.0 if implicit else settings.dynamics.diffusion,
        implicit_diffusion=settings.dynamics.diffusion if implicit else 0.0,
        moist=settings.dynamics.humidity,
        semi_lagrangian=settings.dynamics.advection == "semi-lagrangian",
        levels=_kernels.HybridLevels(a=levels.a.tolist(), b=levels.b.tolist()),
        modes=vertical_modes(settings) if is_semi_implicit else _kernels.VerticalModes(),
    )


def lines_of(settings: WeatherSettings) -> tuple[str, ...]:
    """The work of a step along whole rows and columns, as machine files name its costs. Local."""
    waves = ("transform", "elimination") if settings.time.scheme == "semi-implicit" else ()
    filters = ("transform", "damping") if _diffuses_implicitly(settings) else ()
    return tuple(dict.fromkeys(waves + filters))


def longest_time_step(settings: WeatherSettings) -> float:
    """Return the longest stable step (s) of the fastest wave in the warmest air at rest. Local.

    A leapfrog takes frequencies w and lagged damping n with dt (w + n) up to 1, and with a filter
    of strength e up to ((1 - e) / (1 + e))^(1/2).
    """
    levels, warmest = make_levels(settings.levels), settings.dynamics.warmest
    reference = np.full(levels.count, warmest)
    speed = vertical_structure(levels, reference, settings.initial.pressure).speeds()[0]
    over_x, over_y = 1.0 / settings.grid.spacing_x, 1.0 / settings.grid.spacing_y
    waves = 2.0 * speed * np.hypot(over_x, over_y)  # 1/s
    if settings.time.scheme == "semi-implicit":
        waves = 0.0
    explicit = 0.0 if _diffuses_implicitly(settings) else settings.dynamics.diffusion
    damping = 16.0 * explicit * (over_x**4 + over_y**4)  # 1/s
    limit = np.sqrt((1.0 - settings.time.filter) / (1.0 + settings.time.filter))
    fastest = waves + damping
    return float(limit / fastest) if fastest > 0 else math.inf


def _diffuses_implicitly(settings: WeatherSettings) -> bool:
    dynamics = settings.dynamics
    return dynamics.diffusion_scheme == "implicit" and dynamics.diffusion > 0


def _plan_of(settings: WeatherSettings) -> str:
    filter_, half = settings.initialisation, settings.initialisation_steps
    return (
        f"initialisation: {filter_.window} filter, {half} steps of "
        f"{format_duration(settings.initialisation_step)} back and {2 * half} forward, cutoff "
        f"{format_duration(filter_.cutoff)}"
    )


def _refuse_long_steps(settings: WeatherSettings, name: str) -> None:
    longest = longest_time_step(settings)
    if settings.time.step > longest:
        waves = f"of gravity waves in air of {settings.dynamics.warmest:g} K and "
        limit = "" if settings.time.scheme == "semi-implicit" else waves
        raise user_error(
            name,
            f"{settings.time.step:g} s",
            f"at most {longest:.4g} s, the limit {limit}of diffusion",
            "choose a shorter step, a coarser grid or less diffusion",
        )


def _times_of(weather: _kernels.WeatherModel, file: BoundaryFile) -> Callable[[int], None]:
    """Tells the model the time of a record that has been put into its slot."""

    def taken(record: int) -> None:
        times = list(weather.given_times)
        times[record % 2] = file.times[record]
        weather.given_times = times

    return taken


def _named(domain: Domain, fields: Sequence[Any]) -> dict[str, Field]:
    return {name: Field(domain, field) for name, field in zip(_NAMES, fields, strict=False)}


def _variables(domain: Domain, weather: _kernels.WeatherModel) -> dict[str, Variable]:
    """Return what output files may hold: the newest state, and the height of the layers."""
    fields = _named(domain, weather.shown)
    described = {
        "pressure": ("surface_pressure", "Pa", "pressure at the surface", "surface_air_pressure"),
        "wind_x": ("wind_x", "m s-1", "wind along x, at x faces", "eastward_wind"),
        "wind_y": ("wind_y", "m s-1", "wind along y, at y faces", "northward_wind"),
        "temperature": ("temperature", "K", "temperature", "air_temperature"),
        "humidity": ("humidity", "kg kg-1", "specific humidity", "specific_humidity"),
    }
    variables = {
        name: Variable(fields[key], units, long_name, standard_name)
        for key, (name, units, long_name, standard_name) in described.items()
        if key in fields
    }
    variables["geopotential"] = Variable(
        Field(domain, weather.height), "m2 s-2", "geopotential of layers", "geopotential"
    )
    return variables
