"""Whole models: methods that step the same state, alternate, and are compared.

A method begins with arrays of the box of its rank, runs steps, and writes its state into arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from statistics import median
from typing import Any, Protocol, TypeVar

import numpy as np
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, block_partition
from mpi4py import MPI
from numpy.typing import NDArray
from rich.table import Table

from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.models.request import LIMIT, ModelRequest

TRIAL = 100  # steps before it is asked again whether a method has found its way
MOST_TRIALS = 200
WARM_UP = 2  # samples that are not kept: they compile, and fill caches

Arrays = Sequence[NDArray[Any]]
Asked = TypeVar("Asked", bound=ModelRequest)


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
        """Run that many steps. Collective."""

    def read(self, *args: Any, **kwargs: Any) -> None:
        """Write the state into arrays. Collective."""


Methods = Mapping[str, Stepping]
Measure = Callable[[Session[Asked], Shape, Domain], list[Result]]


def measure_works(
    request: Asked,
    measure: Measure[Asked],
    table: Callable[[Asked, list[Result]], Table],
    width: int = 120,
    peers: Callable[[set[str]], Mapping[str, str]] = lambda methods: {},
) -> int:
    """Measure every work on ranks that cut it, print the table, and write the file. Collective.

    `peers`: versions of what is not lapwing's, by the methods that were measured.
    """
    blocks = [request.ranks if axis == request.AXIS else 1 for axis in range(3)]
    with Session(request, len(request.works), request.samples) as session:
        for work in request.works:
            grid = Grid(tuple(work), periodic=request.PERIODIC)
            partition = block_partition(grid, blocks=blocks)
            session.work(request.full_name(work), partition, partial(measure, session, work))
    results = session.results
    session.peers |= peers({result.method for result in results})
    return session.tell(table(request, results), width=width)


def settle(method: Stepping, first: Arrays) -> None:
    """Let a method find its way, and begin. Collective."""
    method.begin(*first)
    for _ in range(MOST_TRIALS):
        if method.settled:
            break
        method.run(TRIAL)
        method.begin(*first)  # no trial ends in another state, however long it is
    method.begin(*first)


def alternated(session: Session[Asked], work: Shape, methods: Methods) -> dict[str, list[float]]:
    """Seconds per step of each method, the steps of a sample at a time. Collective."""
    steps, name = session.request.call_steps(work), session.request.full_name(work)
    return session.alternate_runs(name, methods, lambda one, n: one.run(n), steps, WARM_UP)


def end(session: Session[Asked], name: str, methods: Methods) -> None:
    """Note what the trials of the methods of a work found, and end the methods. Collective."""
    for method, one in methods.items():
        if one.choice:
            session.notes.append(f"{name}, {method}: {one.choice}")
        getattr(one, "close", lambda: None)()


def compared(
    work: str,
    taken: Mapping[str, list[float]],
    extra: Callable[[str, float], dict[str, float]],
    others: Sequence[str],
) -> list[Result]:
    """The results of all methods: `extra` of name and median, and ratios to the others. Local."""
    found = []
    for name, mine in taken.items():
        more = extra(name, median(mine))
        for other in others:
            if other in taken:
                more |= ratio(f"over_{other}", taken[other], mine)
        found.append(Result(work, name, mine, more))
    return found


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


def require_near(
    bench: str, methods: Methods, like: NDArray[Any], comm: MPI.Comm, most: float = inf
) -> dict[str, float]:
    """How far the array of each method is from the first one's, except for LIMIT. Collective.

    RuntimeError for one that is farther than `most`, or NaN.
    """
    with_state = {name: one for name, one in methods.items() if name != LIMIT}
    found = {name: far for name, (far,) in apart(with_state, [like], comm).items()}
    for name, far in found.items():
        if not far <= most:  # NaN too
            raise RuntimeError(f"bench {bench}: {name} is {far:.1e} apart; expected {most:.1e}")
    return found
