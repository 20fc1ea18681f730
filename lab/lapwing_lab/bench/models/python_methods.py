"""The methods `numpy` and `numba`: the model on lapwing with kernels in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import lapwing
import numpy as np
from lapwing import Domain, Stage, Step, around
from numpy.typing import NDArray

from lapwing_lab._core import ShallowModel
from lapwing_lab.bench.measure.method import MethodMissingError
from lapwing_lab.bench.models.request import ShallowWaterRequest

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """The constants of a time step, of the fields' type; explained in lab/src/bench/models."""

    rows: int
    gravity_x: Any
    gravity_y: Any
    per_dx: Any
    per_dy: Any
    coriolis: Any
    beta_dy: Any
    friction: Any
    dt: Any
    now: Any
    before: Any
    half: Any
    quarter: Any
    zero: Any
    one: Any

    @classmethod
    def of(cls, model: ShallowModel, dtype: type[np.floating[Any]], first: bool) -> Numbers:
        """The constants of the first step of a model, or of a later one. Local."""
        per = 1 / model.spacing
        friction = 0.0 if first else model.dt * model.friction / (model.spacing * model.spacing)
        weights = (1.0, 0.0) if first else (1.6, -0.6)
        values = (
            *(model.gravity / model.spacing, model.gravity / model.spacing, per, per),
            *(model.coriolis, model.beta * model.spacing, friction, model.dt, *weights),
            *(0.5, 0.25, 0.0, 1.0),
        )
        return cls(model.ny, *map(dtype, values))


class PythonShallow:
    """The model as a stage of a lapwing.Step, whose kernel `make` makes of numbers."""

    def __init__(
        self,
        domain: Domain,
        model: ShallowModel,
        wide: bool,
        strategy: str,
        transport: str,
        make: Callable[[Numbers], Callable[..., None]],
    ) -> None:
        """Make fields and steps. Collective; UserError where they are not to be had."""
        self.dtype = np.float64 if wide else np.float32
        self.domain, self.numbers = domain, [Numbers.of(model, self.dtype, n == 0) for n in (0, 1)]
        places = {"h": "center", "u": "xface", "v": "yface"}
        self.flow, self.next, self.changes = (
            [
                domain.field(f"{name}{mark}", dtype=self.dtype, location=place, halo=halo[name])
                for name, place in places.items()
            ]
            for mark, halo in (
                ("", {"h": 1, "u": 2, "v": 2}),
                ("_next", {"h": 1, "u": 2, "v": 2}),
                ("_change", dict.fromkeys(places, 0)),
            )
        )
        first, later = (make(numbers) for numbers in self.numbers)
        self.start = Step(domain, [self._sweep(first, self.flow, self.next)], transport=transport)
        there = self._sweep(later, self.next, self.flow)
        back = self._sweep(later, self.flow, self.next)
        self.step = Step(domain, [[there], [back]], strategy=strategy, transport=transport)
        self.done = 0

    def _sweep(self, kernel: Callable[..., None], now: list[Any], new: list[Any]) -> Stage:
        h, u, v = now
        reads: list[Any] = [(h, around(1)), (u, around(2)), (v, around(2)), *self.changes]
        return Stage(kernel, reads, [*self.changes, *new], name="sweep")

    def begin(self, *flow: Array) -> None:
        """Begin with a flow h, u, v of the box of this rank, x fastest. Collective."""
        for field, change, values in zip(self.flow, self.changes, flow, strict=True):
            owned = field.owned
            owned[...] = values.reshape(owned.shape[::-1]).T
            change.owned[...] = 0
            field.modified()
            change.modified()
        self.step.position = 0
        self.done = 0

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""
        if self.done == 0 and steps > 0:
            self.start.run(1)
        self.step.run(steps - (self.done == 0 and steps > 0))
        self.done += steps

    def read(self, *flow: Array) -> None:
        """Write the flow into arrays h, u and v, x fastest. Collective."""
        fields = self.next if self.done % 2 else self.flow
        numbers = self.numbers[min(self.done, 1)]
        lapwing.Exchange(fields).run()
        flow[0][...] = fields[0].owned.T.ravel()
        lo, hi = self.domain.box.lo[1], self.domain.box.hi[1]
        for component in (1, 2):
            whole = fields[component].array()
            cells = whole[1:-1, 1:-1]
            found = with_friction(numbers, cells, np.arange(lo, hi), component == 2)
            flow[component][...] = found.T.ravel()

    @property
    def settled(self) -> bool:
        """True if it steps as it always will. Local."""
        return self.step.report.strategy != "auto"

    @property
    def choice(self) -> str:
        """Describe how it steps, if trials found that. Local."""
        return str(self.step.report.choice)


