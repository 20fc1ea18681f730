"""Whole models: methods that step the same state, alternate, and are compared.

A method begins with arrays of the box of its rank, runs steps, and writes its state into arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from lapwing.base.progress import ProgressBar, Style
from mpi4py import MPI
from numpy.typing import NDArray

from lapwing_lab.bench.measure.method import slowest
from lapwing_lab.bench.measure.report import Result

TRIAL = 100  # steps before it is asked again whether a method has found its way
MOST_TRIALS = 200
WARM_UP = 2  # samples that are not kept: they compile, and fill caches

Arrays = Sequence[NDArray[Any]]


class Stepping(Protocol):
    """One way to step a model."""

    @property
    def settled(self) -> bool:
        """True if it steps as it always will. Local."""

    @property
    def choice(self) -> str:
        """Describe how it steps, if trials found that. Local."""

    # any arrays: each model has its own
    def begin(self, *args: Any, **kwargs: Any) -> None:
        """Begin with arrays of the box of this rank. Collective."""

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""

    def read(self, *args: Any, **kwargs: Any) -> None:
        """Write the state into arrays. Collective."""


Methods = Mapping[str, Stepping]


@dataclass
class Measured:
    """All results of a run, what could not be had with the reason, and what trials found."""

    results: list[Result] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note_choices(self, work: str, methods: Methods) -> None:
        """Note what the trials of methods found. Local."""
        for name, method in methods.items():
            if method.choice:
                self.notes.append(f"{work}, {name}: {method.choice}")


def settle(method: Stepping, first: Arrays) -> None:
    """Let a method find its way, and begin. Collective."""
    method.begin(*first)
    for _ in range(MOST_TRIALS):
        if method.settled:
            break
        method.run(TRIAL)
        method.begin(*first)  # no trial ends in another state, however long it is
    method.begin(*first)


def alternated(
    methods: Methods, steps: int, samples: int, comm: MPI.Comm, progress: Style, work: str
) -> dict[str, list[float]]:
    """Seconds per step of each method, `steps` at a time, A B A B .... Collective.

    WARM_UP times before are not kept. `progress`, `work`: of the progress bar.
    """
    taken: dict[str, list[float]] = {name: [] for name in methods}
    with ProgressBar(progress, samples) as bar:
        for turn in range(-WARM_UP, samples):
            for name, one in methods.items():
                seconds = slowest(comm, partial(one.run, steps)) / steps
                if turn >= 0:
                    taken[name].append(seconds)
            if turn >= 0:
                bar.advance(work)
        bar.finish(work)
    return taken


def apart(methods: Methods, like: Arrays, comm: MPI.Comm) -> dict[str, tuple[float, ...]]:
    """The largest distance of each array of a method from the first one's; NaN counts. Collective.

    `like`: arrays of the shapes that the methods write.
    """
    first: list[NDArray[Any]] = []
    far = {}
    for name, method in methods.items():
        found = [np.empty_like(one) for one in like]
        method.read(*found)
        first = first or found
        mine = [float(np.abs(one - other).max()) for one, other in zip(found, first, strict=True)]
        far[name] = tuple(
            max(comm.allgather(one), key=lambda one: (np.isnan(one), one)) for one in mine
        )
    return far
