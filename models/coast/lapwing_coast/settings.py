"""The settings of a case file of the coast model: one dataclass per TOML table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lapwing.base.error import shown, user_error
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
    MixingSettings,
    TracerSettings,
    VerticalSettings,
)
from lapwing_coast.layers.stretching import shares


@dataclass(frozen=True)
class GridSettings:
    """The table [grid]: a rectangle of cells, or the cells of a mask file.

    Cells are spacing_x times spacing_y everywhere, unless they lie on a sphere (coordinates) or a
    file says how long each is (metrics).
    """

    # cells; a mask file decides itself
    cells_x: int = field(default=240, metadata=also_called("nx", "imax"))
    cells_y: int = field(default=240, metadata=also_called("ny", "jmax"))
    # m
    spacing_x: float = field(default=2000.0, metadata=also_called("dx"))
    spacing_y: float = field(default=2000.0, metadata=also_called("dy"))
    # plane, or spherical: equal steps of longitude and latitude on a sphere of 6371 km; a mask with
    # longitudes and latitudes has its own steps
    coordinates: Literal["plane", "spherical"] = "plane"
    longitude: float = 0.0  # of the western end of a sphere's rectangle, degrees east
    latitude: float = 0.0  # of its southern end, degrees north
    step_longitude: float = 0.0  # of a cell, degrees; 0 where a file has the axes
    step_latitude: float = 0.0  # degrees
    # NetCDF file with the lengths dx and dy of cells in m: of each (y, x), or of each row (y)
    metrics: Path = Path()
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
        if self.coordinates == "spherical":
            _check_sphere(self)


def _check_sphere(grid: GridSettings) -> None:
    """Refuse two sources of lengths, and a rectangle that is none on a sphere."""
    if grid.metrics != Path():
        raise user_error(
            "grid.metrics",
            f"{grid.metrics} next to coordinates = 'spherical'",
            "one source of the lengths of cells",
            "leave out metrics, or set grid.coordinates to 'plane'",
        )
    if grid.step_longitude == 0.0 and grid.step_latitude == 0.0:
        return  # longitudes and latitudes come from a file
    require_positive("grid.step_longitude", grid.step_longitude, "degrees")
    require_positive("grid.step_latitude", grid.step_latitude, "degrees")
    north = grid.latitude + grid.cells_y * grid.step_latitude
    if not (grid.latitude >= -90.0 and north <= 90.0 and math.isfinite(grid.longitude)):
        raise user_error(
            "grid.latitude",
            f"{grid.latitude:g} to {north:g} degrees north",
            "latitudes between -90 and 90, and a finite longitude",
            "change grid.latitude, grid.cells_y or grid.step_latitude",
        )


@dataclass(frozen=True)
class DepthSettings:
    """The table [depth]: undisturbed depth of the wet cells."""

    # northsea and shelf: smooth and synthetic, see depth.py; file: depths or heights of a NetCDF
    # file, which also says what is land and, unless the case has another grid, where cells are
    shape: Literal["flat", "northsea", "shelf", "file"] = "flat"
    file: Path = Path()  # whose attributes say unit and direction
    variable: str = ""  # the depths or heights, where the file has several
    units: str = ""  # of the file's values, where it names none: m, km or cm
    wet: str = ""  # expression that is true in wet cells, where depths do not say it: "mask == 1"
    least: float = 0.0  # shallower water of the file is made so deep, m
    # steepest slope |a - b| / (a + b) of the depths of two neighbours, 1; 0: as in the file
    steepest: float = 0.0
    # of the flat shape, m
    depth: float = field(default=60.0, metadata=also_called("H", "h", "bathymetry"))

    def __post_init__(self) -> None:
        """Refuse a sea without water."""
        require_positive("depth.depth", self.depth, "m")
        require_at_least_zero("depth.least", self.least, "m")
        if not 0.0 <= self.steepest < 1.0:
            raise user_error(
                "depth.steepest",
                f"{self.steepest:g}",
                "a slope between 0 (not smoothed) and 1",
                "change the value; models with sigma layers take 0.2",
            )
        if (self.shape == "file") != (self.file != Path()):
            raise user_error(
                "depth.file",
                f"{shown(str(self.file))} with the shape '{self.shape}'",
                "a file with the shape 'file', and with no other",
                "set depth.shape to 'file' and depth.file to its name",
            )


@dataclass(frozen=True)
class PhysicsSettings:
    """The table [physics]."""

    # Coriolis parameter f, 1/s: the same everywhere, or with `beta` in the middle of the grid
    coriolis: float = field(default=1.2e-4, metadata=also_called("f"))
    # same: f is coriolis; beta: it grows northwards by coriolis_gradient; latitude: as on the earth
    rotation: Literal["same", "beta", "latitude"] = "same"
    coriolis_gradient: float = field(default=0.0, metadata=also_called("beta"))  # 1/(m s)
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
        for name in ("coriolis", "coriolis_gradient"):
            if not math.isfinite(getattr(self, name)):
                raise user_error(
                    f"physics.{name}",
                    f"{getattr(self, name):g}",
                    "a finite number",
                    "change the value",
                )
        if self.coriolis_gradient != 0.0 and self.rotation != "beta":
            raise user_error(
                "physics.coriolis_gradient",
                f"{self.coriolis_gradient:g} with rotation = '{self.rotation}'",
                "rotation = 'beta', or no gradient",
                "set physics.rotation to 'beta'",
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
    """The table [tide]: harmonic constituents, and the sides where they come in.

    Constituents are amplitudes and phases along each side, or maps of a file.
    """

    period: list[float] = field(default_factory=lambda: [43200.0])  # for each constituent, s
    # NetCDF file with period (constituent) in s, and amplitude (constituent, y, x) in m and phase
    # (constituent, y, x) in degrees on the cells of the grid; sides then have no numbers
    file: Path = Path()
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
            if self.file != Path() and (side.amplitude or side.profile != "given"):
                raise user_error(
                    f"tide.{name}.amplitude",
                    f"{len(side.amplitude)} rows next to tide.file = {self.file}",
                    "one source of the constituents",
                    "leave out amplitude, phase and profile, or the file",
                )
            if side.open and self.file == Path() and len(side.amplitude) != len(self.period):
                raise user_error(
                    f"tide.{name}.amplitude",
                    f"{len(side.amplitude)} rows",
                    f"{len(self.period)}, one per constituent in tide.period",
                    "give every constituent a row of amplitudes and phases",
                )


@dataclass(frozen=True)
class RiverSettings:
    """The table [rivers]: water that enters single cells, over their whole depth."""

    # a name and a place each, in the units of the axes: "Elbe: 8.9, 53.9"
    mouths: list[str] = field(default_factory=list)
    discharge: list[float] = field(default_factory=list)  # of each, m3/s, unless a file has them
    salinity: list[float] = field(default_factory=list)  # of each, g/kg; none: fresh
    temperature: list[float] = field(default_factory=list)  # of each, degC; none: as the sea
    # NetCDF file with time(time) and, by the name of each river, its discharge (time) in m3 s-1
    file: Path = Path()

    def __post_init__(self) -> None:
        """Refuse lists of other lengths, and discharges that are none or stand twice."""
        rivers = len(self.mouths)
        for name, unit in (("discharge", "m3/s"), ("salinity", "g/kg"), ("temperature", "degC")):
            values: list[float] = getattr(self, name)
            needed = name == "discharge" and self.file == Path()
            if len(values) != rivers and (needed or values):
                raise user_error(
                    f"rivers.{name}",
                    f"{len(values)} numbers for {rivers} rivers",
                    f"one for each of rivers.mouths, {unit}",
                    "give every river its number" + ("" if needed else ", or leave them out"),
                )
            if not all(math.isfinite(value) for value in values):
                raise user_error(f"rivers.{name}", str(values), "finite numbers", "correct them")
        if self.file != Path() and (self.discharge or not rivers):
            raise user_error(
                "rivers.file",
                f"{shown(str(self.file))} with {len(self.discharge)} numbers of discharge "
                f"for {rivers} rivers",
                "rivers.mouths, and discharges in the file alone",
                "leave out rivers.discharge, and name the mouths",
            )
        if any(not salt >= 0.0 for salt in self.salinity):
            raise user_error("rivers.salinity", str(self.salinity), "0 g/kg or more", "correct it")


@dataclass(frozen=True)
class CoastSettings:
    """A case of the coast model."""

    grid: GridSettings = GridSettings()
    depth: DepthSettings = DepthSettings()
    physics: PhysicsSettings = PhysicsSettings()
    time: TimeSettings = TimeSettings()
    tide: TideSettings = TideSettings()
    rivers: RiverSettings = field(default_factory=RiverSettings)
    layers: LayerSettings = field(default_factory=LayerSettings)
    vertical: VerticalSettings = field(default_factory=VerticalSettings)
    mixing: MixingSettings = field(default_factory=MixingSettings)
    tracers: TracerSettings = field(default_factory=TracerSettings)
    forcing: ForcingSettings = field(default_factory=ForcingSettings)
    initial: InitialSettings = field(default_factory=InitialSettings)
    exchanges: ExchangeSettings = field(default_factory=ExchangeSettings)

    def __post_init__(self) -> None:
        """Refuse mixing and stretching of layers that are not there, and too thin layers."""
        levels, least = self.layers.levels, 1e-4
        for table in ("mixing", "vertical"):
            if levels == 0 and getattr(self, table).is_there:
                raise user_error(
                    table,
                    "numbers in a case without layers",
                    "layers.levels of 1 or more",
                    "set layers.levels to 1 for a flow that is the same at all depths",
                )
        if levels > 0 and (thinnest := shares(self.vertical, levels).min()) < least:
            raise user_error(
                "vertical",
                f"a layer of {thinnest:.1e} of the depth",
                f"{least:g} or more",
                "stretch the layers less, or take fewer",
            )
