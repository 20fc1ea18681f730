"""Settings in a case file of the lattice model: one dataclass per TOML table, in lattice units."""

from __future__ import annotations

import math
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
from lapwing.model import also_called

from lapwing_lattice._kernels import LARGEST_MACH, mach_number


@dataclass(frozen=True)
class GridSettings:
    """The table [grid]: a box of cells."""

    cells_x: int = field(default=32, metadata=also_called("nx"))
    cells_y: int = field(default=32, metadata=also_called("ny"))
    cells_z: int = field(default=32, metadata=also_called("nz"))

    def __post_init__(self) -> None:
        """Refuse sizes without cells."""
        for axis in "xyz":
            require_count(f"grid.cells_{axis}", getattr(self, f"cells_{axis}"), 1, "cells")
        require_cells("grid", self.size)

    @property
    def size(self) -> tuple[int, int, int]:
        """Cells along x, y and z."""
        return self.cells_x, self.cells_y, self.cells_z


@dataclass(frozen=True)
class LatticeTable:
    """The table [lattice]: how populations are kept and collide."""

    # two-lattice: read from one, written to the other; in-place: one lattice, half the memory
    kernel: Literal["two-lattice", "in-place"] = "two-lattice"
    precision: Literal["double", "single"] = "double"
    # bgk: one relaxation time; trt: two, the other one from `magic`
    collision: Literal["bgk", "trt"] = field(default="trt", metadata=also_called("operator"))
    # (tau - 1/2) (tau_minus - 1/2) of trt: 3/16 puts walls half-way between cells at any tau
    magic: float = field(default=3.0 / 16.0, metadata=also_called("lambda"))

    def __post_init__(self) -> None:
        """Refuse a parameter that makes no second relaxation time."""
        require_positive("lattice.magic", self.magic, "")


