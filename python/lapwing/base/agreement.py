"""Agreement: a problem of one rank becomes one of all, or ends the job; nobody waits forever."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, TypeVar

from lapwing.base.error import LAST_WORDS, OutsideError, StateError, UserError, error_block

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

Result = TypeVar("Result")

DONE, NO, WRONG_REQUEST, OUTSIDE = 0, 1, 2, 3  # exit codes of every command

PATIENCE = 5.0  # how long a rank with an error waits for the others to have one, s

_EXPECTED: dict[str, type[Exception]] = {
    kind.__name__: kind for kind in (UserError, StateError, OutsideError)
}


def together(comm: Comm, work: Callable[[], Result]) -> Result:
    """Run `work` on every rank; when it raises on one, all raise.

    Collective; `work` must be local. The rank with the problem raises what it met, the others the
    problem of the lowest such rank. One allgather.
    """
    result: Result | None = None
    mine: Exception | None = None
    try:
        result = work()
    except Exception as problem:
        mine = problem
    met = comm.allgather(None if mine is None else (type(mine).__name__, str(mine)))
    if mine is not None:
        raise mine
    for rank, problem_there in enumerate(met):
        if problem_there is not None:
            kind, text = problem_there
            raise_again(kind, text, f"rank {rank}")
    return result  # type: ignore[return-value]


def at_root(comm: Comm, work: Callable[[], Result]) -> Result | None:
    """Run `work` on rank 0; when it raises, all ranks do. None elsewhere. Collective."""
    return together(comm, work if comm.rank == 0 else lambda: None)


def raise_again(kind: str, text: str, who: str = "") -> NoReturn:
    """Raise what another rank has met: type and text, with that rank before unexpected ones."""
    if kind in _EXPECTED:
        raise _EXPECTED[kind](text)
    raise OutsideError(f"{who}: {text}" if who else f"{kind}: {text}")


def exit_code(problem: BaseException) -> int:
    """The exit code that a problem leads to: 2 when the request was wrong, else 3. Local."""
    return WRONG_REQUEST if isinstance(problem, UserError) else OUTSIDE


def is_expected(problem: BaseException) -> bool:
    """Whether a problem speaks for itself; others are printed with a traceback. Local."""
    return isinstance(problem, UserError | StateError | OutsideError | OSError)


def describe(problem: BaseException, debug: bool, place: str = "") -> str:
    """The problem as a block of lines; with a traceback for bugs and where `debug` asks. Local."""
    text = f"{type(problem).__name__}: {problem}" if not is_expected(problem) else str(problem)
    block = error_block(text) + (f"\n  during:   {place}" if place else "")
    if debug or not is_expected(problem):
        block += "\n" + "".join(traceback.format_exception(problem)).rstrip()
    return block


def end_together(comm: Comm, problem: BaseException, where: str, debug: bool) -> int:
    """End the job after a problem on this rank, and return the exit code where that is possible.

    When all ranks come here within `PATIENCE` seconds, rank 0 prints what they met, and all return
    the same code. Else this rank prints rank, stage and step (`where`) and ends the whole job with
    MPI_Abort: the other ranks wait in an exchange for a message that will not come.
    """
    told = isinstance(problem, UserError | StateError)  # these say themselves where they belong
    text = describe(problem, debug, "" if told else where)
    if comm.size == 1:
        print(text, file=sys.stderr, flush=True)
        return exit_code(problem)
    if not all_came(comm):
        end_alone(comm, problem, where, debug)
    met = comm.allgather((text, exit_code(problem)))
    if comm.rank == 0:
        for text_there in dict.fromkeys(text for text, _ in met):
            print(text_there, file=sys.stderr, flush=True)
    return max(int(code) for _, code in met)


def end_alone(comm: Comm, problem: BaseException, where: str, debug: bool) -> None:
    """Print what only this rank has met, and end the job of `comm` with MPI_Abort. Local."""
    text = describe(problem, debug, f"{where}, on rank {comm.rank}")
    print(text, file=sys.stderr, flush=True)
    time.sleep(LAST_WORDS)
    comm.Abort(exit_code(problem))


def largest(comm: Comm, number: int) -> int:
    """The largest of the numbers of all ranks. Collective, under the watchdog.

    A rank that waits longer than LAPWING_WATCHDOG seconds, which exchanges check, ends the job.
    """
    import numpy as np
    from mpi4py.MPI import MAX  # started by the caller

    found = np.zeros(1, dtype=np.int64)
    request = comm.Iallreduce(np.array([number], dtype=np.int64), found, op=MAX)
    limit = float(os.environ.get("LAPWING_WATCHDOG") or 0)
    began = time.monotonic()
    while not request.Test():
        os.sched_yield()
        if limit and time.monotonic() - began > limit:
            words = f"rank {comm.rank} waits for another to come to the end of a step"
            words = f"lapwing: no progress for {limit:g} s (LAPWING_WATCHDOG): {words}"
            print(words, file=sys.stderr, flush=True)
            time.sleep(LAST_WORDS)
            comm.Abort(OUTSIDE)
    return int(found[0])


def all_came(comm: Comm) -> bool:
    """Whether every rank reaches this point in time. A barrier that does not wait forever."""
    barrier = comm.Ibarrier()
    end = time.monotonic() + PATIENCE
    while not barrier.Test():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True
