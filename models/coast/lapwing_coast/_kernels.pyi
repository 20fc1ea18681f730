"""The coast model's kernels."""

from collections.abc import Sequence
from typing import Annotated

import lapwing.core._core
import numpy
from numpy.typing import NDArray

class Constituent:
    """One tidal constituent in the cells of a boundary, x fastest."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def angular_speed(self) -> float:
        """1/s"""

    @angular_speed.setter
    def angular_speed(self, arg: float, /) -> None: ...
    @property
    def in_phase(self) -> list[float]:
        """m"""

    @in_phase.setter
    def in_phase(self, arg: Sequence[float], /) -> None: ...
    @property
    def quadrature(self) -> list[float]:
        """m"""

    @quadrature.setter
    def quadrature(self, arg: Sequence[float], /) -> None: ...

class Boundary:
    """A strip of cells whose sea level is prescribed."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def cells(self) -> lapwing.core._core.Box: ...
    @cells.setter
    def cells(self, arg: lapwing.core._core.Box, /) -> None: ...
    @property
    def constituents(self) -> list[Constituent]: ...
    @constituents.setter
    def constituents(self, arg: Sequence[Constituent], /) -> None: ...

class CoastSettings:
    """Numbers of the coast model."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def time_step(self) -> float:
        """s"""

    @time_step.setter
    def time_step(self, arg: float, /) -> None: ...
    @property
    def spacing_x(self) -> float:
        """m"""

    @spacing_x.setter
    def spacing_x(self, arg: float, /) -> None: ...
    @property
    def spacing_y(self) -> float:
        """m"""

    @spacing_y.setter
    def spacing_y(self, arg: float, /) -> None: ...
    @property
    def gravity(self) -> float:
        """m/s2"""

    @gravity.setter
    def gravity(self, arg: float, /) -> None: ...
    @property
    def coriolis(self) -> float:
        """1/s"""

    @coriolis.setter
    def coriolis(self, arg: float, /) -> None: ...
    @property
    def drag(self) -> float:
        """bottom drag coefficient, 1"""

    @drag.setter
    def drag(self, arg: float, /) -> None: ...
    @property
    def ramp(self) -> float:
        """duration of the growth of the tide from rest, s"""

    @ramp.setter
    def ramp(self, arg: float, /) -> None: ...
    @property
    def least_depth(self) -> float:
        """water that drying leaves in a cell, m; 0: no drying"""

    @least_depth.setter
    def least_depth(self, arg: float, /) -> None: ...

def longest_time_step(settings: CoastSettings, depth: float) -> float:
    """The longest stable time step (s) for the largest depth (m). Local."""

class Coast:
    """
    The fields of the coast model on one rank and the step that moves them on.
    """

    def __init__(
        self,
        domain: lapwing.core._core.Domain,
        settings: CoastSettings,
        depth: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="F", device="cpu", writable=False),
        ],
        boundaries: Sequence[Boundary],
        strategy: str,
        transport: str,
        listed: Sequence[tuple[str, str]] = [],
    ) -> None: ...
    def advance(self, steps: int) -> None: ...
    def tick(self) -> None: ...
    def resume(self, step_number: int) -> None: ...
    def check_state(self) -> None: ...
    @property
    def step_number(self) -> int: ...
    @property
    def step(self) -> lapwing.core._core.Step: ...
    @property
    def sea_level(self) -> lapwing.core._core.Field: ...
    @property
    def transport_x(self) -> lapwing.core._core.Field: ...
    @property
    def transport_y(self) -> lapwing.core._core.Field: ...
    @property
    def depth(self) -> lapwing.core._core.Field: ...

class SeaWater:
    """What sea water weighs."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def equation(self) -> str:
        """of state"""

    @equation.setter
    def equation(self, arg: str, /) -> None: ...
    @property
    def reference_density(self) -> float:
        """at the reference temperature and salinity, kg/m3"""

    @reference_density.setter
    def reference_density(self, arg: float, /) -> None: ...
    @property
    def thermal_expansion(self) -> float:
        """1/K"""

    @thermal_expansion.setter
    def thermal_expansion(self, arg: float, /) -> None: ...
    @property
    def haline_contraction(self) -> float:
        """kg/g"""

    @haline_contraction.setter
    def haline_contraction(self, arg: float, /) -> None: ...
    @property
    def reference_temperature(self) -> float:
        """degC"""

    @reference_temperature.setter
    def reference_temperature(self, arg: float, /) -> None: ...
    @property
    def reference_salinity(self) -> float:
        """g/kg"""

    @reference_salinity.setter
    def reference_salinity(self, arg: float, /) -> None: ...

