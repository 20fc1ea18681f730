"""The transports that the MPI of this build has; for tests, and for programs that they start."""

from __future__ import annotations

from collections.abc import Iterable

from lapwing.core.mpi_runtime import announced_rank, built_with

# of each MPI the transports that it lacks, and why; test_transports_here.py asks the library
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
