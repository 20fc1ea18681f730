"""`lapwing bench miniweather`: a rising thermal on lapwing, and with MPI by hand.

First each method steps the thermal for some minutes of the model's time: all must have the same
bits, and mass and energy are compared with those of the beginning, as miniWeather does. Then the
methods alternate (A B A B ...).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, pi, prod
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing.core.partition import Box
from mpi4py import MPI
from numpy.typing import NDArray
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import refused_is_missing
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models.request import HAND, MiniweatherRequest
from lapwing_lab.bench.models.stepping import (
    Methods,
    Stepping,
    alternated,
    compared,
    end,
    measure_works,
    require_near,
    settle,
)

Changes = dict[str, dict[str, float]]


def run(request: MiniweatherRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    return measure_works(request, _measure, _table)


def make_method(
    name: str, domain: Domain, model: ThermalModel, request: MiniweatherRequest
) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    if name == HAND:
        return _core.hand_miniweather(domain, model.numbers())
    with refused_is_missing():
        return _core.step_miniweather(domain, model.numbers(), request.strategy, request.transport)


def _measure(session: Session[MiniweatherRequest], work: Shape, domain: Domain) -> list[Result]:
    """The results of one work. Collective."""
    request = session.request
    model, name = ThermalModel((work[0], work[1])), request.full_name(work)
    make = partial(make_method, domain=domain, model=model, request=request)
    methods = session.available(request.methods, make)
    changes = _compared(methods, model, domain, ceil(request.seconds / model.dt))
    taken = alternated(session, work, methods)

    def extra(method: str, seconds: float) -> dict[str, float]:
        return {"cells_per_second": prod(work) / seconds} | changes[method]

    end(session, name, methods)
    return compared(name, taken, extra, (HAND,))


def _compared(methods: Methods, model: ThermalModel, domain: Domain, steps: int) -> Changes:
    """Begin, and what some steps change of mass and energy. Collective.

    RuntimeError where methods do not end with the same bits.
    """
    first = model.first(domain.box)
    state, changes = np.empty_like(first), {}
    before = _totals(model, domain, first)
    for name, method in methods.items():
        settle(method, [first.ravel()])
        method.run(steps)
        method.read(state.ravel())
        mass, energy = (_totals(model, domain, state) / before - 1).tolist()
        changes[name] = {"d_mass": mass, "d_te": energy, "steps": float(steps)}
    found = require_near("miniweather", methods, first.ravel(), domain.mpi, 0)
    for name, far in found.items():
        changes[name]["apart"] = far
    return changes


def _totals(model: ThermalModel, domain: Domain, state: Array) -> Array:
    """Mass and energy of all ranks. Collective."""
    totals: Array = domain.mpi.allreduce(model.totals(domain.box, state), MPI.SUM)
    return totals


def _table(request: MiniweatherRequest, results: list[Result]) -> Table:
    def change(key: str) -> columns.Cell:
        return lambda result: f"{result.extra[key]:.1e}"

    return columns.table(
        results,
        [
            ("Mcells/s", columns.number("cells_per_second", 1e-6, 2)),
            *columns.times("ms", 3, "ms", "min", "max"),
            ("over hand", columns.spread("over_hand")),
            ("steps", columns.number("steps")),
            ("d_mass", change("d_mass")),
            ("d_te", change("d_te")),
        ],
        title=f"miniWeather's rising thermal, float64, {request.ranks} ranks",
        caption="Cells that all ranks step per second, and the time of a step. Over: how many "
        "times as fast, median of the turns (middle half). d_mass, d_te: relative change of mass "
        f"and of energy in {request.seconds:g} s of the model, after which all methods have the "
        "same bits.",
    )


# ---- the model, after the description of the mini app of Oak Ridge National Laboratory: a warm
# bubble in air of one potential temperature, 20 km along x and 10 km along z; all in SI units

Array = NDArray[np.float64]

LENGTH, HEIGHT = 2e4, 1e4
GRAVITY = 9.8
CP, CV, RD = 1004.0, 717.0, 287.0  # heat capacities and gas constant of dry air, J/(kg K)
P0 = 1e5
GAMMA = CP / CV
C0 = 27.5629410929725921310572974482  # RD**GAMMA * P0 ** (-RD / CV), with GAMMA = 1 + RD / CV
THETA = 300.0  # of the background
WARMER, CENTRE, RADIUS = 3.0, (LENGTH / 2, 2e3), 2e3  # the thermal
COURANT, FASTEST = 1.5, 450.0
BEYOND = 2  # cells of the background below the ground and above the top

# Gauss and Legendre's, from 0 to 1
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(3)
PLACES: Array = np.asarray((_PLACES + 1) / 2, np.float64)
WEIGHTS: Array = np.asarray(_WEIGHTS / 2, np.float64)


def at_rest(z: NDArray[Any]) -> tuple[Array, Array]:
    """Density and density times potential temperature of the background. Local."""
    exner = 1 - GRAVITY * z / (CP * THETA)
    density_theta: Array = (P0 * exner ** (CP / RD) / C0) ** (1 / GAMMA)
    return density_theta / THETA, density_theta


def _columns(density: Array, density_theta: Array) -> dict[str, Array]:
    pressure = C0 * density_theta**GAMMA
    return {"density": density, "density_theta": density_theta, "pressure": pressure}


@dataclass(frozen=True)
class ThermalModel:
    """A grid, and the numbers of the equations."""

    cells: tuple[int, int]  # along x and z

    @property
    def widths(self) -> tuple[float, float]:
        """The size of a cell along x and z, m."""
        return LENGTH / self.cells[0], HEIGHT / self.cells[1]

    @property
    def dt(self) -> float:
        """Time step, s."""
        return COURANT * min(self.widths) / FASTEST

    def box(self) -> Box:
        """The whole grid."""
        return Box((0, 0, 0), (*self.cells, 1))

    def means(self, low: int, high: int) -> tuple[Array, Array]:
        """The background as means over cells from level `low` to `high`. Local."""
        z = (np.arange(low, high)[:, None] + PLACES) * self.widths[1]
        density, density_theta = at_rest(z)
        return density @ WEIGHTS, density_theta @ WEIGHTS

    def numbers(self) -> _core.MiniweatherModel:
        """The numbers that a step needs. Local."""
        levels = self.cells[1]
        beyond, _ = self.means(-BEYOND, levels + BEYOND)
        _, inside = self.means(0, levels)
        density, density_theta = at_rest(np.arange(levels + 1) * self.widths[1])
        background = _core.Background(
            {name: one.tolist() for name, one in _columns(beyond, inside).items()},
            {name: one.tolist() for name, one in _columns(density, density_theta).items()},
        )
        return _core.MiniweatherModel(self.cells, self.widths, self.dt, background)

    def first(self, box: Box) -> Array:
        """The thermal at rest, in a box: rho', rho u, rho w and (rho theta)', [4, z, x]. Local."""
        state = np.zeros((4, box.hi[1] - box.lo[1], box.hi[0] - box.lo[0]))
        for place_z, weight_z in zip(PLACES, WEIGHTS, strict=True):
            z = (np.arange(box.lo[1], box.hi[1])[:, None] + place_z) * self.widths[1]
            for place_x, weight_x in zip(PLACES, WEIGHTS, strict=True):
                x = (np.arange(box.lo[0], box.hi[0])[None, :] + place_x) * self.widths[0]
                far = np.hypot(x - CENTRE[0], z - CENTRE[1]) / RADIUS
                warmer = WARMER * np.where(far < 1, np.cos(pi / 2 * far) ** 2, 0)
                state[3] += weight_z * weight_x * at_rest(z)[0] * warmer
        return state

    def totals(self, box: Box, state: Array) -> Array:
        """Mass, kg, and energy, J, of a box per metre along y. Local.

        The energy is miniWeather's, rho (u^2 + w^2) + rho cv T: its change can be compared.
        """
        density, density_theta = (one[:, None] for one in self.means(box.lo[1], box.hi[1]))
        rho, rho_theta = state[0] + density, state[3] + density_theta
        pressure = C0 * rho_theta**GAMMA
        temperature = rho_theta / rho * (pressure / P0) ** (RD / CP)
        moving = (state[1] ** 2 + state[2] ** 2) / rho
        area = self.widths[0] * self.widths[1]
        return area * np.array([rho.sum(), (moving + rho * CV * temperature).sum()])
