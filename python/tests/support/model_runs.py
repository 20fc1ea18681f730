"""Runs of models that their tests share, on one rank and on several; transports that they use."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from lapwing.core.domain import Domain
from lapwing.core.mpi_runtime import announced_rank, built_with
from lapwing.model import Model
from lapwing.model.case import load_case

Kept = TypeVar("Kept")
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]  # see the conftest.py of all tests


def runs_of_a_test(
    model: Model, keep: Callable[[Any, Any, Domain], Kept]
) -> Iterator[Callable[..., Kept]]:
    """Makes runs on one rank, make(case, *sets), and closes their domains after the test.

    It gives the result of `keep` for the run in the initial state of the case, its settings and
    domain.
    """
    domains: list[Domain] = []

    def make(case: str | Path, *sets: str) -> Kept:
        loaded = load_case(str(case), {model.name: model}, sets)
        geometry = model.geometry(loaded.settings, loaded.folder)
        domains.append(Domain(geometry.grid))
        run = model.create(
            domains[-1], loaded.settings, geometry, strategy="blocking", transport="auto"
        )
        return keep(run, loaded.settings, domains[-1])

    yield make
    for domain in domains:
        domain.close()


def lines_on(
    run_on_ranks: RunOnRanks, ranks: int, program: str, *asked: str, **how: Any
) -> tuple[list[str], list[str]]:
    """The lines "digest ..." and "rounds ..." that a program prints, one each per strategy.

    `asked`: the case, then settings ("key=value") and strategies. `how`: as of `run_on_ranks`.
    """
    lines = run_on_ranks(ranks, program, *asked, **{"timeout": 100, **how}).stdout.splitlines()
    digests, rounds = (
        [line for line in lines if line.startswith(word)] for word in ("digest ", "rounds ")
    )
    assert len(digests) == len(rounds) == sum("=" not in one for one in asked[1:])
    return digests, rounds


def digests_on(
    run_on_ranks: RunOnRanks, ranks: int, program: str, *asked: str, **how: Any
) -> set[str]:
    """The digests alone, those that differ."""
    return set(lines_on(run_on_ranks, ranks, program, *asked, **how)[0])


# ---- transports

# of each MPI the transports that it lacks, and why; test_lacked_transports.py asks the library
_LACKED = {"Intel MPI": {"pull": "requests of MPI_Rget end the program in Intel MPI"}}

LACKED_HERE = _LACKED.get(built_with().name, {})


def transports_here(names: Iterable[str]) -> list[str]:
    """Return those of the names that this MPI has, and print the others once. Local.

    `names`: of transports, or of ways to run a step, as strategy@transport.
    """
    here = []
    for name in names:
        why = LACKED_HERE.get(name.rpartition("@")[2])
        if why is None:
            here.append(name)
        elif announced_rank() == 0:
            print(f"skipped: {name}: {why}")
    return here
