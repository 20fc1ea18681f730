"""The methods of `lapwing bench exchange`: which can be had here, and making them."""

from __future__ import annotations

from collections.abc import Callable, Container
from importlib import import_module
from typing import Any

import numpy as np
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
from lapwing_bench.measure.python_method import new_array


def make_method(name: str, domain: Domain, work: ExchangeWork) -> Method:
    """The named method. Collective over the domain.

    Raises MethodMissingError, on all ranks, where this machine, this MPI or this environment has
    not got it.
    """
    if name in HAND:
        return _core.hand_method(domain, work, name == REFERENCE)
    if name == LIMIT:
        return _core.copy_limit(domain, work)
    if name in PROGRAMS:
        if domain.ranks_on_node < domain.ranks:
            raise MethodMissingError("on several nodes, where it is not connected to all ranks")
        program = _found_program(name, domain.mpi)
        return PeerMethod(domain.mpi, work, program, REFERENCE if name == HAND_PETSC else name)
    if name in _PYTHON:
        return _python_method(name, domain.mpi, work)
    try:
        return _lapwing_method(name, domain, work)
    except UserError as problem:
        raise MethodMissingError(str(problem)) from problem


def _lapwing_method(name: str, domain: Domain, work: ExchangeWork) -> Method:
    """On memory that lapwing allocated, or on the caller's. Collective."""
    numbers = range(work.fields)
    look: dict[str, Any] = {"halo": work.width, "levels": work.levels}
    look["order"] = "z" if work.levels_fastest else "x"
    if name.endswith(WRAPPED):
        arrays = [new_array(work) for _ in numbers]
        fields = [domain.wrap(f"f{n}", arrays[n], **look) for n in numbers]
    else:
        fields = [domain.field(f"f{n}", **look) for n in numbers]
        arrays = [np.atleast_3d(field.array()) for field in fields]
    if name == SEPARATE:
        exchanges = [domain.exchange(field, transport="p2p") for field in fields]
    else:
        exchanges = [domain.exchange(*fields, transport=name.removesuffix(WRAPPED))]
    return _core.lapwing_method(domain, _core.WorkArrays(work, arrays), exchanges)


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
    here = comm.rank == 0
    found = missing_together(comm, lambda: PeerProgram.find(PROGRAMS[name]) if here else None)
    program: PeerProgram = comm.bcast(found)
    return program


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
