"""The methods of `lapwing bench exchange`: which can be had here, and making them."""

from __future__ import annotations

from collections.abc import Callable, Container
from importlib import import_module

from lapwing.base.error import UserError
from lapwing.core.domain import Domain
from mpi4py import MPI

from lapwing_bench import _core
from lapwing_bench._core import ExchangeWork
from lapwing_bench.exchange.peer_program import PeerMethod, PeerProgram
from lapwing_bench.exchange.request import (
    GHEX_PYTHON,
    HAND,
    HAND_PETSC,
    LIMIT,
    NUMPY,
    PROGRAMS,
    REFERENCE,
    SEPARATE,
    WRAPPED,
)
from lapwing_bench.measure.method import Method, MethodMissingError, missing_together


class CompiledMethod(Method):
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
    if name in PROGRAMS:
        if domain.ranks_on_node < domain.ranks:
            raise MethodMissingError("on several nodes, where it is not connected to all ranks")
        program = _found_program(name, domain.mpi)
        return PeerMethod(domain.mpi, work, program, REFERENCE if name == HAND_PETSC else name)
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


# module and class, whose import fails where a package is not there
_PYTHON = {NUMPY: ("numpy_exchange", "NumpyExchange"), GHEX_PYTHON: ("ghex_python", "GhexPython")}


def _python_method(name: str, comm: MPI.Comm, work: ExchangeWork) -> Method:
    module, kind = _PYTHON[name]

    def imported() -> Callable[[MPI.Comm, ExchangeWork], Method]:
        try:
            found = import_module(f"lapwing_bench.exchange.{module}")
        except ImportError as problem:
            raise MethodMissingError(f"not installed ({problem})") from problem
        made: Callable[[MPI.Comm, ExchangeWork], Method] = getattr(found, kind)
        return made

    return missing_together(comm, imported)(comm, work)


def _found_program(name: str, comm: MPI.Comm) -> PeerProgram:
    """The program of a method; rank 0 looks. Collective; raises MethodMissingError on all ranks."""
    found: PeerProgram | MethodMissingError | None = None
    if comm.rank == 0:
        try:
            found = PeerProgram.find(PROGRAMS[name])
        except MethodMissingError as reason:
            found = reason
    found = comm.bcast(found)
    if isinstance(found, MethodMissingError):
        raise found
    assert found is not None
    return found


def peer_versions(methods: Container[str]) -> dict[str, str]:
    """Versions, and MPIs where they have their own, of what the named methods are of. Local."""
    found = {}
    if GHEX_PYTHON in methods:
        from importlib.metadata import version

        found[GHEX_PYTHON] = version("ghex")
    for name, program in PROGRAMS.items():
        if name in methods:
            found[name] = str(PeerProgram.find(program))
    return found
