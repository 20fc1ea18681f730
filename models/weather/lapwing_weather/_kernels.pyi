"""The weather model's kernels."""

from collections.abc import Sequence

import lapwing.core._core

class HybridLevels:
    """Half levels of pressure a + b ps, from the top to the surface."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def a(self) -> list[float]:
        """Pa"""

    @a.setter
    def a(self, arg: Sequence[float], /) -> None: ...
    @property
    def b(self) -> list[float]:
        """1"""

    @b.setter
    def b(self, arg: Sequence[float], /) -> None: ...

class Air:
    """Constants of the air."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def gas_constant(self) -> float:
        """of dry air, J/(kg K)"""

    @gas_constant.setter
    def gas_constant(self, arg: float, /) -> None: ...
    @property
    def kappa(self) -> float:
        """gas constant over specific heat at constant pressure, 1"""

    @kappa.setter
    def kappa(self, arg: float, /) -> None: ...
    @property
    def virtual_excess(self) -> float:
        """virtual temperature is T (1 + this q), 1"""

    @virtual_excess.setter
    def virtual_excess(self, arg: float, /) -> None: ...

class VerticalModes:
    """Operators of a reference state, row by row, and its modes."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def gamma(self) -> list[float]:
        """J/(kg K)"""

    @gamma.setter
    def gamma(self, arg: Sequence[float], /) -> None: ...
    @property
    def push(self) -> list[float]:
        """[levels], J/kg"""

    @push.setter
    def push(self, arg: Sequence[float], /) -> None: ...
    @property
    def tau(self) -> list[float]:
        """K"""

    @tau.setter
    def tau(self, arg: Sequence[float], /) -> None: ...
    @property
    def nu(self) -> list[float]:
        """[levels], 1"""

    @nu.setter
    def nu(self, arg: Sequence[float], /) -> None: ...
    @property
    def to_modes(self) -> list[float]:
        """E^-1"""

    @to_modes.setter
    def to_modes(self, arg: Sequence[float], /) -> None: ...
    @property
    def from_modes(self) -> list[float]:
        """E"""

    @from_modes.setter
    def from_modes(self, arg: Sequence[float], /) -> None: ...
    @property
    def speeds(self) -> list[float]:
        """c of each mode, [levels], m/s"""

    @speeds.setter
    def speeds(self, arg: Sequence[float], /) -> None: ...
    @property
    def pressure(self) -> float:
        """p_ref of the surface, Pa"""

    @pressure.setter
    def pressure(self, arg: float, /) -> None: ...

class WeatherSettings:
    """Numbers of the weather model."""

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
    def coriolis(self) -> float:
        """f in the middle of the grid along y, 1/s"""

    @coriolis.setter
    def coriolis(self, arg: float, /) -> None: ...
    @property
    def beta(self) -> float:
        """df/dy, 1/(m s)"""

    @beta.setter
    def beta(self, arg: float, /) -> None: ...
    @property
    def diffusion(self) -> float:
        """coefficient of fourth order, m4/s; 0: none"""

    @diffusion.setter
    def diffusion(self, arg: float, /) -> None: ...
    @property
    def filter(self) -> float:
        """strength of the time filter, 1"""

    @filter.setter
    def filter(self, arg: float, /) -> None: ...
    @property
    def relaxation(self) -> int:
        """width of the frame at the edges, cells; 0: walls, or axes that close"""

    @relaxation.setter
    def relaxation(self, arg: int, /) -> None: ...
    @property
    def changing_boundary(self) -> bool:
        """whether what is given there changes: between two records"""

    @changing_boundary.setter
    def changing_boundary(self, arg: bool, /) -> None: ...
    @property
    def moist(self) -> bool:
        """whether the air has humidity"""

    @moist.setter
    def moist(self, arg: bool, /) -> None: ...
    @property
    def semi_lagrangian(self) -> bool:
        """advection along the layers by paths of the air, else centred"""

    @semi_lagrangian.setter
    def semi_lagrangian(self, arg: bool, /) -> None: ...
    @property
    def implicit_diffusion(self) -> float:
        """coefficient of the same, in steps that nothing limits, m4/s; 0: none"""

    @implicit_diffusion.setter
    def implicit_diffusion(self, arg: float, /) -> None: ...
    @property
    def air(self) -> Air: ...
    @air.setter
    def air(self, arg: Air, /) -> None: ...
    @property
    def levels(self) -> HybridLevels: ...
    @levels.setter
    def levels(self, arg: HybridLevels, /) -> None: ...
    @property
    def modes(self) -> VerticalModes:
        """of gravity waves that are stepped implicitly; empty: explicit steps"""

    @modes.setter
    def modes(self, arg: VerticalModes, /) -> None: ...

def courant_number(
    settings: WeatherSettings, wind_x: float, wind_y: float, temperature: float
) -> float:
    """
    Share of the stable limit that winds (m/s) and gravity waves take at a temperature (K). Local.
    """

def relaxation_weight(distance: int, width: int) -> float:
    """
    Share of the boundary value at a distance (cells) from the outermost points. Local.
    """

class WeatherModel:
    """The fields of the weather model on one rank, and its step."""

    def __init__(
        self,
        domain: lapwing.core._core.Domain,
        settings: WeatherSettings,
        strategy: str,
        transport: str,
        transpose: str = "",
        groups: int = 1,
    ) -> None: ...
    def advance(self, steps: int) -> None: ...
    def resume(self, step_number: int) -> None: ...
    def show(self) -> None: ...
    def check_state(self) -> None: ...
    @property
    def step_number(self) -> int: ...
    @property
    def newest(self) -> int:
        """Which of the three states is the newest."""

    @property
    def step(self) -> lapwing.core._core.Step: ...
    def state(self, number: int) -> list[lapwing.core._core.Field]:
        """Winds, temperature, pressure and any humidity of one of three states."""

    @property
    def given(self) -> list[list[lapwing.core._core.Field]]:
        """
        What the edges are drawn to, in the same order: nothing, or one record, or two that it lies between.
        """

    @property
    def given_times(self) -> list[float]:
        """Of two records, s since the start of the case."""

    @given_times.setter
    def given_times(self, arg: Sequence[float], /) -> None: ...
    @property
    def shown(self) -> list[lapwing.core._core.Field]:
        """The newest state at the last `show`, in the same order."""

    @property
    def height(self) -> lapwing.core._core.Field:
        """Geopotential then, m2/s2."""

    @property
    def modes(self) -> lapwing.core._core.Field:
        """With vertical modes: a level for each, m2/s2."""

    @property
    def smoothed(self) -> list[lapwing.core._core.Field]:
        """What implicit diffusion filters, in the same order; empty without it."""

    @property
    def surface_geopotential(self) -> lapwing.core._core.Field:
        """m2/s2"""
