"""The settings of a case file for the third dimension: one dataclass per TOML table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lapwing.base.error import user_error
from lapwing.base.number_check import require_at_least_zero, require_finite, require_positive
from lapwing.model import also_called


@dataclass(frozen=True)
class LayerSettings:
    """The table [layers]: the vertical, and what mixes it."""

    # layers, whose thickness [vertical] says; 0: the depth-integrated mode alone
    levels: int = field(default=0, metadata=also_called("kmax", "nz", "N"))
    turbulence: Literal["k-epsilon", "constant"] = "k-epsilon"  # process that mixes vertically
    viscosity: float = 1e-3  # where it is constant, m2/s
    diffusivity: float = 1e-4  # where it is constant, m2/s
    # z0 of the bottom, m; 0: no friction, where mixing is constant
    bottom_roughness: float = field(default=0.0015, metadata=also_called("z0"))
    surface_roughness: float = 0.02  # z0 of the surface, m

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.levels < 0:
            raise user_error(
                "layers.levels", str(self.levels), "0 (none) or more", "change the value"
            )
        require_at_least_zero("layers.viscosity", self.viscosity, "m2/s")
        require_at_least_zero("layers.diffusivity", self.diffusivity, "m2/s")
        needed = require_positive if self.turbulence == "k-epsilon" else require_at_least_zero
        needed("layers.bottom_roughness", self.bottom_roughness, "m")
        require_positive("layers.surface_roughness", self.surface_roughness, "m")


# the largest number of each stretching
_STRONGEST: dict[str, dict[str, float]] = {
    "equal": {},
    "getm": {"ddl": 5.0, "ddu": 5.0},
    "song_haidvogel": {"theta_s": 10.0, "theta_b": 1.0},
    "shchepetkin": {"theta_s": 10.0, "theta_b": 4.0},
}


@dataclass(frozen=True)
class VerticalSettings:
    """The table [vertical]: how the depth of a column is shared among its layers."""

    # equal; getm: thin layers at the bottom by ddl and at the surface by ddu; the functions of
    # ROMS with theta_s (surface) and theta_b (bottom) and a critical depth hc of 0
    stretching: Literal["equal", "getm", "song_haidvogel", "shchepetkin"] = "equal"
    ddl: float = 0.0  # of getm, 1
    ddu: float = 0.0  # of getm, 1
    theta_s: float = 0.0  # of ROMS, 1
    theta_b: float = 0.0  # of ROMS, 1

    def __post_init__(self) -> None:
        """Refuse numbers beyond their range, and numbers of another stretching."""
        strongest = _STRONGEST[self.stretching]
        for name in ("ddl", "ddu", "theta_s", "theta_b"):
            value, most = getattr(self, name), strongest.get(name, 0.0)
            if not 0.0 <= value <= most:
                raise user_error(
                    f"vertical.{name}",
                    f"{value:g} with stretching = '{self.stretching}'",
                    f"0 to {most:g}" if most else "0",
                    "change the number or vertical.stretching",
                )

    @property
    def is_there(self) -> bool:
        """True if layers differ in thickness."""
        return self.stretching != "equal"


@dataclass(frozen=True)
class MixingSettings:
    """The table [mixing]: what mixes along the layers."""

    viscosity: float = field(default=0.0, metadata=also_called("Ah", "visc2"))  # of momentum, m2/s
    # c of the viscosity c^2 dx dy |D| that is added, D how the flow deforms water; 0.1 to 0.3
    smagorinsky: float = 0.0
    diffusivity: float = field(default=0.0, metadata=also_called("Kh"))  # of tracers, m2/s

    def __post_init__(self) -> None:
        """Refuse what cannot mix."""
        for name, unit in (("viscosity", "m2/s"), ("smagorinsky", ""), ("diffusivity", "m2/s")):
            require_at_least_zero(f"mixing.{name}", getattr(self, name), unit)

    @property
    def is_there(self) -> bool:
        """True if anything mixes along the layers."""
        return self != MixingSettings()


@dataclass(frozen=True)
class TracerSettings:
    """The table [tracers]: how temperature and salinity are carried, and what water weighs."""

    scheme: Literal["upstream", "p2", "superbee", "muscl", "p2_pdm"] = "p2_pdm"  # of advection
    # x, y, z, y, x in halves; x, y, z; or x and y in one update, then z
    split: Literal["half_steps", "whole_steps", "horizontal_together"] = "half_steps"
    equation: Literal["linear", "unesco"] = "unesco"  # of state
    reference_density: float = 1025.0  # kg/m3
    reference_temperature: float = 10.0  # of the linear equation, degC
    reference_salinity: float = 35.0  # of the linear equation, g/kg
    thermal_expansion: float = 1.7e-4  # of the linear equation, 1/K
    haline_contraction: float = 7.6e-4  # of the linear equation, kg/g

    def __post_init__(self) -> None:
        """Refuse water without weight."""
        require_finite(self, "tracers")
        require_positive("tracers.reference_density", self.reference_density, "kg/m3")


@dataclass(frozen=True)
class ForcingSettings:
    """The table [forcing]: what drives the layers besides the tide, everywhere alike."""

    wind_x: float = 0.0  # stress of the wind, N/m2
    wind_y: float = 0.0  # N/m2
    heat: float = 0.0  # into the sea, W/m2
    freshwater: float = 0.0  # rain less evaporation, m/s
    # a flux of salt that dilutes but adds no volume, or volume without salt
    freshwater_adds: Literal["salt_flux", "volume"] = "salt_flux"
    slope_x: float = 0.0  # of the surface, that drives a channel which closes on itself, 1
    slope_y: float = 0.0
    # NetCDF file with time(time), "hours since 2000-01-01" or the like (run.start is a date, UTC),
    # and any of wind_x, wind_y, heat, freshwater (time) in these units: linear between the times,
    # which must cover the run; the numbers above are for what the file does not have
    file: Path = Path()
    # NetCDF file with time(time) and maps, any of wind_x, wind_y and pressure (time, y, x), the
    # last in Pa: on the cells of the grid, or interpolated where its coordinates are others; for
    # the depth-integrated mode too
    maps: Path = Path()

    def __post_init__(self) -> None:
        """Refuse numbers that are none."""
        require_finite(self, "forcing")


@dataclass(frozen=True)
class InitialSettings:
    """The table [initial]: temperature and salinity at the start, everywhere at rest."""

    # two_sides: a wall in the middle of x is taken away; two_layers: one water above another
    shape: Literal["uniform", "two_sides", "two_layers"] = "uniform"
    temperature: float = 10.0  # degC
    salinity: float = 35.0  # g/kg
    other_temperature: float = 10.0  # on the eastern side, or in the lower layer, degC
    other_salinity: float = 35.0  # g/kg
    interface: float = 0.0  # of the two layers, m below the surface; 0: at half the depth

    def __post_init__(self) -> None:
        """Refuse water that is none."""
        require_finite(self, "initial")
        require_at_least_zero("initial.salinity", self.salinity, "g/kg")
        require_at_least_zero("initial.other_salinity", self.other_salinity, "g/kg")
        require_at_least_zero("initial.interface", self.interface, "m")


@dataclass(frozen=True)
class ExchangeSettings:
    """The table [exchanges]: who says which halos travel."""

    # needed: the stages, by what they read; literal: besides, every one of the list, at full width
    policy: Literal["needed", "literal"] = "needed"
    literal: list[str] = field(default_factory=list)  # "stage: field", in any order

    def __post_init__(self) -> None:
        """Refuse entries that are no pair, and a list that is to be followed but is none."""
        if self.policy == "literal" and not self.literal:
            raise user_error(
                "exchanges.policy",
                "'literal', but nothing in exchanges.literal",
                "a list of the halos that travel",
                'write it, one "stage: field" each as in the case kelvin3d, or choose "needed"',
            )
        for entry in self.literal:
            if len(pair(entry)) != 2 or not all(pair(entry)):
                raise user_error(
                    "exchanges.literal",
                    repr(entry),
                    'a stage and a field that it writes, like "momentum_x: transport_x"',
                    "write both",
                )

    def listed(self) -> list[tuple[str, str]]:
        """Stage and field of every halo that travels because the case lists it. Local."""
        if self.policy == "needed":
            return []
        return [(stage, field) for stage, field in map(pair, self.literal)]


def pair(entry: str) -> tuple[str, ...]:
    """Return stage and field of an entry of the list. Local."""
    return tuple(part.strip() for part in entry.split(":"))