@dataclass(frozen=True)
class FlowSettings:
    """The table [flow]: the fluid and what drives it."""

    # relaxation time in steps; viscosity is (tau - 1/2) / 3 cells2/step; counts where reynolds is 0
    tau: float = field(default=0.8, metadata=also_called("relaxation_time"))
    # speed times length over viscosity; 0: tau counts
    reynolds: float = field(default=0.0, metadata=also_called("Re"))
    speed: float = field(default=0.1, metadata=also_called("U"))  # of reynolds, cells/step
    length: float = field(default=1.0, metadata=also_called("L"))  # of reynolds, cells
    force_x: float = 0.0  # on a cell, per step
    force_y: float = 0.0
    force_z: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a fluid that is none."""
        require_finite(self, "flow")
        require_at_least_zero("flow.reynolds", self.reynolds, "")
        require_positive("flow.length", self.length, "cells")
        require_slow("flow.speed", (self.speed, 0.0, 0.0))
        if not self.relaxation_time > 0.5:
            raise user_error(
                "flow.tau",
                f"{self.relaxation_time:g}",
                "more than 0.5, where the viscosity is above 0",
                "choose a larger tau, a lower Reynolds number or a finer grid",
            )

    @property
    def relaxation_time(self) -> float:
        """The relaxation time of parts even in the direction, steps."""
        if self.reynolds == 0:
            return self.tau
        return 0.5 + 3.0 * self.speed * self.length / self.reynolds

    @property
    def viscosity(self) -> float:
        """Kinematic, cells2/step."""
        return (self.relaxation_time - 0.5) / 3.0


@dataclass(frozen=True)
class SideSettings:
    """A table [sides.x_low] and so on: what stands at a side of the grid."""

    # periodic: the grid closes on itself there, and at the opposite side; wall: at rest; velocity:
    # a wall that moves, or an inflow; pressure: an end of given density
    kind: Literal["periodic", "wall", "velocity", "pressure"] = "periodic"
    # of a velocity side, along x, y and z, cells/step
    velocity: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    density: float = 1.0  # of a pressure side; pressure is a third of it


@dataclass(frozen=True)
class SidesSettings:
    """The table [sides]."""

    x_low: SideSettings = field(default_factory=SideSettings)
    x_high: SideSettings = field(default_factory=SideSettings)
    y_low: SideSettings = field(default_factory=SideSettings)
    y_high: SideSettings = field(default_factory=SideSettings)
    z_low: SideSettings = field(default_factory=SideSettings)
    z_high: SideSettings = field(default_factory=SideSettings)

    def __post_init__(self) -> None:
        """Refuse an axis that closes on itself at one end only, and a side that is none."""
        for axis in "xyz":
            kinds = [side.kind for side in self.of(axis)]
            if kinds.count("periodic") == 1:
                raise user_error(
                    f"sides.{axis}_low and sides.{axis}_high",
                    " and ".join(map(repr, kinds)),
                    "both periodic or neither",
                    "change one of them",
                )
            for end, side in zip(("low", "high"), self.of(axis), strict=True):
                _require_side(f"sides.{axis}_{end}", side)

    def of(self, axis: str) -> tuple[SideSettings, SideSettings]:
        """The two sides at the ends of an axis."""
        return getattr(self, f"{axis}_low"), getattr(self, f"{axis}_high")

    @property
    def all(self) -> tuple[SideSettings, ...]:
        """The six sides: x low, x high, y low and so on."""
        return (*self.of("x"), *self.of("y"), *self.of("z"))

    @property
    def periodic(self) -> tuple[bool, bool, bool]:
        """True if x, y and z close on themselves."""
        x, y, z = (self.of(axis)[0].kind == "periodic" for axis in "xyz")
        return x, y, z


@dataclass(frozen=True)
class ObstacleSettings:
    """The table [obstacle]: which cells are solid."""

    # none; spheres: a packing made from the seed; mask: a NumPy file [nx, ny, nz], not 0 where
    # solid
    shape: Literal["none", "spheres", "mask"] = "none"
    file: Path | None = None  # of the shape mask
    seed: int = 1  # of spheres
    radius: float = 6.0  # of spheres, cells
    solid: float = 0.3  # share of the grid that spheres fill, as far as they find room

    def __post_init__(self) -> None:
        """Refuse spheres that are none, and a mask without a file."""
        require_positive("obstacle.radius", self.radius, "cells")
        if not 0 <= self.solid < 1:
            raise user_error("obstacle.solid", f"{self.solid:g}", "0 to 1", "change the value")
        if (self.shape == "mask") != (self.file is not None):
            raise user_error(
                "obstacle.file",
                f"{beginning(str(self.file))} with the shape {self.shape!r}",
                'a file with the shape "mask", none with others',
                "change one of them",
            )


@dataclass(frozen=True)
class InitialSettings:
    """The table [initial]: the fluid at the start; formulas: docs/models/lattice-cases.md."""

    # rest; uniform: a velocity everywhere; taylor-green: vortices in x and y that fade
    shape: Literal["rest", "uniform", "taylor-green"] = "rest"
    speed: float = 0.0  # along x, or largest of the vortices, cells/step

    def __post_init__(self) -> None:
        """Refuse what the lattice does not describe."""
        require_slow("initial.speed", (self.speed, 0.0, 0.0))


@dataclass(frozen=True)
class LatticeSettings:
    """A case of the lattice model."""

    grid: GridSettings = field(default_factory=GridSettings)
    lattice: LatticeTable = field(default_factory=LatticeTable)
    flow: FlowSettings = field(default_factory=FlowSettings)
    sides: SidesSettings = field(default_factory=SidesSettings)
    obstacle: ObstacleSettings = field(default_factory=ObstacleSettings)
    initial: InitialSettings = field(default_factory=InitialSettings)

    @property
    def relaxation_times(self) -> tuple[float, float]:
        """The relaxation times of parts even and odd in the direction, steps."""
        even = self.flow.relaxation_time
        if self.lattice.collision == "bgk":
            return even, even
        return even, 0.5 + self.lattice.magic / (even - 0.5)


def _require_side(name: str, side: SideSettings) -> None:
    """Refuse values that are none, that the lattice does not describe, or that the kind ignores."""
    if len(side.velocity) != 3:
        got = f"{len(side.velocity)} numbers"
        raise user_error(f"{name}.velocity", got, "3, along x, y and z", "give [u, v, w]")
    require_slow(f"{name}.velocity", (side.velocity[0], side.velocity[1], side.velocity[2]))
    require_positive(f"{name}.density", side.density, "")
    if side.kind != "velocity" and any(side.velocity):
        raise user_error(
            f"{name}.velocity",
            f"{side.velocity} with the kind {side.kind!r}",
            'a velocity with the kind "velocity", none with others',
            "change one of them",
        )
    if side.kind != "pressure" and side.density != 1.0:
        raise user_error(
            f"{name}.density",
            f"{side.density:g} with the kind {side.kind!r}",
            'a density with the kind "pressure", 1 with others',
            "change one of them",
        )


def require_slow(name: str, velocity: tuple[float, float, float]) -> None:
    """Raise UserError unless a velocity (cells/step) is one that the lattice describes. Local."""
    mach = mach_number(*velocity)
    if not (math.isfinite(mach) and mach <= LARGEST_MACH):
        raise user_error(
            name,
            f"a Mach number of {mach:.3g}",
            f"at most {LARGEST_MACH:g}, beyond which the lattice is compressible",
            "choose a slower flow on a finer grid",
        )