def with_friction(
    numbers: Numbers, cells: NDArray[Any], rows: NDArray[np.int64], to_walls: bool
) -> NDArray[Any]:
    """u or v [x, y] with friction, of the cells inside of those that are given. Local.

    `to_walls`: v, which is zero at walls.
    """
    here = cells[1:-1, 1:-1]
    south = np.where(rows > 0, numbers.friction, numbers.zero)[None, :]
    north = np.where(rows < numbers.rows - 1, numbers.friction, numbers.zero)[None, :]
    along = numbers.friction * ((cells[2:, 1:-1] - here) - (here - cells[:-2, 1:-1]))
    across = north * (cells[1:-1, 2:] - here) - south * (here - cells[1:-1, :-2])
    found: NDArray[Any] = here + (along + across)
    if to_walls:
        np.multiply(found, _kept(numbers, rows), out=found)
    return found


def _kept(numbers: Numbers, rows: NDArray[np.int64]) -> NDArray[Any]:
    walls = (rows < 0) | (rows >= numbers.rows - 1)
    kept: NDArray[Any] = np.where(walls, numbers.zero, numbers.one)[None, :]
    return kept


def numpy_kernel(numbers: Numbers) -> Callable[..., None]:
    """The kernel as array expressions. Local."""
    n, half, quarter = numbers, numbers.half, numbers.quarter
    half_x, half_y = half * n.per_dx, half * n.per_dy
    quarter_x, quarter_y = quarter * n.per_dx, quarter * n.per_dy

    def sweep(box: Any, h: Any, u: Any, v: Any, dh: Any, du: Any, dv: Any, *new: Any) -> None:
        rows = np.arange(box.lo[1] - 1, box.hi[1] + 1)
        # arrays of cells from one before the box to one behind it; x first
        h = np.asarray(h)[:, np.clip(rows, 0, n.rows - 1) - rows[0]]
        u = with_friction(n, np.asarray(u), rows, False)
        v = with_friction(n, np.asarray(v), rows, True)
        total = h[:-1] + h[1:]
        east = total[:, 1:] * u[:-1, 1:]
        north = (h[1:, :-1] + h[1:, 1:]) * v[1:, :-1]
        uu, vv = u * u, v * v
        energy = (uu[1:, 1:] + uu[:-1, 1:]) + (vv[1:, 1:] + vv[1:, :-1])
        turning = (v[1:, :-1] - v[:-1, :-1]) * n.per_dx - (u[:-1, 1:] - u[:-1, :-1]) * n.per_dy
        coriolis = n.coriolis + rows[:-1].astype(h.dtype) * n.beta_dy
        q = (coriolis + turning) / (total[:, :-1] + total[:, 1:])
        along_u = half * (
            q[1:, 1:] * (north[:-1, 1:] + north[1:, 1:])
            + q[1:, :-1] * (north[:-1, :-1] + north[1:, :-1])
        )
        sums = east[:, :-1] + east[:, 1:]
        along_v = half * (q[1:, 1:] * sums[1:] + q[:-1, 1:] * sums[:-1])
        here = h[1:-1, 1:-1]
        dh_now = (east[:-1, :-1] - east[1:, :-1]) * half_x + (
            north[:-1, :-1] - north[:-1, 1:]
        ) * half_y
        du_now = (
            along_u
            - n.gravity_x * (h[2:, 1:-1] - here)
            - quarter_x * (energy[1:, :-1] - energy[:-1, :-1])
        )
        dv_now = (
            -along_v
            - n.gravity_y * (h[1:-1, 2:] - here)
            - quarter_y * (energy[:-1, 1:] - energy[:-1, :-1])
        )
        flow, nows = (here, u[1:-1, 1:-1], v[1:-1, 1:-1]), (dh_now, du_now, dv_now)
        for to, before, now, old in zip(new, flow, nows, (dh, du, dv), strict=True):
            to[...] = before + n.dt * (n.now * now + n.before * old)
            old[...] = now
        new[2][...] *= _kept(n, rows[1:-1])

    return sweep


def make_method(
    name: str, domain: Domain, model: ShallowModel, wide: bool, strategy: str, transport: str
) -> PythonShallow:
    """The method `numpy` or `numba`. Collective; MethodMissingError, on all ranks, without it."""
    if name != ShallowWaterRequest.NUMBA:
        return PythonShallow(domain, model, wide, strategy, transport, numpy_kernel)
    try:
        from lapwing_lab.bench.models.numba_kernel import numba_kernel
    except ImportError as problem:
        raise MethodMissingError(f"not installed ({problem}); `make numba`") from problem
    return PythonShallow(domain, model, wide, strategy, transport, numba_kernel)
