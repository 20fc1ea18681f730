"""One stage that reads two cells around it and writes all fields, as HIRLAM's routine DYN does.

lapwing predict lapwing_lab.reproduce.dyn:Dyn --machine das3-ethernet --ranks 16 --strategy 1s,6s
lapwing verify lapwing_lab.reproduce.dyn:Dyn --ranks 4 --strategy blocking,6s --after 2

The report on overlap splits this routine. The weather model has five stages in its place, and its
strategies 3s, 5s and 6s split the first of them, so they say nothing about the report. A step here
is two of the report's. The equations are advection by the wind on all levels, first order in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import lapwing
import numpy as np

NAMES = ("wind_x", "wind_y", "temperature", "humidity")
STEP = 0.05  # of a cell that the wind crosses


@dataclass(frozen=True)
class Dyn:
    """Four fields of 16 levels that the wind carries."""

    nx: int = 120  # cells along x
    ny: int = 120  # cells along y
    levels: int = 16
    halo: int = 2  # cells

    @property
    def grid(self) -> tuple[int, int]:
        """Cells along both axes. Local."""
        return self.nx, self.ny

    def advance(self, box: Any, *arrays: Any) -> None:
        """Advance the fields in a box. Local."""
        carry(box, *arrays)

    def create(self, domain: Any, **options: Any) -> Any:
        """Make the fields and the step. Collective."""
        now, then = (
            [domain.field(f"{name}_{which}", levels=self.levels) for name in NAMES]
            for which in "ab"
        )
        stages = [
            lapwing.Stage(
                self.advance,
                name=name,
                reads=[(one, lapwing.around(self.halo)) for one in read],
                writes=to,
            )
            for name, read, to in (("dyn_a", now, then), ("dyn_b", then, now))
        ]
        step = lapwing.Step(domain, stages, **options)
        for number, one in enumerate(now):
            one.set(lambda i, j, k, n=number: np.sin(0.1 * (n + 1) * i + 0.07 * j + 0.3 * k))
        return step


def carry(box: Any, *arrays: Any) -> None:
    """Advect all fields by second differences of fourth order. Local."""
    read, written = arrays[: len(NAMES)], arrays[len(NAMES) :]
    wider = (read[0].shape[0] - written[0].shape[0]) // 2 - 2  # than the stencil needs
    if wider > 0:
        read = tuple(field[wider:-wider, wider:-wider] for field in read)
    u, v = (field[2:-2, 2:-2] for field in read[:2])
    for old, new in zip(read, written, strict=True):
        along_x = (8 * (old[3:-1, 2:-2] - old[1:-3, 2:-2]) - old[4:, 2:-2] + old[:-4, 2:-2]) / 12
        along_y = (8 * (old[2:-2, 3:-1] - old[2:-2, 1:-3]) - old[2:-2, 4:] + old[2:-2, :-4]) / 12
        new[...] = old[2:-2, 2:-2] - STEP * (u * along_x + v * along_y)
