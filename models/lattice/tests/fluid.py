"""Runs of the lattice model for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from lapwing.core.domain import Domain
from lapwing_lattice import LatticeRun, LatticeSettings, model
from model_runs import runs_of_a_test
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Prints digests of everything after some steps of a case by each strategy, or strategy@transport,
# and rounds per step; the setting run.blocks cuts the grid.
DIGESTS = """
import hashlib, sys
from lapwing import block_partition
from lapwing.model.case import load_case
from lapwing.run.creation import create_run
from lapwing.core.domain import Domain
from lapwing_lattice import model

name, *rest = sys.argv[1:]
sets = [one for one in rest if "=" in one]
case = load_case(name, {"lattice": model}, sets)
geometry = model.geometry(case.settings, case.folder)
for how in [one for one in rest if "=" not in one]:
    strategy, _, transport = how.partition("@")
    domain = Domain(block_partition(geometry.grid, case.run.blocks))
    run = create_run(
        model, domain, case.settings, geometry, strategy=strategy, transport=transport or "p2p"
    )
    for steps in (7, 5):
        run.advance(steps)
    populations = run.populations()
    flow = [v.field.gather() for v in run.variables.values()]
    if domain.rank == 0:
        if geometry.solid is not None:
            populations = populations[~geometry.solid]
        digest = hashlib.sha256(populations.tobytes())
        for values in flow:
            digest.update(values.tobytes())
        print("digest", digest.hexdigest())
        print("rounds", how, run.step.report.volume.exchanges)
    domain.close()
"""


@dataclasses.dataclass
class Fluid:
    """A run on one rank, with its cells at hand."""

    run: LatticeRun
    settings: LatticeSettings
    domain: Domain

    def get(self, name: str) -> Array:
        """The values of a variable, [nx, ny, nz], a copy."""
        return np.array(self.run.variables[name].field[self.domain.box])

    def velocity(self) -> Array:
        """All three parts, [3, nx, ny, nz]."""
        return np.stack([self.get(f"velocity_{axis}") for axis in "xyz"])

    def settle(self, steps: int, change: float) -> None:
        """Advance by `steps` steps until the velocity changes by less than a share of itself."""
        before = self.velocity()
        for _ in range(400):
            self.run.advance(steps)
            now = self.velocity()
            if np.abs(now - before).max() < change * np.abs(now).max():
                return
            before = now
        raise AssertionError("the flow does not settle")


@pytest.fixture
def make_fluid() -> Iterator[Callable[..., Fluid]]:
    """Make fluids: make_fluid(case, *sets), in the initial state of the case."""
    yield from runs_of_a_test(model, Fluid)
