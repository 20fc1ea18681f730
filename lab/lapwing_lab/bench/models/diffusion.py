"""`lapwing bench diffusion`: heat in 3D on lapwing, and with MPI by hand.

All methods but `limit` must have the same bits after a hundred steps, and at the end. They
alternate (A B A B ...).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np
from lapwing.core.domain import Domain
from lapwing.core.partition import Box
from numpy.typing import NDArray
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import refused_is_missing
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models.request import HAND, LIMIT, OVERLAP, STEP, DiffusionRequest
from lapwing_lab.bench.models.stepping import (
    Stepping,
    alternated,
    compared,
    end,
    measure_works,
    require_near,
    settle,
)

COMPARED = 100  # steps after which methods are compared


def run(request: DiffusionRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    return measure_works(request, _measure, _table)


def make_method(name: str, domain: Domain, model: HeatModel, request: DiffusionRequest) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    far = model.distances
    if name == LIMIT:
        return _core.limit_diffusion(domain)
    if name != STEP:
        return _core.hand_diffusion(domain, far, overlaps=name == OVERLAP)
    with refused_is_missing():
        return _core.step_diffusion(domain, far, request.strategy, request.transport)


def _measure(session: Session[DiffusionRequest], work: Shape, domain: Domain) -> list[Result]:
    """The results of one work. Collective."""
    request = session.request
    model, name = HeatModel((work[0], work[1], work[2])), request.full_name(work)
    make = partial(make_method, domain=domain, model=model, request=request)
    methods = session.available(request.methods, make)
    first = [one(domain.box).ravel() for one in (model.first, model.factor)]
    for method in methods.values():
        settle(method, first)
        method.run(COMPARED)
    like = np.empty(domain.box.volume)
    require_near("diffusion", methods, like, domain.mpi, 0)
    taken = alternated(session, work, methods)
    require_near("diffusion", methods, like, domain.mpi, 0)

    def extra(_: str, seconds: float) -> dict[str, float]:
        return {
            "points_per_second": prod(model.points) / seconds,
            "effective_throughput": model.effective_bytes / seconds,
        }

    end(session, name, methods)
    return compared(name, taken, extra, (HAND, LIMIT))


def _table(request: DiffusionRequest, results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("T_eff GB/s", columns.number("effective_throughput", 1e-9, 1)),
            *columns.times("ms", 3, "ms", "min", "max"),
            ("over hand", columns.spread("over_hand")),
            ("of limit", columns.percent("over_limit")),
        ],
        title=f"Diffusion of heat in 3D, float64, {request.ranks} ranks",
        caption="T_eff: bytes that a step must move, temperature twice and heat capacity once, by "
        "its time, of all ranks. Over: how many times as fast, median of the turns (middle half). "
        "Limit: the same passes through memory alone. All others have the same bits.",
    )


# ---- the model, as the example of ImplicitGlobalGrid.jl sets it up: a cube of ten units with two
# hot spots, and with two spots of a large heat capacity

Array = NDArray[np.float64]

LENGTH = 10.0
CONDUCTIVITY, LEAST_CAPACITY = 1.0, 1.0
# how much in the middle, where along x, y and z, and how wide
CAPACITIES = (
    (5.0, (LENGTH / 1.5, LENGTH / 2, LENGTH / 1.5), 1.0),
    (5.0, (LENGTH / 3, LENGTH / 2, LENGTH / 1.5), 1.0),
)
TEMPERATURES = (
    (100.0, (LENGTH / 2, LENGTH / 2, LENGTH / 3), 2.0),
    (50.0, (LENGTH / 2, LENGTH / 2, LENGTH / 1.5), 2.0),
)
STABLE = 8.1  # parts of dx^2 cp / lambda in a time step
PASSES = 3  # of an array through memory in a step: the temperature read and written, cp read

Spots = tuple[tuple[float, tuple[float, float, float], float], ...]


@dataclass(frozen=True)
class HeatModel:
    """A grid of points, of which the outermost keep their temperature."""

    points: tuple[int, int, int]  # along x, y and z

    @property
    def distances(self) -> tuple[float, float, float]:
        """Between points along x, y and z."""
        x, y, z = (LENGTH / (count - 1) for count in self.points)
        return x, y, z

    @property
    def dt(self) -> float:
        """Time step."""
        return min(self.distances) ** 2 * LEAST_CAPACITY / CONDUCTIVITY / STABLE

    @property
    def effective_bytes(self) -> int:
        """A_eff of its authors: twice what is updated, and once what is known, in a step."""
        nx, ny, nz = self.points
        return PASSES * nx * ny * nz * np.dtype(np.float64).itemsize

    def box(self) -> Box:
        """The whole grid."""
        return Box((0, 0, 0), self.points)

    def first(self, box: Box) -> Array:
        """The temperature of a box at the beginning, [z, y, x]. Local."""
        return self._spots(box, TEMPERATURES)

    def factor(self, box: Box) -> Array:
        """The factor of the Laplacian in a step, dt lambda / cp, of a box, [z, y, x]. Local."""
        capacity = LEAST_CAPACITY + self._spots(box, CAPACITIES)
        return np.asarray(self.dt * CONDUCTIVITY / capacity, np.float64)

    def _spots(self, box: Box, spots: Spots) -> Array:
        axes = zip(box.lo, box.hi, self.distances, strict=True)
        x, y, z = (np.arange(low, high) * step for low, high, step in axes)
        total = np.zeros((len(z), len(y), len(x)))
        for most, (at_x, at_y, at_z), width in spots:
            along = [np.exp(-(((one - at) / width) ** 2)) for one, at in ((x, at_x), (y, at_y))]
            in_z = np.exp(-(((z - at_z) / width) ** 2))
            total += most * in_z[:, None, None] * along[1][None, :, None] * along[0]
        return total
