"""The state from which a case is simulated: that of one rank after the first steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from lapwing.core.domain import Domain, Field
from lapwing.core.mpi_runtime import start as start_mpi
from lapwing.core.partition import block_partition
from lapwing.model.case import Case, geometry_of
from lapwing.run.creation import create_run, step_of
from numpy.typing import NDArray


@dataclass(frozen=True)
class Start:
    """The state in which a simulation begins."""

    step: int = 0  # of the case
    stages: tuple[str, ...] = ()  # of the case's time step
    fields: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # whole, by name

    def write(self, folder: Path) -> dict[str, str]:
        """Write a file of float64 per field, x fastest, and return their names. Local."""
        files = {}
        for name, values in self.fields.items():
            files[name] = str(folder / f"{name}.values")
            values.ravel(order="F").tofile(files[name])
        return files


def start_of(case: Case) -> Start:
    """Run a case on this process alone for one cycle of its step. Collective over nobody else.

    From rest, most fields would be the same everywhere: a cycle later, they are not. UserError for
    what the model refuses, as `lapwing run` says it.
    """
    geometry = geometry_of(case)
    domain = Domain(block_partition(geometry.grid, (1, 1, 1)), comm=start_mpi().COMM_SELF)
    try:
        run = create_run(
            case.model, domain, case.settings, geometry, strategy="blocking", transport="auto"
        )
        step = step_of(run, case.name)
        run.advance(step.report.positions)
        given: Mapping[str, Field] = getattr(run, "given", {})
        fields = {
            name: np.array(one[domain.box], dtype=np.float64)
            for name, one in {**run.state, **given}.items()
        }
        return Start(run.step_number, tuple(dict.fromkeys(step.report.stage_names)), fields)
    finally:
        domain.close()
