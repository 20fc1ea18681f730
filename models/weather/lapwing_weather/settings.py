"""The settings of a case file of the weather model: one dataclass per TOML table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lapwing.base.error import beginning, user_error
from lapwing.base.number_check import (
    require_at_least_zero,
    require_cells,
    require_count,
    require_finite,
    require_positive,
)
from lapwing.model import Duration, also_called


@dataclass(frozen=True)
class GridSettings:
    """The table [grid]: a rectangle of cells."""

    cells_x: int = field(default=120, metadata=also_called("nx"))
    cells_y: int = field(default=120, metadata=also_called("ny"))
    spacing_x: float = field(default=50e3, metadata=also_called("dx"))  # m
    spacing_y: float = field(default=50e3, metadata=also_called("dy"))  # m
    periodic_x: bool = False  # true if the grid closes on itself; else there are walls or a frame
    periodic_y: bool = False

    def __post_init__(self) -> None:
        """Refuse sizes without cells."""
        require_count("grid.cells_x", self.cells_x, 2, "cells")
        require_count("grid.cells_y", self.cells_y, 2, "cells")
        require_cells("grid", (self.cells_x, self.cells_y))
        require_positive("grid.spacing_x", self.spacing_x, "m")
        require_positive("grid.spacing_y", self.spacing_y, "m")


@dataclass(frozen=True)
class LevelSettings:
    """The table [levels]: layers between half levels of pressure a + b ps, from the top down."""

    # sigma: between `top` and the surface, equally thick; hybrid: sigma at the surface, pressure at
    # the top, thinner towards the surface; given: the lists a and b
    shape: Literal["sigma", "hybrid", "given"] = "sigma"
    count: int = field(default=16, metadata=also_called("levels", "nlev", "nz", "kmax"))  # layers
    # pressure at the top, through which no air goes: a rigid lid, Pa
    top: float = field(default=0.0, metadata=also_called("ptop"))
    a: list[float] = field(default_factory=list)  # of half levels, from the top to the surface, Pa
    b: list[float] = field(default_factory=list)  # 1

    def __post_init__(self) -> None:
        """Refuse what makes no layers."""
        if self.count < 1:
            raise user_error("levels.count", str(self.count), "1 or more", "change the value")
        if not 0 <= self.top < 5e4:
            raise user_error(
                "levels.top", f"{self.top:g} Pa", "0 to 50000 Pa", "choose a pressure above the air"
            )
        if (self.shape == "given") != bool(self.a or self.b):
            raise user_error(
                "levels.a and levels.b",
                f"{len(self.a)} and {len(self.b)} values with the shape {self.shape!r}",
                'both with the shape "given", none with others',
                "change the shape or the lists",
            )
        if self.shape == "given" and not len(self.a) == len(self.b) == self.count + 1:
            raise user_error(
                "levels.a and levels.b",
                f"{len(self.a)} and {len(self.b)} values",
                f"{self.count + 1} of each, one more than levels.count",
                "give a value for each half level, the top and the surface included",
            )


@dataclass(frozen=True)
class TimeSettings:
    """The table [time]."""

    step: Duration = field(default=60.0, metadata=also_called("dt", "timestep", "time_step"))  # s
    # explicit; or semi-implicit: gravity waves by a solver, so that only the wind limits the step
    scheme: Literal["explicit", "semi-implicit"] = "explicit"
    # of the isothermal air at rest about which waves are implicit, K: not colder than the air
    reference: float = 300.0
    transpose: str = ""  # method of the solver's transposes; empty: the fastest, measured
    groups: int = 1  # of levels, worked on while those of the next one travel
    # strength of the Asselin filter that keeps odd and even steps together, 1
    filter: float = field(default=0.05, metadata=also_called("asselin", "nu"))

    def __post_init__(self) -> None:
        """Refuse a step that leads nowhere."""
        require_positive("time.step", self.step, "s")
        require_positive("time.reference", self.reference, "K")
        require_count("time.groups", self.groups, 1, "group")
        if not 0 <= self.filter <= 0.5:
            raise user_error("time.filter", f"{self.filter:g}", "0 to 0.5", "change the value")


@dataclass(frozen=True)
class DynamicsSettings:
    """The table [dynamics]."""

    # f in the middle of the grid along y, 1/s, and df/dy, 1/(m s)
    coriolis: float = field(default=1e-4, metadata=also_called("f"))
    beta: float = 0.0
    # horizontal diffusion of fourth order, coefficient, m4/s; 0: none
    diffusion: float = field(default=0.0, metadata=also_called("K4", "hyperdiffusion"))
    humidity: bool = field(
        default=False, metadata=also_called("moist", "q")
    )  # True if air holds water
    # explicit: limits the time step; or implicit, along whole lines, however strong
    diffusion_scheme: Literal["explicit", "implicit"] = "explicit"
    # along the layers: centred differences; or semi-Lagrangian, along paths of the air, which may
    # be longer than a cell: up to 8 cells in two steps
    advection: Literal["centred", "semi-lagrangian"] = "centred"
    # warmest air that the limit of the time step must hold for before the run, K; the run looks at
    # what there is
    warmest: float = 300.0

    def __post_init__(self) -> None:
        """Refuse numbers that the scheme cannot take."""
        require_finite(self, "dynamics")
        require_at_least_zero("dynamics.diffusion", self.diffusion, "m4/s")
        require_positive("dynamics.warmest", self.warmest, "K")


@dataclass(frozen=True)
class BoundarySettings:
    """The table [boundary]: the edges of a limited area."""

    # cells in which the state is drawn towards the initial one, at all four edges; 0: walls, or a
    # grid that closes on itself
    relaxation: int = field(default=0, metadata=also_called("frame", "width", "relax"))
    # NetCDF file of records that the edges are drawn to, linearly between two: an output.nc of a
    # run, interpolated where its x and y are others; a relative path is that next to the case.
    # Without one: the initial state
    file: Path = Path()

    def __post_init__(self) -> None:
        """Refuse a frame that is none."""
        if self.relaxation < 0:
            raise user_error(
                "boundary.relaxation", f"{self.relaxation} cells", "0 or more", "change the value"
            )
        if self.file != Path() and self.relaxation == 0:
            raise user_error(
                "boundary.file",
                f"{beginning(str(self.file))} with boundary.relaxation = 0",
                "a frame to draw to what it holds",
                "set boundary.relaxation, 8 cells for instance, or leave the file out",
            )


@dataclass(frozen=True)
class InitialSettings:
    """The table [initial]: the air at the start; formulas: docs/models/weather-cases.md."""

    # rest: isothermal, at rest; wave: that with a bump that makes Lamb waves; geostrophic: a zonal
    # jet in exact balance; eady: a zonal wind that grows with height, and a growing wave on it;
    # cyclone: a westerly wind that grows with height, with a low in the middle
    shape: Literal["rest", "wave", "geostrophic", "eady", "cyclone"] = "rest"
    pressure: float = 1e5  # of the surface, Pa
    temperature: float = 280.0  # of isothermal air, or of air at 1000 hPa, K
    wind: float = 0.0  # of a jet where it is strongest, or difference between top and surface, m/s
    stability: float = 2e-6  # of eady and cyclone, -(R T/p) d ln(theta)/dp, m2/(s2 Pa2)
    # height of a bump, depth of a low (Pa), or of a growing wave: its wind, m/s
    amplitude: float = 0.0
    radius: float = 1e6  # of a bump or a low, m
    humidity: float = 0.0  # at 1000 hPa, less above, kg/kg

    def __post_init__(self) -> None:
        """Refuse air that is none."""
        require_finite(self, "initial")
        for name, unit in (
            ("pressure", "Pa"),
            ("temperature", "K"),
            ("stability", "m2/(s2 Pa2)"),
            ("radius", "m"),
        ):
            require_positive(f"initial.{name}", getattr(self, name), unit)
        require_at_least_zero("initial.humidity", self.humidity, "kg/kg")


@dataclass(frozen=True)
class InitialisationSettings:
    """The table [initialisation]: what is done to the initial state before the first step."""

    # none; or digital_filter: fast waves are filtered out over a span of time around the start
    method: Literal["none", "digital_filter"] = "none"
    # time that the summed states cover, half of it before the start; a multiple of two steps
    span: Duration = field(default=10800.0, metadata=also_called("tspan"))
    # period of the slowest wave that is filtered out, at most the span
    cutoff: Duration = field(default=10800.0, metadata=also_called("tau", "taus"))
    step: Duration = 0.0  # of the model on the way; 0: time.step
    # weights in time: dolph (Dolph and Chebyshev: beyond the cutoff all are damped alike), or
    # lanczos (a sinc in Lanczos' window: half is left at the cutoff)
    window: Literal["dolph", "lanczos"] = "dolph"

    def __post_init__(self) -> None:
        """Refuse times that are not positive."""
        require_positive("initialisation.span", self.span, "s")
        require_positive("initialisation.cutoff", self.cutoff, "s")
        require_at_least_zero("initialisation.step", self.step, "s")

    def check(self, step: float) -> None:
        """UserError for a span or a cutoff that does not fit steps of this length (s). Local."""
        pairs = self.span / (2.0 * step)
        if not (round(pairs) >= 1 and abs(pairs - round(pairs)) < 1e-9 * pairs):
            nearest = 2.0 * step * max(1, round(pairs))
            raise user_error(
                "initialisation.span",
                f"{self.span:g} s with steps of {step:g} s",
                "a multiple of two steps, half of them before the start",
                f"set it to {nearest:g} s, or set initialisation.step",
            )
        if not 2.0 * step < self.cutoff <= self.span:
            raise user_error(
                "initialisation.cutoff",
                f"{self.cutoff:g} s with steps of {step:g} s and a span of {self.span:g} s",
                "longer than two steps, and at most the span",
                "choose a period in between, 3 h for instance, or a longer span",
            )


@dataclass(frozen=True)
class WeatherSettings:
    """A case of the weather model."""

    grid: GridSettings = field(default_factory=GridSettings)
    levels: LevelSettings = field(default_factory=LevelSettings)
    time: TimeSettings = field(default_factory=TimeSettings)
    dynamics: DynamicsSettings = field(default_factory=DynamicsSettings)
    boundary: BoundarySettings = field(default_factory=BoundarySettings)
    initial: InitialSettings = field(default_factory=InitialSettings)
    initialisation: InitialisationSettings = field(default_factory=InitialisationSettings)

    @property
    def initialisation_step(self) -> float:
        """Length of a step in the initialisation, s. Local."""
        return self.initialisation.step or self.time.step

    @property
    def initialisation_steps(self) -> int:
        """Steps in half of its span. Local."""
        return round(self.initialisation.span / (2.0 * self.initialisation_step))

    def __post_init__(self) -> None:
        """Refuse tables that do not go together."""
        grid, width = self.grid, self.boundary.relaxation
        if width and (grid.periodic_x or grid.periodic_y):
            raise user_error(
                "boundary.relaxation",
                f"{width} cells on a grid that closes on itself",
                "0 there",
                "leave it out, or set grid.periodic_x and grid.periodic_y to false",
            )
        if 2 * width > min(grid.cells_x, grid.cells_y):
            raise user_error(
                "boundary.relaxation",
                f"{width} cells on {grid.cells_x} x {grid.cells_y}",
                "at most half of the cells",
                "choose a narrower frame",
            )
        if self.dynamics.beta != 0 and grid.periodic_y:
            raise user_error(
                "dynamics.beta",
                f"{self.dynamics.beta:g} 1/(m s) on a grid that closes on itself along y",
                "0 there",
                "leave it out, or set grid.periodic_y to false",
            )
        if self.initial.humidity > 0 and not self.dynamics.humidity:
            raise user_error(
                "initial.humidity",
                f"{self.initial.humidity:g} kg/kg without dynamics.humidity",
                "0 in dry air",
                "set dynamics.humidity = true",
            )
        if self.initialisation.method != "none":
            self.initialisation.check(self.initialisation_step)
