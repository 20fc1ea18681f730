"""Runs of the weather model for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from lapwing.core.domain import Domain
from lapwing_weather import WeatherRun, WeatherSettings, model
from lapwing_weather.levels import make_levels
from lapwing_weather.vertical_structure import vertical_structure
from model_runs import runs_of_a_test
from numpy.typing import NDArray

Array = NDArray[np.float64]


# Prints digests of everything after some steps of a case by each strategy, and rounds per step.
DIGESTS = """
import hashlib, sys
from lapwing.model.case import load_case
from lapwing.run.creation import create_run
from lapwing.core.domain import Domain
from lapwing.model import bring_up_to_date
from lapwing_weather import model


name, *rest = sys.argv[1:]
sets = [one for one in rest if "=" in one]
strategies = [one for one in rest if "=" not in one]
case = load_case(name, {"weather": model}, sets)
geometry = model.geometry(case.settings, case.folder)
for strategy in strategies:
    domain = Domain(geometry.grid)
    run = create_run(
        model, domain, case.settings, geometry, strategy=strategy, transport="p2p"
    )
    for steps in (7, 6):
        run.advance(steps)
    bring_up_to_date(run)
    fields = {**run.state, **{n: v.field for n, v in run.variables.items()}}
    whole = {n: field.gather() for n, field in fields.items()}
    if domain.rank == 0:
        bits = b"".join(whole[n].tobytes() for n in sorted(whole))
        print("digest", hashlib.sha256(bits).hexdigest())
        print("rounds", strategy, run.step.report.volume.exchanges)
    domain.close()
"""


@dataclasses.dataclass
class Atmosphere:
    """A run on one rank, with its owned cells at hand."""

    run: WeatherRun
    settings: WeatherSettings
    domain: Domain

    def get(self, name: str) -> Array:
        """The newest values of a field, [nx, ny(, levels)], a copy."""
        return np.array(self.run.newest()[name][self.domain.box])

    def put(self, name: str, values: Array) -> None:
        """Set a field in all three states."""
        for number in range(3):
            field = self.run.state[f"{name}_{number}"]
            field[self.domain.box] = values
            field.modified()

    def put_external_mode(self, amplitude: float) -> tuple[float, float, Array]:
        """Set two waves along x of the external mode at rest, which has no wind.

        Returns its speed (m/s), its frequency on the C-grid (1/s) and ln(ps / 1e5 Pa) along x,
        which has this amplitude.
        """
        levels, grid = make_levels(self.settings.levels), self.settings.grid
        reference = np.full(levels.count, self.settings.initial.temperature)
        speed, temperature = vertical_structure(levels, reference, 1e5).external_mode()
        k = 4 * np.pi / (grid.cells_x * grid.spacing_x)
        wave = amplitude * np.cos(k * (np.arange(grid.cells_x) + 0.5) * grid.spacing_x)
        column = reference + wave[:, None] * temperature
        self.put("pressure", np.repeat(1e5 * np.exp(wave)[:, None], grid.cells_y, axis=1))
        self.put("temperature", np.repeat(column[:, None, :], grid.cells_y, axis=1))
        return speed, 2 * speed / grid.spacing_x * np.sin(0.5 * k * grid.spacing_x), wave


@pytest.fixture
def make_air() -> Iterator[Callable[..., Atmosphere]]:
    """Make atmospheres: make_air(case, *sets), in the initial state of the case."""
    yield from runs_of_a_test(model, Atmosphere)


def growth_per_day(air: Atmosphere, first: int, last: int) -> float:
    """Growth rate of the first wave in x of the wind along y between two days, 1/day."""
    amplitudes = []
    per_day = round(86400 / air.run.dt)
    for days in (first, last - first):
        air.run.advance(days * per_day)
        wave = np.fft.rfft(air.get("wind_y"), axis=0)[1]
        amplitudes.append(np.sqrt((np.abs(wave) ** 2).mean()))
    air.run.check_state()
    return float(np.log(amplitudes[1] / amplitudes[0]) / (last - first))
