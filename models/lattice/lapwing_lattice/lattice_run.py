"""The lattice model on a domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lapwing.base.error import user_error
from lapwing.core.domain import Domain, Field
from lapwing.model import Picture, Variable
from lapwing.model.structs import struct_from
from numpy.typing import NDArray

from lapwing_lattice import _kernels
from lapwing_lattice.geometry import LatticeGeometry
from lapwing_lattice.initial import initial_flow
from lapwing_lattice.pictures import lattice_pictures
from lapwing_lattice.settings import LatticeSettings

_VELOCITIES = _kernels.velocities()
# component that holds the opposite direction
_OPPOSITE = [_VELOCITIES.index([-c for c in velocity]) for velocity in _VELOCITIES]


class LatticeRun:
    """The lattice model on a domain, ready to be advanced; see `lapwing.model.Run`.

    A step counts as one second of the driver: everything else is in lattice units.
    """

    dt = 1.0

    def __init__(
        self,
        domain: Domain,
        settings: LatticeSettings,
        geometry: LatticeGeometry,
        *,
        strategy: str,
        transport: str,
    ) -> None:
        """Allocate the populations, make the step and put the initial flow into them.

        Collective. UserError on all ranks for settings that do not fit or differ, and where a node
        lacks the memory.
        """
        self._lattice = _kernels.LatticeModel(
            domain, numbers(settings, geometry), strategy, transport
        )
        self.step = self._lattice.step
        self.step_number: int = self._lattice.step_number
        self._populations = [Field(domain, core) for core in self._lattice.populations]
        self.state: Mapping[str, Field] = {field.name: field for field in self._populations}
        flow = [Field(domain, core) for core in (self._lattice.density, *self._lattice.velocity)]
        for box in domain.boxes:
            fluid = _fluid_in(geometry, flow[0].index_of(box))
            for field, values in zip(flow, initial_flow(settings, box), strict=True):
                at_rest = 1.0 if field is flow[0] else 0.0
                field[box] = np.where(fluid, values, at_rest).reshape(field[box].shape)
        for field in flow:
            field.modified()
        self._lattice.start()
        self.variables: Mapping[str, Variable] = _variables(flow)
        self.pictures: Sequence[Picture] = lattice_pictures(geometry)

    def advance(self, steps: int) -> None:
        """Run `steps` time steps. Call it on all ranks."""
        self._lattice.advance(steps)
        self.step_number = self._lattice.step_number

    def resume(self, step_number: int) -> None:
        """Go on from `step_number`; the caller has put the state of that moment into `state`."""
        self._lattice.resume(step_number)
        self.step_number = step_number

    def check_state(self) -> None:
        """Raise StateError on all ranks when the state is bad.

        Bad is a density that is not finite or not above 0, or a Mach number above 0.3. Collective;
        one reduction when all is well.
        """
        self._lattice.check_state()

    def populations(self, root: int = 0) -> NDArray[np.floating[Any]] | None:
        """Return the populations [nx, ny, nz, 19] after their collision on rank `root`, else None.

        Collective. float64, or float32 in single precision. Directions are ordered as
        `velocities()` of the kernels. In a direction with a wall, the population is the one that
        comes back from it. UserError in place after an odd number of steps, when they lie around
        their cells. Cost: as `Field.gather`.
        """
        if self._lattice.in_place and self.step_number % 2 == 1:
            raise user_error(
                "populations",
                f"those after step {self.step_number} in place",
                "those after an even number of steps",
                "advance one step more, or take the kernel two-lattice",
            )
        whole = self._populations[self._lattice.newest].gather(root)
        if whole is None:
            return None
        whole = whole.reshape(*self._populations[0].partition.grid.size, 19)
        return whole[..., _OPPOSITE] if self._lattice.in_place else whole


def numbers(settings: LatticeSettings, geometry: LatticeGeometry) -> _kernels.LatticeSettings:
    """Return the settings that the C++ model takes. Local."""
    tau, tau_minus = settings.relaxation_times
    flow = settings.flow
    numbers = _kernels.LatticeSettings(
        tau=tau,
        tau_minus=tau_minus,
        force=[flow.force_x, flow.force_y, flow.force_z],
        sides=[
            # the grid closes on itself: nothing stands there
            _kernels.Side() if side.kind == "periodic" else struct_from(_kernels.Side, side)
            for side in settings.sides.all
        ],
        in_place=settings.lattice.kernel == "in-place",
        single=settings.lattice.precision == "single",
    )
    if geometry.solid is not None:
        numbers.set_solid(geometry.solid.ravel(order="F").astype(np.uint8))
    return numbers


def _fluid_in(geometry: LatticeGeometry, cells: tuple[slice, ...]) -> NDArray[np.bool_] | bool:
    if geometry.solid is None:
        return True
    whole: NDArray[np.bool_] = ~geometry.solid
    return whole[cells] if len(cells) == 3 else whole[(*cells, slice(None))]


def _variables(flow: Sequence[Field]) -> dict[str, Variable]:
    """Return what output files may hold: density and velocity of the last step."""
    names = ("density", "velocity_x", "velocity_y", "velocity_z")
    about = ("density", "velocity along x", "velocity along y", "velocity along z")
    return {
        name: Variable(field, "1", long_name)
        for name, field, long_name in zip(names, flow, about, strict=True)
    }
