"""Runs of the weather model for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from lapwing.case import load_case
from lapwing.domain import Domain
from lapwing_weather import WeatherRun, WeatherSettings, model
from numpy.typing import NDArray

Array = NDArray[np.float64]


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


@pytest.fixture
def make_air() -> Iterator[Callable[..., Atmosphere]]:
    """Make atmospheres: make_air(case, *sets), in the initial state of the case."""
    domains: list[Domain] = []

    def make(case: str, *sets: str) -> Atmosphere:
        loaded = load_case(case, {"weather": model}, sets)
        geometry = model.geometry(loaded.settings, loaded.folder)
        domains.append(Domain(geometry.grid))
        run = model.create(
            domains[-1], loaded.settings, geometry, strategy="blocking", transport="auto"
        )
        return Atmosphere(run, loaded.settings, domains[-1])

    yield make
    for domain in domains:
        domain.close()
