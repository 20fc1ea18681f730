"""Agreement: a problem of one rank becomes one of all, or ends the job; no rank waits forever."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from lapwing.base.error import LAST_WORDS, OutsideError, StateError, UserError, error_block

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

Result = TypeVar("Result")

DONE, NO, WRONG_REQUEST, OUTSIDE, UNSTABLE = range(5)

# exit codes of every command, and of programs on lapwing; help and documentation are made of these
EXIT_CODES = {
    DONE: "done",
    NO: "the answer is no",
    WRONG_REQUEST: "the request was wrong",
    OUTSIDE: "something outside failed: MPI, memory, a file, a signal",
    UNSTABLE: "the model became unstable",
}

PATIENCE = 5.0  # how long a rank with an error waits for the others to have one, s

_ROLL_CALL = 2.0  # s that waits of the extension take to hear what all ranks wait for
_ABORT = 3  # s that MPI_Abort may take
_LOOKS, _NAP = 1000, 1e-4  # at once, and s between further ones

_EXPECTED: dict[str, type[Exception]] = {
    kind.__name__: kind for kind in (UserError, StateError, OutsideError)
}


def together(comm: Comm, work: Callable[[], Result]) -> Result:
    """Run `work` on every rank; when it raises on one, all raise.

    Collective; `work` must be local. The rank with the problem raises its own error, all other
    ranks the problem of the lowest such rank. One allgather.
    """
    result: Result | None = None
    mine: Exception | None = None
    try:
        result = work()
    except Exception as problem:
        mine = problem
    told = None if mine is None else (type(mine).__name__, str(mine))
    met = all_values(comm, told, "the ranks' agreement")
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


def made_at_root(comm: Comm, work: Callable[[], Result], what: str) -> Result:
    """Return the result of `work` on rank 0, a copy elsewhere; `what` names it. Collective.

    When it cannot be made, or not be copied on one rank, all ranks raise.
    """
    made: list[Result] = []

    def make() -> bytes:
        made.append(work())
        return pickle.dumps(made[0]) if comm.size > 1 else b""

    packed = of_root(comm, at_root(comm, make), what)
    return together(comm, lambda: made[0] if made else pickle.loads(packed))


def raise_again(kind: str, text: str, who: str = "") -> NoReturn:
    """Raise what another rank has met: type and text, with that rank before unexpected ones."""
    if kind in _EXPECTED:
        raise _EXPECTED[kind](text)
    raise OutsideError(f"{who}: {text}" if who else f"{kind}: {text}")


def exit_code(problem: BaseException) -> int:
    """The exit code that a problem leads to: WRONG_REQUEST, UNSTABLE or OUTSIDE. Local."""
    if isinstance(problem, UserError):
        return WRONG_REQUEST
    return UNSTABLE if isinstance(problem, StateError) else OUTSIDE


def is_expected(problem: BaseException) -> bool:
    """True if a problem speaks for itself; others are printed with a traceback. Local."""
    return isinstance(problem, UserError | StateError | OutsideError | OSError)


def describe(problem: BaseException, debug: bool, place: str = "") -> str:
    """The problem as a block of lines; with a traceback for bugs and with `debug`. Local."""
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
    met = all_values(comm, (text, exit_code(problem)), "the other ranks to tell their errors")
    if comm.rank == 0:
        for text_there in dict.fromkeys(text for text, _ in met):
            print(text_there, file=sys.stderr, flush=True)
    return max(int(code) for _, code in met)


def end_alone(comm: Comm, problem: BaseException, where: str, debug: bool) -> NoReturn:
    """Print what only this rank has met, and end the job. Local."""
    text = describe(problem, debug, f"{where}, on rank {comm.rank}")
    print(text, file=sys.stderr, flush=True)
    end_job(exit_code(problem))


def all_came(comm: Comm) -> bool:
    """True if every rank reaches this point in time. A barrier that does not wait forever."""
    barrier = comm.Ibarrier()
    end = time.monotonic() + PATIENCE
    while not barrier.Test():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


# ---- waiting in calls of mpi4py, and ending a job


def watchdog_seconds() -> float:
    """LAPWING_WATCHDOG, which the extension checks; 0: none. Local."""
    try:
        return float(os.environ.get("LAPWING_WATCHDOG") or 0)
    except ValueError:
        return 0.0


@contextmanager
def watched(comm: Comm, what: str) -> Iterator[None]:
    """End the job where this block, a collective call of mpi4py, takes too long. Local.

    `what`: this rank waits for. LAPWING_WATCHDOG has the seconds. For calls that block in MPI: they
    do not answer the roll-call, so this rank says for itself what it waits for.
    """
    seconds = watchdog_seconds()
    if not seconds or comm.size == 1:
        yield
        return
    guard = threading.Timer(seconds, _give_up, (comm.rank, what, seconds))
    guard.daemon = True
    guard.start()
    try:
        yield
    finally:
        guard.cancel()


def _give_up(rank: int, what: str, seconds: float) -> None:
    words = (
        f"lapwing: no progress for {seconds:g} s (LAPWING_WATCHDOG): rank {rank} waits for {what}"
    )
    print(words, file=sys.stderr, flush=True)
    time.sleep(_ROLL_CALL + LAST_WORDS)
    os._exit(OUTSIDE)  # no call of MPI is allowed in this thread; the launcher ends the rest


def all_values(comm: Comm, value: Any, what: str) -> list[Any]:
    """The values of all ranks; `what` is waited for. Collective, one allgather; watched."""
    with watched(comm, what):
        _meet(comm)
        return comm.allgather(value)


def of_root(comm: Comm, value: Any, what: str) -> Any:
    """The value of rank 0; `what` is waited for. Collective, one broadcast; watched."""
    with watched(comm, what):
        _meet(comm)
        return comm.bcast(value)


def _meet(comm: Comm) -> None:
    """Wait until all ranks have come here; Ctrl-C is heard, which blocking calls of MPI put off."""
    barrier, looks = comm.Ibarrier(), 0
    while not barrier.Test():
        looks += 1
        os.sched_yield() if looks < _LOOKS else time.sleep(_NAP)


def end_job(code: int) -> NoReturn:
    """End all ranks, half a second from now: what was printed must have left. Local.

    If MPI_Abort does not come to an end, a signal ends this process, and the launcher the rest.
    """
    from mpi4py.MPI import COMM_WORLD  # started by the caller

    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    time.sleep(LAST_WORDS)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_ABORT)
    # not a smaller communicator: MPICH 5.0 waits for its ranks, also where their host is cut off
    COMM_WORLD.Abort(code)
    os._exit(code)