class LayerSettings:
    """Numbers of the layers."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def levels(self) -> int:
        """layers, equally thick in a column"""

    @levels.setter
    def levels(self, arg: int, /) -> None: ...
    @property
    def micro_steps(self) -> int:
        """steps of the depth-integrated mode in one of the layers"""

    @micro_steps.setter
    def micro_steps(self, arg: int, /) -> None: ...
    @property
    def scheme(self) -> str:
        """of the advection of tracers"""

    @scheme.setter
    def scheme(self, arg: str, /) -> None: ...
    @property
    def split(self) -> str:
        """of a step of advection into fractional ones"""

    @split.setter
    def split(self, arg: str, /) -> None: ...
    @property
    def water(self) -> SeaWater:
        """what it weighs"""

    @water.setter
    def water(self, arg: SeaWater, /) -> None: ...
    @property
    def k_epsilon(self) -> bool:
        """else viscosity and diffusivity are constant"""

    @k_epsilon.setter
    def k_epsilon(self, arg: bool, /) -> None: ...
    @property
    def viscosity(self) -> float:
        """where it is constant, m2/s"""

    @viscosity.setter
    def viscosity(self, arg: float, /) -> None: ...
    @property
    def diffusivity(self) -> float:
        """where it is constant, m2/s"""

    @diffusivity.setter
    def diffusivity(self, arg: float, /) -> None: ...
    @property
    def bottom_roughness(self) -> float:
        """z0, m; 0: no friction, not with k_epsilon"""

    @bottom_roughness.setter
    def bottom_roughness(self, arg: float, /) -> None: ...
    @property
    def surface_roughness(self) -> float:
        """z0 of the surface, m"""

    @surface_roughness.setter
    def surface_roughness(self, arg: float, /) -> None: ...
    @property
    def wind_stress(self) -> list[float]:
        """along x and y, over the density of water, m2/s2"""

    @wind_stress.setter
    def wind_stress(self, arg: Sequence[float], /) -> None: ...
    @property
    def drive(self) -> list[float]:
        """
        g times the slope of the surface that drives a channel, along x and y, m/s2
        """

    @drive.setter
    def drive(self, arg: Sequence[float], /) -> None: ...
    @property
    def heat_flux(self) -> float:
        """of temperature into the sea, K m/s"""

    @heat_flux.setter
    def heat_flux(self, arg: float, /) -> None: ...
    @property
    def salt_flux(self) -> float:
        """of salinity, g/kg m/s"""

    @salt_flux.setter
    def salt_flux(self, arg: float, /) -> None: ...

class ForcingSeries:
    """
    What drives the layers from above, one value per time; no values: as in LayerSettings.
    """

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def times(self) -> list[float]:
        """since the start of the case, growing, s"""

    @times.setter
    def times(self, arg: Sequence[float], /) -> None: ...
    @property
    def wind_stress(self) -> list[list[float]]:
        """along x and y, over the density of water, m2/s2"""

    @wind_stress.setter
    def wind_stress(self, arg: Sequence[Sequence[float]], /) -> None: ...
    @property
    def heat_flux(self) -> list[float]:
        """of temperature into the sea, K m/s"""

    @heat_flux.setter
    def heat_flux(self, arg: Sequence[float], /) -> None: ...
    @property
    def salt_flux(self) -> list[float]:
        """of salinity, g/kg m/s"""

    @salt_flux.setter
    def salt_flux(self, arg: Sequence[float], /) -> None: ...

class TracerSettings:
    """Numbers of the advection of a tracer."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def time_step(self) -> float:
        """s"""

    @time_step.setter
    def time_step(self, arg: float, /) -> None: ...
    @property
    def spacing_x(self) -> float:
        """m"""

    @spacing_x.setter
    def spacing_x(self, arg: float, /) -> None: ...
    @property
    def spacing_y(self) -> float:
        """m"""

    @spacing_y.setter
    def spacing_y(self, arg: float, /) -> None: ...
    @property
    def levels(self) -> int:
        """layers, of equal thickness in a column"""

    @levels.setter
    def levels(self, arg: int, /) -> None: ...
    @property
    def levels_fastest(self) -> bool:
        """memory order: levels, x, y instead of x, y, levels"""

    @levels_fastest.setter
    def levels_fastest(self, arg: bool, /) -> None: ...
    @property
    def scheme(self) -> str:
        """of what is at the interfaces"""

    @scheme.setter
    def scheme(self, arg: str, /) -> None: ...
    @property
    def split(self) -> str:
        """of a step into fractional ones"""

    @split.setter
    def split(self, arg: str, /) -> None: ...
    @property
    def tracers(self) -> int:
        """carried together"""

    @tracers.setter
    def tracers(self, arg: int, /) -> None: ...
    @property
    def moving_surface(self) -> bool:
        """
        layers end a step as thick as `thickness_after`, and the flow is computed in it
        """

    @moving_surface.setter
    def moving_surface(self, arg: bool, /) -> None: ...
    @property
    def prescribed(self) -> list[lapwing.core._core.Box]:
        """cells whose sea level is, as those of TracerFlow"""

    @prescribed.setter
    def prescribed(self, arg: Sequence[lapwing.core._core.Box], /) -> None: ...

