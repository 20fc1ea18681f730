"""Runs of the coast model for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from lapwing.core.domain import Domain
from lapwing.model.case import geometry_of, load_case
from lapwing_coast import CoastRun, CoastSettings, model
from lapwing_coast.layers.layered_run import LayeredRun
from numpy.typing import NDArray
from tracer_basin import MakeBasin, basins_of_a_test

Array = NDArray[np.float64]


@dataclasses.dataclass
class Sea:
    """A run on one rank, with its owned cells at hand."""

    run: CoastRun | LayeredRun
    settings: CoastSettings
    domain: Domain

    @property
    def level(self) -> Array:
        """Sea level [nx, ny], m."""
        return self.run.state["sea_level"][self.domain.box]

    @property
    def x(self) -> Array:
        """Transport through the x faces [nx, ny], m2/s."""
        return self.run.state["transport_x"][self.domain.box]

    @property
    def y(self) -> Array:
        """Transport through the y faces [nx, ny], m2/s."""
        return self.run.state["transport_y"][self.domain.box]

    def put(self, level: Array, x: Array, y: Array) -> None:
        """Set the state; what lies on closed faces is left out."""
        for name, values in (("sea_level", level), ("transport_x", x), ("transport_y", y)):
            self.run.state[name][self.domain.box] = values


@pytest.fixture
def make_sea() -> Iterator[Callable[..., Sea]]:
    """Make seas: make_sea(case, *sets, change=function of the settings, wet=...), all at rest.

    `inputs`: whether what the case says besides of files is read.
    """
    domains: list[Domain] = []

    def make(
        case: str,
        *sets: str,
        change: Callable[[CoastSettings], CoastSettings] = lambda s: s,
        wet: NDArray[np.bool_] | None = None,
        inputs: bool = True,
    ) -> Sea:
        loaded = load_case(case, {"coast": model}, sets)
        settings: CoastSettings = change(loaded.settings)
        loaded = dataclasses.replace(loaded, settings=settings)
        read = geometry_of(loaded)
        geometry = read if inputs else model.geometry(settings, loaded.folder)
        if wet is not None:
            geometry = dataclasses.replace(geometry, wet=wet)
        domains.append(Domain(geometry.grid))
        run = model.create(domains[-1], settings, geometry, strategy="blocking", transport="auto")
        return Sea(run, settings, domains[-1])

    yield make
    for domain in domains:
        domain.close()


@pytest.fixture
def make_basin() -> Iterator[MakeBasin]:
    """Make basins with tracers: make_basin(levels_fastest, scheme, depth, **settings)."""
    yield from basins_of_a_test()
