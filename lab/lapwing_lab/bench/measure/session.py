"""The driver of the benchmarks: works one after the other, methods that alternate, one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Generic, Self, TypeVar

from lapwing.base.progress import ProgressBar
from lapwing.core.domain import Domain
from lapwing.core.partition import Partition
from mpi4py import MPI
from rich.console import RenderableType

from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.method import Sample, Timed, alternate, available, slowest
from lapwing_lab.bench.measure.report import Result, missing_lines, tell
from lapwing_lab.bench.measure.request import Request

Asked = TypeVar("Asked", bound=Request)


class Session(Generic[Asked]):
    """A benchmark while it measures: its results, what could not be had, and what else to say."""

    def __init__(self, request: Asked, works: int, samples: int) -> None:
        """Begin without results. Local. `works`, `samples`: of each work, for the progress."""
        self.request, self.samples = request, samples
        self.bar = ProgressBar(request.progress, works * samples)
        self.results: list[Result] = []
        self.missing: dict[str, str] = {}  # the reasons, by method
        self.notes: list[str] = []
        self.peers: dict[str, str] = {}  # versions of packages that are measured next to lapwing

    def __enter__(self) -> Self:
        """Show the progress."""
        self.bar.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        """Leave the terminal as it was."""
        self.bar.__exit__(*problem)

    def work(
        self,
        name: str,
        partition: Partition | tuple[int, ...],
        measure: Callable[[Domain], list[Result]],
    ) -> None:
        """Measure a work on a domain that is closed afterwards, and keep the results. Collective.

        `measure`: `alternate` advances the progress. `partition`: as the Domain takes it.
        """
        self.results += on_domain(partition, measure)
        self.bar.finish(name)

    def available(self, names: Iterable[str], make: Callable[[str], Timed]) -> dict[str, Timed]:
        """Make the method of each name; reasons of those that are missing are kept. As `make`."""
        return available(names, make, self.missing)

    def alternate(
        self,
        name: str,
        methods: Mapping[str, Timed],
        take: Callable[[Timed], Sample],
        warm_up: int = 0,
    ) -> dict[str, list[Sample]]:
        """Take samples of the methods of a work in turn, A B A B ...; see `method`. Collective."""
        advance = partial(self.bar.advance, name)
        return alternate(methods, take, self.samples, advance, warm_up)

    def alternate_runs(
        self,
        name: str,
        methods: Mapping[str, Timed],
        run: Callable[[Timed, int], object],
        rounds: int,
        warm_up: int = 0,
    ) -> dict[str, list[float]]:
        """Seconds per round on the slowest rank, of `run` with that many rounds. Collective."""

        def take(method: Timed) -> float:
            return slowest(MPI.COMM_WORLD, partial(run, method, rounds)) / rounds

        return self.alternate(name, methods, take, warm_up)

    def tell(self, *shown: RenderableType, width: int = 100) -> int:
        """Print tables and lines on rank 0, write the file, and return the exit code 0. Local."""
        lines = [*self.notes, *missing_lines(self.missing)]
        return tell(self.request, self.results, *shown, *lines, width=width, peers=self.peers)