class LayeredCoast:
    """The coast model in three dimensions on one rank, and its step."""

    def __init__(
        self,
        domain: lapwing.core._core.Domain,
        barotropic: CoastSettings,
        layers: LayerSettings,
        depth: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="F", device="cpu", writable=False),
        ],
        boundaries: Sequence[Boundary],
        forcing: ForcingSeries,
        listed: Sequence[tuple[str, str]],
        strategy: str,
        transport: str,
    ) -> None: ...
    def advance(self, steps: int) -> None: ...
    def resume(self, step_number: int) -> None: ...
    def check_state(self) -> None: ...
    def find_velocities(self) -> None: ...
    @property
    def step_number(self) -> int: ...
    @property
    def step(self) -> lapwing.core._core.Step: ...
    @property
    def sea_level(self) -> lapwing.core._core.Field:
        """m"""

    @property
    def transport_x(self) -> lapwing.core._core.Field:
        """m2/s"""

    @property
    def transport_y(self) -> lapwing.core._core.Field:
        """m2/s"""

    @property
    def depth(self) -> lapwing.core._core.Field:
        """m"""

    @property
    def flow_x(self) -> lapwing.core._core.Field:
        """m2/s"""

    @property
    def flow_y(self) -> lapwing.core._core.Field:
        """m2/s"""

    @property
    def flow_z(self) -> lapwing.core._core.Field:
        """m/s"""

    @property
    def temperature(self) -> lapwing.core._core.Field:
        """degC"""

    @property
    def salinity(self) -> lapwing.core._core.Field:
        """g/kg"""

    @property
    def tke(self) -> lapwing.core._core.Field:
        """m2/s2"""

    @property
    def dissipation(self) -> lapwing.core._core.Field:
        """m2/s3"""

    @property
    def viscosity(self) -> lapwing.core._core.Field:
        """m2/s"""

    @property
    def diffusivity(self) -> lapwing.core._core.Field:
        """m2/s"""

    @property
    def velocity_x(self) -> lapwing.core._core.Field:
        """m/s"""

    @property
    def velocity_y(self) -> lapwing.core._core.Field:
        """m/s"""

class TracerAdvection:
    """A tracer, the flow that carries it, and the step that moves it."""

    def __init__(
        self,
        domain: lapwing.core._core.Domain,
        settings: TracerSettings,
        depth: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="F", device="cpu", writable=False),
        ],
        strategy: str,
        transport: str,
    ) -> None: ...
    def set_flow(self) -> None: ...
    def advance(self, steps: int) -> None: ...
    def check_limits(self, step_number: int) -> None: ...
    @property
    def step(self) -> lapwing.core._core.Step: ...
    @property
    def tracers(self) -> list[lapwing.core._core.Field]: ...
    @property
    def flow_z(self) -> lapwing.core._core.Field: ...
    @property
    def thickness_after(self) -> lapwing.core._core.Field: ...
    @property
    def tracer(self) -> lapwing.core._core.Field: ...
    @property
    def flow_x(self) -> lapwing.core._core.Field: ...
    @property
    def flow_y(self) -> lapwing.core._core.Field: ...
    @property
    def thickness(self) -> lapwing.core._core.Field: ...
