"""The methods of `lapwing bench exchange`: which can be had here, and making them."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Protocol

from lapwing.domain import Domain
from lapwing.error import UserError
from mpi4py import MPI

from lapwing_bench import _core
from lapwing_bench._core import ExchangeWork
from lapwing_bench.exchange_request import HAND, LIMIT, REFERENCE, SEPARATE, WRAPPED


class Method(Protocol):
    """One way to do the exchange of a work item, in C++ or in Python."""

    def sample(self, rounds: int, /) -> tuple[float, float]:
        """Seconds per round of rewriting and exchanging, and of rewriting alone. Collective."""

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""


class CompiledMethod:
    """A method in C++ on the communicator of a domain."""

    def __init__(self, domain: Domain, method: _core.Method) -> None:
        """Hold both. Local."""
        self.domain, self.method = domain, method

    def sample(self, rounds: int) -> tuple[float, float]:
        """Seconds per round of rewriting and exchanging, and of rewriting alone. Collective."""
        return self.method.sample(self.domain, rounds)

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""
        return self.method.wrong_cells(self.domain)


class MethodMissingError(Exception):
    """This method is not to be had here; the text says why."""


def make_method(name: str, domain: Domain, work: ExchangeWork) -> Method | None:
    """The named method, or None where it is none for this work. Collective over the domain.

    Raises MethodMissingError, on all ranks, where this machine, this MPI or this environment has
    not got it.
    """
    if name == SEPARATE and work.fields == 1:
        return None
    if name in HAND:
        return CompiledMethod(domain, _core.hand_method(domain, work, name == REFERENCE))
    if name == LIMIT:
        return CompiledMethod(domain, _core.copy_limit(work))
    if name in _PYTHON:
        return _python_method(name, domain.mpi, work)
    transport = name.removesuffix(WRAPPED)
    separate = name == SEPARATE
    try:
        method = _core.lapwing_method(
            domain, work, "p2p" if separate else transport, name.endswith(WRAPPED), separate
        )
    except UserError as problem:
        raise MethodMissingError(str(problem)) from problem
    return CompiledMethod(domain, method)


def _numpy(comm: MPI.Comm, work: ExchangeWork) -> Method:
    from lapwing_bench.numpy_exchange import NumpyExchange

    return NumpyExchange(comm, work)


def _ghex(comm: MPI.Comm, work: ExchangeWork) -> Method:
    from lapwing_bench.ghex_exchange import GhexExchange

    return GhexExchange(comm, work)


def _petsc(comm: MPI.Comm, work: ExchangeWork) -> Method:
    from lapwing_bench.petsc_exchange import PetscExchange

    return PetscExchange(comm, work)


_PYTHON: dict[str, Callable[[MPI.Comm, ExchangeWork], Method]] = {
    "mpi4py": _numpy,
    "ghex": _ghex,
    "petsc": _petsc,
}


def _python_method(name: str, comm: MPI.Comm, work: ExchangeWork) -> Method:
    try:
        return _PYTHON[name](comm, work)
    except ImportError as problem:
        raise MethodMissingError(f"not installed ({problem})") from problem


def peer_versions(methods: Container[str]) -> dict[str, str]:
    """Versions of those of the named methods that are packages of others. Local."""
    found = {}
    for name, package in (("ghex", "ghex"), ("petsc", "petsc4py")):
        if name in methods:
            from importlib.metadata import version

            found[name] = version(package)
    return found
