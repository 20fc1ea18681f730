"""The methods of `lapwing bench exchange`: which can be had here, and making them."""

from __future__ import annotations

from collections.abc import Container
from importlib.metadata import version
from typing import Any

import numpy as np
from lapwing.base.error import UserError
from lapwing.core.domain import Domain, Exchange
from mpi4py import MPI

from lapwing_lab import _core
from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.exchange import request as names
from lapwing_lab.bench.exchange.peer_program import PeerMethod, PeerProgram
from lapwing_lab.bench.exchange.python_exchange import GhexPython, NumpyExchange, new_array
from lapwing_lab.bench.measure.method import (
    Method,
    MethodMissingError,
    missing_together,
    refused_is_missing,
)


def make_method(name: str, domain: Domain, work: ExchangeWork) -> Method:
    """The named method. Collective over the domain.

    Raises MethodMissingError, on all ranks, where this machine, this MPI or this environment has
    not got it.
    """
    if name in (*names.SHARED_HAND, *names.MEANS) and domain.node.ranks < domain.ranks:
        raise MethodMissingError("on several nodes, whose ranks share no memory")
    if name in names.HAND:
        return _core.hand_method(domain, work, name)
    if name in names.MEANS:
        return _core.copy_limit(domain, work, name)
    if name in names.PROGRAMS:
        if domain.node.ranks < domain.ranks:
            raise MethodMissingError("on several nodes, where it is not connected to all ranks")
        program = _found_program(name, domain.mpi)
        method = names.REFERENCE if name == names.HAND_PETSC else name
        return PeerMethod(domain.mpi, work, program, method)
    if name in (names.NUMPY, names.GHEX_PYTHON):
        made = (NumpyExchange if name == names.NUMPY else GhexPython)(domain.mpi, work)
        return _core.python_method(domain, _core.WorkArrays(work, made.arrays), made.exchange)
    with refused_is_missing((UserError,)):
        return lapwing_method(name, domain, work)[0]


def lapwing_method(name: str, domain: Domain, work: ExchangeWork) -> tuple[Method, list[Exchange]]:
    """On memory that lapwing allocated, or on the caller's; and the exchanges of it. Collective.

    Raises UserError where the transport is not to be had.
    """
    numbers = range(work.fields)
    look: dict[str, Any] = {"halo": work.width, "levels": work.levels}
    look["order"] = "z" if work.levels_fastest else "x"
    if name.endswith(names.WRAPPED):
        arrays = [new_array(work) for _ in numbers]
        fields = [domain.wrap(f"f{n}", arrays[n], **look) for n in numbers]
    else:
        fields = [domain.field(f"f{n}", **look) for n in numbers]
        arrays = [np.atleast_3d(field.array()) for field in fields]
    if name == names.SEPARATE:
        exchanges = [Exchange([field], transport="p2p") for field in fields]
    else:
        exchanges = [Exchange(fields, transport=name.removesuffix(names.WRAPPED))]
    return _core.lapwing_method(domain, _core.WorkArrays(work, arrays), exchanges), exchanges


def _found_program(name: str, comm: MPI.Comm) -> PeerProgram:
    """The program of a method; rank 0 looks. Collective; raises MethodMissingError on all ranks."""
    here = comm.rank == 0
    found = missing_together(comm, lambda: PeerProgram.find(names.PROGRAMS[name]) if here else None)
    program: PeerProgram = comm.bcast(found)
    return program


def peer_versions(methods: Container[str]) -> dict[str, str]:
    """Versions, and MPIs where they have their own, of what the named methods are of. Local."""
    there = {name: program for name, program in names.PROGRAMS.items() if name in methods}
    found = {name: str(PeerProgram.find(program)) for name, program in there.items()}
    return found | ({names.GHEX_PYTHON: version("ghex")} if names.GHEX_PYTHON in methods else {})
