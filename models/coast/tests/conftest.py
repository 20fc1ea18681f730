"""Runs of the coast model for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.core.domain import Domain
from lapwing.model import Geometry
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
    geometry: Geometry

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
        return Sea(run, settings, domains[-1], geometry)

    yield make
    for domain in domains:
        domain.close()


WAYS = ((2, "dataflow", "p2p"), (3, "deep:2", "auto"), (4, "edge-first", "shared"))


@pytest.fixture
def same_bits(lapwing: Callable[..., Any], tmp_path: Path) -> Callable[..., None]:
    """same_bits(case, *sets): the files of two hours are equal on 1 to 4 ranks."""

    def check(case: str, *sets: str) -> None:
        what = (*sets, "duration=2h", "output.every=1h", "output.precision=double")

        def run(ranks: int, strategy: str, transport: str) -> Path:
            folder = tmp_path / f"{ranks}{strategy}"
            how = (f"--ranks={ranks}", f"--strategy={strategy}", f"--transport={transport}")
            answer = lapwing(
                "run", case, f"--out={folder}", *(f"--set={one}" for one in what), *how
            )
            assert answer.code == 0, answer.out + answer.err
            return folder / "output.nc"

        one = run(1, "blocking", "auto")
        for way in WAYS:
            answer = lapwing("compare", one, run(*way))
            assert answer.code == 0, f"{way}: {answer.out}"

    return check


@pytest.fixture
def continued(make_sea: Callable[..., Sea]) -> Callable[..., Sea]:
    """continued(case, *sets): nine steps, whose bits are those of four, a restart and five."""

    def check(*case: str) -> Sea:
        whole, begun, resumed = (make_sea(*case) for _ in range(3))
        whole.run.advance(9)
        begun.run.advance(4)
        for name, field in begun.run.state.items():
            resumed.run.state[name][resumed.domain.box] = field[begun.domain.box]
        resumed.run.resume(4)
        resumed.run.advance(5)
        for name, field in whole.run.state.items():
            one, other = field[whole.domain.box], resumed.run.state[name][resumed.domain.box]
            assert np.array_equal(one, other), name
        return whole

    return check


@pytest.fixture
def make_basin() -> Iterator[MakeBasin]:
    """Make basins with tracers: make_basin(levels_fastest, scheme, depth, **settings)."""
    yield from basins_of_a_test()
