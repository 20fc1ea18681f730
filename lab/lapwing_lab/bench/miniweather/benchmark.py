"""`lapwing bench miniweather`: a rising thermal on lapwing, and with MPI by hand.

First each method steps the thermal for some minutes of the model's time: all must have the same
bits, and mass and energy are compared with those of the beginning, as miniWeather does. Then the
methods alternate (A B A B ...).
"""

from __future__ import annotations

from functools import partial
from math import ceil, prod

import numpy as np
from lapwing.core.domain import Domain
from mpi4py import MPI
from rich.table import Table

from lapwing_lab import _core
from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import available, refused_is_missing
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.measure.stepping import (
    Measured,
    Methods,
    Stepping,
    alternated,
    compared,
    measure_works,
    require_near,
    settle,
)
from lapwing_lab.bench.miniweather import request as names
from lapwing_lab.bench.miniweather.model import Array, ThermalModel
from lapwing_lab.bench.miniweather.request import MiniweatherRequest

Changes = dict[str, dict[str, float]]


def run(request: MiniweatherRequest) -> int:
    """Measure every work and print the table. Collective over the world."""
    return measure_works(request, _measure, _table)


def make_method(
    name: str, domain: Domain, model: ThermalModel, request: MiniweatherRequest
) -> Stepping:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    if name == names.HAND:
        return _core.hand_miniweather(domain, model.numbers())
    with refused_is_missing():
        return _core.step_miniweather(domain, model.numbers(), request.strategy, request.transport)


def _measure(request: MiniweatherRequest, work: Shape, measured: Measured, domain: Domain) -> None:
    """Add the results of one work. Collective."""
    model, name = ThermalModel((work[0], work[1])), request.full_name(work)
    make = partial(make_method, domain=domain, model=model, request=request)
    methods = available(request.methods, make, measured.missing)
    changes = _compared(methods, model, domain, ceil(request.seconds / model.dt))
    taken = alternated(request, work, methods, domain.mpi)

    def extra(method: str, seconds: float) -> dict[str, float]:
        return {"cells_per_second": prod(work) / seconds} | changes[method]

    measured.add(name, methods, compared(name, taken, extra, (names.HAND,)))


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
