"""Ranks for a command: started by mpiexec if it was used, else here."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from lapwing.base.agreement import DONE, EXIT_CODES, OUTSIDE
from lapwing.base.error import outside_error
from lapwing.base.hosts import hosts_given
from lapwing.base.stop import READER_GONE, SIGNALS
from lapwing.core import mpi_runtime
from lapwing.run.segments import FOLDER, remove_left_segments

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux

_ENDED_SOONER = 500  # thousandths of the memory, which a rank counts as using besides its own

# s between looks at a launcher's hosts, from the end of the first host to the end of the last, and
# from SIGTERM to SIGKILL
_LOOK, _PATIENCE, _GRACE = 0.5, 10.0, 3.0

_SHARED_PER_RANK = 1.25  # MiB; MPICH 5.0 takes 1.01

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def speaks() -> bool:
    """True if this process prints for all before MPI is started: rank 0, or alone. Local."""
    return not mpi_runtime.under_launcher() or mpi_runtime.announced_rank() == 0


def launch(ranks: int, arguments: Sequence[str], stops: bool = False) -> int:
    """Run `lapwing ARGUMENTS` on that many ranks, wait, and return the exit code.

    Local. When this process is told to end (Ctrl-C, SIGTERM, a closed terminal), so is the job. A
    job that `stops` is asked to stop at the first SIGTERM or SIGUSR1 (`lapwing.base.stop`).
    MPISetupError when the launcher is missing.
    """
    command = [*mpi_runtime.launcher_command(ranks), sys.executable, "-m", "lapwing", *arguments]
    environment = mpi_runtime.launcher_environment()
    if not sys.stdout.isatty():  # Open MPI gives ranks a terminal even where this command has none
        environment["TTY_COMPATIBLE"] = "0"  # rich's name
    began = time.time()
    with subprocess.Popen(command, env=environment, preexec_fn=_beneath(os.getpid())) as job:

        def stop() -> None:
            job.send_signal(signal.SIGUSR1)  # launchers pass this on to ranks

        def end() -> None:
            if ended:
                _kill(job)
            else:
                job.terminate()
                force.start()
            ended.append(time.monotonic())

        ended: list[float] = []
        force = threading.Timer(_GRACE, _kill, (job,))  # ranks may be within long steps
        force.daemon = True
        with passing_on(end, stop if stops else None) as told:
            code = _waited(job, ended)
        force.cancel()
    if code != 0:
        remove_left_segments(began)
    return judged(code, f"the job on {ranks} ranks", told)


def _waited(job: subprocess.Popen[bytes], ended: Sequence[float]) -> int:
    """The exit code of a launcher, which is killed if it waits for a host that is cut off.

    A launcher has a process here for each host, which ends with the ranks of that host; the process
    of an unreachable host never ends. `ended`: when it was told to end. Local.
    """
    if hosts_given() is None:
        return job.wait()
    most, since = 0, 0.0
    while True:
        with suppress(subprocess.TimeoutExpired):
            return job.wait(_LOOK)
        here = _children(job.pid)
        most = max(most, len(here))
        if len(here) == most and not ended:
            continue
        since = since or time.monotonic()
        if time.monotonic() - since > _PATIENCE:
            gone = f"{most - len(here)} of {most}" if len(here) < most else "none of them"
            print(
                f"error: the hosts of the job\n  got:      {gone} ended; no end of the others "
                f"after {_PATIENCE:g} s\n  expected: an end of all\n"
                "  remedy:   look whether the link to a host is cut, and for processes left there",
                file=sys.stderr,
            )
            _kill(job)
            return job.wait() and OUTSIDE


def _kill(job: subprocess.Popen[bytes]) -> None:
    """End a launcher and all that it has started on this machine. Local."""
    doomed = [job.pid]
    for process in doomed:
        doomed += _children(process)
    for process in reversed(doomed):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _children(process: int) -> list[int]:
    """The processes that one has started and that still run. Local."""
    found = []
    with suppress(OSError):
        for number in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            with suppress(OSError):  # over by now
                state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
                found += [int(number)] if state != "Z" else []
    return found


def _beneath(parent: int) -> Callable[[], None]:
    """Make a new process end (SIGTERM) when this one does, SIGKILL included. Local.

    If memory runs out, the kernel should end a rank, not this process, which cleans up after them.
    """
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def ask() -> None:
        prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        with suppress(OSError, ValueError):
            score = Path("/proc/self/oom_score_adj")  # children inherit it
            score.write_text(str(min(int(score.read_text()) + _ENDED_SOONER, 1000)))
        if os.getppid() != parent:  # it has ended already
            os._exit(OUTSIDE)

    return ask


def on_ranks(
    prepare: Callable[[], int],
    work: Callable[[Comm], int],
    more: Callable[[], Sequence[str]] = tuple,
    stops: bool = False,
) -> int:
    """Do the work of this command on the ranks that a launcher started, or else on new ones.

    Returns the exit code. `prepare` is called if there are none yet: it finds errors of the request
    before there are ranks, and returns how many to start; these run the same command line, with
    `more` behind it: if an option comes twice, the last one counts. Raises what `prepare` and
    `work` do, and as `launch`, which has `stops` too.
    """
    if mpi_runtime.announced_world_size() is None:
        ranks = prepare()
        check_descriptors(ranks)
        check_shared_memory(ranks)
        if ranks > 1:
            return launch(ranks, [*sys.argv[1:], *more()], stops)
    return work(mpi_runtime.start().COMM_WORLD)


def check_descriptors(ranks: int) -> None:
    """Raise OutsideError if that many ranks would run out of file descriptors. Local.

    A rank opens its libraries, files and neighbours, a launcher some pipes for each rank.
    """
    least = 64 + 8 * ranks
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit != resource.RLIM_INFINITY and limit < least:
        raise outside_error(
            "open files of a process",
            f"a limit of {limit}",
            f"{least} or more for {ranks} rank{'s' if ranks > 1 else ''}",
            f"raise it with `ulimit -n {least}`",
        )


def check_shared_memory(ranks: int, folder: Path = FOLDER) -> None:
    """Raise OutsideError where MPICH would end in a bus error, as its ranks share memory. Local."""
    if mpi_runtime.built_with().family != "MPICH" or hosts_given() is not None or ranks == 1:
        return
    least = math.ceil(ranks * _SHARED_PER_RANK)
    free = shutil.disk_usage(folder).free / 2**20 if folder.is_dir() else 0.0
    if free < least:
        raise outside_error(
            str(folder),
            f"{free:.1f} MiB free",
            f"{least} MiB for the messages of {ranks} ranks",
            "remove what killed jobs left there (`lapwing doctor` names it), or give it more room "
            "(containers: --shm-size)",
        )


@contextmanager
def passing_on(
    end: Callable[[], None], stop: Callable[[], None] | None = None
) -> Iterator[list[int]]:
    """Call `end` when a signal tells this process to end; yields the list of such signals.

    Local; in the main thread. Calls `stop`, if given, at the first signal that asks to stop.
    """
    told: list[int] = []

    def pass_on(number: int, _: FrameType | None) -> None:
        told.append(number)
        gently = stop is not None and len(told) == 1 and number in SIGNALS
        stop() if stop is not None and gently else end()

    numbers = (*_ENDING, signal.SIGUSR1) if stop is not None else _ENDING
    before = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def judged(code: int, job: str, told: Sequence[int]) -> int:
    """A job's exit code if it is one of EXIT_CODES, else OUTSIDE, with a message. Local.

    READER_GONE where nothing reads the output of the launcher any more.
    """
    if told and not (code == DONE and told[0] in SIGNALS):  # it has stopped on request
        print(f"error: ended by {signal.Signals(told[0]).name}", file=sys.stderr)
        return OUTSIDE
    if code in EXIT_CODES:
        return code
    if code in (-signal.SIGPIPE, READER_GONE):
        return READER_GONE
    print(f"error: {job} ended with code {code}, see above", file=sys.stderr)
    return OUTSIDE
