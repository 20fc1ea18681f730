"""The settings of a case file of the coast model: one dataclass per TOML table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lapwing.base.error import user_error
from lapwing.base.number_check import (
    require_at_least_zero,
    require_cells,
    require_count,
    require_positive,
)
from lapwing.model import Duration, also_called

from lapwing_coast.layers.layer_settings import (
    ExchangeSettings,
    ForcingSettings,
    InitialSettings,
    LayerSettings,
    TracerSettings,
)


@dataclass(frozen=True)
class GridSettings:
    """The table [grid]: a rectangle of cells, or the cells of a mask file."""

    # cells; a mask file decides itself
    cells_x: int = field(default=240, metadata=also_called("nx", "imax"))
    cells_y: int = field(default=240, metadata=also_called("ny", "jmax"))
    # m
    spacing_x: float = field(default=2000.0, metadata=also_called("dx"))
    spacing_y: float = field(default=2000.0, metadata=also_called("dy"))
    periodic_x: bool = False  # true if the grid closes on itself; not with a mask file
    periodic_y: bool = False
    mask: Path = Path()  # map of the sea, NetCDF or .npy: `lapwing mask --help`; none: all are wet
    wet: str = (
        ""  # expression over the variables of the file that is true in wet cells: "depth > 10"
    )
    axes: str = ""  # order of its dimensions, x,y or y,x, where the file does not say it
    variable: str = ""  # the map, where the file has several
    size: str = ""  # cells along x and y, "NX,NY", where it is a file without a header

    def __post_init__(self) -> None:
        """Refuse sizes without cells."""
        require_count("grid.cells_x", self.cells_x, 2, "cells")
        require_count("grid.cells_y", self.cells_y, 2, "cells")
        require_cells("grid", (self.cells_x, self.cells_y))
        require_positive("grid.spacing_x", self.spacing_x, "m")
        require_positive("grid.spacing_y", self.spacing_y, "m")


@dataclass(frozen=True)
class DepthSettings:
    """The table [depth]: undisturbed depth of the wet cells."""

    # northsea and shelf: smooth and synthetic, see depth.py
    shape: Literal["flat", "northsea", "shelf"] = "flat"
    # of the flat shape, m
    depth: float = field(default=60.0, metadata=also_called("H", "h", "bathymetry"))

    def __post_init__(self) -> None:
        """Refuse a sea without water."""
        require_positive("depth.depth", self.depth, "m")


@dataclass(frozen=True)
class PhysicsSettings:
    """The table [physics]."""

    # Coriolis parameter f, the same everywhere, 1/s
    coriolis: float = field(default=1.2e-4, metadata=also_called("f"))
    # m/s2
    gravity: float = field(default=9.81, metadata=also_called("g"))
    # quadratic bottom drag coefficient, 1
    drag: float = field(default=0.0025, metadata=also_called("cd", "friction"))
    # true if cells may run dry: no water leaves a cell that has least_depth left, and no tide at an
    # open side falls below it; halos cannot be hidden then, as no cell is final before the search
    # for such cells has ended
    drying: bool = field(default=False, metadata=also_called("emergency_brake", "flooding"))
    least_depth: float = 0.05  # that stays in a dry cell, m

    def __post_init__(self) -> None:
        """Refuse numbers that the scheme cannot take."""
        if not math.isfinite(self.coriolis):
            raise user_error(
                "physics.coriolis", f"{self.coriolis:g} 1/s", "a finite number", "change the value"
            )
        require_positive("physics.gravity", self.gravity, "m/s2")
        require_at_least_zero("physics.drag", self.drag, "")
        require_positive("physics.least_depth", self.least_depth, "m")


@dataclass(frozen=True)
class TimeSettings:
    """The table [time]."""

    # length of a time step of the depth-integrated mode, s
    step: Duration = field(default=20.0, metadata=also_called("dt", "timestep", "time_step"))
    # of these in one step of the layers, where there are any
    micro_steps: int = field(default=10, metadata=also_called("M", "split", "split_factor"))

    def __post_init__(self) -> None:
        """Refuse a step that leads nowhere."""
        require_positive("time.step", self.step, "s")
        if self.micro_steps < 1:
            raise user_error(
                "time.micro_steps", str(self.micro_steps), "1 or more", "change the value"
            )


@dataclass(frozen=True)
class SideSettings:
    """A table [tide.SIDE]: the tide that comes in through one side of the grid.

    Amplitudes and phases are given per constituent: one number for the whole segment, or several
    that are spread evenly from its first to its last cell and interpolated between.
    """

    open: bool = False  # a closed side is a wall
    first: int = 0  # first cell of the segment along the side, from the west or south end
    end: int = 0  # one past its last cell; 0: up to the end of the side
    profile: Literal["given", "kelvin"] = "given"  # kelvin: decays away from the right-hand coast
    amplitude: list[list[float]] = field(default_factory=list)  # [constituent][point], m
    phase: list[list[float]] = field(default_factory=list)  # lag behind cos(2 pi t/period), degrees

    def __post_init__(self) -> None:
        """Refuse tables of different shapes."""
        shapes = [[len(row) for row in table] for table in (self.amplitude, self.phase)]
        if shapes[0] != shapes[1] or 0 in shapes[0]:
            raise user_error(
                "tide.SIDE.phase",
                f"rows of {shapes[1]} numbers",
                f"as many as in amplitude: {shapes[0]}, each at least one",
                "give every amplitude its phase",
            )
        if not all(math.isfinite(x) for t in (self.amplitude, self.phase) for r in t for x in r):
            raise user_error(
                "tide.SIDE.amplitude", "a value that is not finite", "numbers", "change it"
            )


@dataclass(frozen=True)
class TideSettings:
    """The table [tide]: harmonic constituents, and the sides where they come in."""

    period: list[float] = field(default_factory=lambda: [43200.0])  # for each constituent, s
    ramp: Duration = 0.0  # the tide grows from nothing within this time, s
    north: SideSettings = SideSettings()
    south: SideSettings = SideSettings()
    east: SideSettings = SideSettings()
    west: SideSettings = SideSettings()

    def __post_init__(self) -> None:
        """Refuse sides that say more or less than the constituents."""
        for number, period in enumerate(self.period):
            require_positive(f"tide.period[{number}]", period, "s")
        require_at_least_zero("tide.ramp", self.ramp, "s")
        for name in ("north", "south", "east", "west"):
            side: SideSettings = getattr(self, name)
            if side.open and len(side.amplitude) != len(self.period):
                raise user_error(
                    f"tide.{name}.amplitude",
                    f"{len(side.amplitude)} rows",
                    f"{len(self.period)}, one per constituent in tide.period",
                    "give every constituent a row of amplitudes and phases",
                )


@dataclass(frozen=True)
class CoastSettings:
    """A case of the coast model."""

    grid: GridSettings = GridSettings()
    depth: DepthSettings = DepthSettings()
    physics: PhysicsSettings = PhysicsSettings()
    time: TimeSettings = TimeSettings()
    tide: TideSettings = TideSettings()
    layers: LayerSettings = field(default_factory=LayerSettings)
    tracers: TracerSettings = field(default_factory=TracerSettings)
    forcing: ForcingSettings = field(default_factory=ForcingSettings)
    initial: InitialSettings = field(default_factory=InitialSettings)
    exchanges: ExchangeSettings = field(default_factory=ExchangeSettings)
