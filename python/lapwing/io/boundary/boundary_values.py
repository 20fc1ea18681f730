"""Boundary values that change in time: two records of a file at hand, and the next on its way."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.together import together_on
from lapwing.io.boundary.boundary_file import BoundaryFile

_ROUNDING = 1e-9  # share of a step: times are multiples of it up to rounding


class RecordSource(Protocol):
    """The source that reads records instead of rank 0. Collective over the ranks of the model."""

    def fetch(self, record: int) -> None:
        """Begin to read a record."""

    def deliver(self, record: int, slot: int) -> None:
        """Put the record that was fetched last into the fields of a slot; halos are then stale."""


class BoundaryValues:
    """The records of a file that lie around the time of a run, in two sets of fields in turn.

    Record n is put into `slots[n % 2]`, after which `taken(n)` tells the model. Collective over
    the domain, all calls but `steps_left`.
    """

    def __init__(
        self,
        domain: Domain,
        file: BoundaryFile,
        slots: Sequence[Mapping[str, Field]],
        taken: Callable[[int], None],
    ) -> None:
        """Rank 0 reads unless there is another `source`; nothing is read yet. Local."""
        self.file, self.slots = file, slots
        self._domain, self._taken = domain, taken
        self._latest = -1  # record; nothing is at hand before the first one
        self._under_way: int | None = None  # record that has been requested
        self.source: RecordSource | None = None

    def forget(self) -> None:
        """Begin again at another time. Local."""
        self._latest = -1

    def reach(self, step: int, dt: float) -> None:
        """Have the records at hand that the step after `step` of length `dt` (s) needs."""
        times = self.file.times
        needed = bisect.bisect_right(times, step * dt * (1 + _ROUNDING) + _ROUNDING * dt)
        # the one after that moment; both slots hold a record from the beginning, even where the
        # first time lies a rounding after the start
        needed = min(max(needed, 1), len(times) - 1)
        first = max(needed - 1, 0) if self._latest < 0 else self._latest + 1
        for record in range(first, needed + 1):
            self._take(record)

    def steps_left(self, step: int, dt: float) -> float:
        """Steps of length `dt` (s) from `step` on that the records at hand allow. Local."""
        if self._latest + 1 >= len(self.file.times):
            return math.inf
        end = self.file.times[self._latest]
        return max(1, math.ceil(end / dt - _ROUNDING * max(1.0, end / dt)) - step)

    def _take(self, record: int) -> None:
        if self._under_way not in (None, record):  # a record of a time that was left
            self._deliver()
        if self._under_way is None:
            self._fetch(record)
        self._deliver()
        self._latest = record
        self._taken(record)
        if record + 1 < len(self.file.times):
            self._fetch(record + 1)

    def _fetch(self, record: int) -> None:
        self._under_way = record
        if self.source is not None:
            self.source.fetch(record)

    def _deliver(self) -> None:
        record, self._under_way = self._under_way, None
        assert record is not None
        if self.source is not None:
            self.source.deliver(record, record % 2)
        else:
            self._read(record)

    def _read(self, record: int) -> None:
        """Read a record on rank 0, for which other ranks wait. Cost: a scatter of every field."""

        def read() -> dict[str, NDArray[np.float64]]:
            return self.file.read(record) if self._domain.rank == 0 else {}

        values = together_on(self._domain, read)
        for name, field in self.slots[record % 2].items():
            field.scatter(values.get(name))


def boundary_values_of(run: object) -> BoundaryValues | None:
    """The records that a run takes in on its way; None where it has none. Local."""
    values: BoundaryValues | None = getattr(run, "boundary_values", None)
    return values
