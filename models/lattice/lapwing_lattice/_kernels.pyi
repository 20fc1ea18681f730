"""The lattice model's kernels."""

from collections.abc import Sequence
from typing import Annotated

import lapwing.core._core
import numpy
from numpy.typing import NDArray

class Side:
    """A side of the grid."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def kind(self) -> str:
        """what stands there"""

    @kind.setter
    def kind(self, arg: str, /) -> None: ...
    @property
    def velocity(self) -> list[float]:
        """cells per step"""

    @velocity.setter
    def velocity(self, arg: Sequence[float], /) -> None: ...
    @property
    def density(self) -> float:
        """of a pressure side; pressure is a third of it"""

    @density.setter
    def density(self, arg: float, /) -> None: ...

class LatticeSettings:
    """Numbers of the lattice model, in lattice units."""

    def __init__(self, **settings: object) -> None: ...
    @staticmethod
    def declared() -> list[str]:
        """Names of the settings. Local."""

    @property
    def tau(self) -> float:
        """relaxation time of what is even, steps; viscosity is (tau - 1/2) / 3"""

    @tau.setter
    def tau(self, arg: float, /) -> None: ...
    @property
    def tau_minus(self) -> float:
        """of what is odd; the same for BGK"""

    @tau_minus.setter
    def tau_minus(self, arg: float, /) -> None: ...
    @property
    def force(self) -> list[float]:
        """on a cell"""

    @force.setter
    def force(self, arg: Sequence[float], /) -> None: ...
    @property
    def sides(self) -> list[Side]:
        """x low, x high, y low, y high, z low, z high"""

    @sides.setter
    def sides(self, arg: Sequence[Side], /) -> None: ...
    @property
    def in_place(self) -> bool:
        """one lattice (AA pattern) instead of two"""

    @in_place.setter
    def in_place(self, arg: bool, /) -> None: ...
    @property
    def single(self) -> bool:
        """float instead of double"""

    @single.setter
    def single(self, arg: bool, /) -> None: ...
    def set_solid(
        self,
        solid: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None:
        """A value per cell, x fastest, not 0 where it is solid. Local."""

def velocities() -> list[list[int]]:
    """Cells that each population flies in a step, by its number. Local."""

LARGEST_MACH: float = 0.3

def mach_number(x: float, y: float, z: float) -> float:
    """Velocity over the speed of sound of the lattice. Local."""

class LatticeModel:
    """The fields of the lattice model on one rank, and its step."""

    def __init__(
        self,
        domain: lapwing.core._core.Domain,
        settings: LatticeSettings,
        strategy: str,
        transport: str,
    ) -> None: ...
    def start(self) -> None:
        """Populations in equilibrium with density and velocity. Local."""

    def advance(self, steps: int) -> None: ...
    def resume(self, step_number: int) -> None: ...
    def check_state(self) -> None: ...
    @property
    def step_number(self) -> int: ...
    @property
    def newest(self) -> int:
        """Which lattice has the newest populations."""

    @property
    def in_place(self) -> bool: ...
    @property
    def fluid_cells(self) -> int:
        """Of this rank."""

    @property
    def step(self) -> lapwing.core._core.Step: ...
    @property
    def populations(self) -> list[lapwing.core._core.Field]:
        """Two lattices, or one in place."""

    @property
    def density(self) -> lapwing.core._core.Field:
        """Of the last step that `advance` ran."""

    @property
    def velocity(self) -> list[lapwing.core._core.Field]:
        """Along x, y and z, cells per step, likewise."""
