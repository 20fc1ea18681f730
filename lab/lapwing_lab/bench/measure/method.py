"""The common part of methods: they are timed, checked, and perhaps missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Protocol, TypeVar

from lapwing.base.agreement import together
from lapwing.base.error import OutsideError, UserError
from mpi4py import MPI

Result = TypeVar("Result")
Timed = TypeVar("Timed")  # what is measured: a method, or a run
Sample = TypeVar("Sample")


def slowest(comm: MPI.Comm, work: Callable[[], object]) -> float:
    """Seconds that `work` takes on the slowest rank. Collective."""
    comm.Barrier()
    begin = perf_counter()
    work()
    return float(comm.allreduce(perf_counter() - begin, MPI.MAX))


def alternate(
    methods: Mapping[str, Timed],
    take: Callable[[Timed], Sample],
    samples: int,
    advance: Callable[[], None],
    warm_up: int = 0,
) -> dict[str, list[Sample]]:
    """Take a sample of each method in turn, A B A B ..., so that a drift hits all. Collective.

    `warm_up`: turns before, which are not kept. `advance` is called after every turn that is.
    """
    taken: dict[str, list[Sample]] = {name: [] for name in methods}
    for turn in range(-warm_up, samples):
        for name, method in methods.items():
            sample = take(method)
            if turn >= 0:
                taken[name].append(sample)
        if turn >= 0:
            advance()
    return taken


class Checked(Protocol):
    """A method that moves values to places that can be checked."""

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""


class Method(Checked, Protocol):
    """One way to do the exchange of a work item, in C++, in Python or in a program of its own."""

    def sample(self, rounds: int) -> tuple[float, float]:
        """Seconds per round of rewriting and exchanging, and of rewriting alone. Collective."""

    def wrong_after_sample(self) -> int:
        """Cells that are wrong after the exchanges that `sample` timed last. Collective."""

    def close(self) -> None:
        """End what garbage collection does not end. Collective."""
        return


def require_right(bench: str, methods: Mapping[str, Checked], work: str) -> None:
    """Raise unless every method moves every value to its place: else times say nothing.

    Collective.
    """
    for name, method in methods.items():
        if wrong := method.wrong_cells():
            raise RuntimeError(f"bench {bench}: {name} leaves {wrong} wrong cells in {work}")


class MethodMissingError(Exception):
    """This method is not to be had here; the text says why."""


@contextmanager
def refused_is_missing(
    kinds: tuple[type[Exception], ...] = (UserError, OutsideError),
) -> Iterator[None]:
    """Raises MethodMissingError where lapwing refuses a method, or cannot have it here."""
    try:
        yield
    except kinds as problem:
        raise MethodMissingError(str(problem)) from problem


def available(
    names: Iterable[str], make: Callable[[str], Result], missing: dict[str, str]
) -> dict[str, Result]:
    """Make the method of each name; `missing` gets the reasons of the others. As `make`."""
    made = {}
    for name in names:
        try:
            made[name] = make(name)
        except MethodMissingError as reason:
            missing[name] = str(reason)
    return made


def missing_together(comm: MPI.Comm, work: Callable[[], Result]) -> Result:
    """Run `work` on every rank; where a method is missing on one, it is on all.

    Collective; `work` must be local. MethodMissingError on all ranks with the reason of the lowest
    rank that has one; other problems as `lapwing.base.agreement.together` has them. Two allgathers.
    """

    def tried() -> Result | MethodMissingError:
        try:
            return work()
        except MethodMissingError as reason:
            return reason

    found = together(comm, tried)
    mine = str(found) if isinstance(found, MethodMissingError) else None
    for reason in comm.allgather(mine):
        if reason is not None:
            raise MethodMissingError(reason)
    assert not isinstance(found, MethodMissingError)
    return found
