"""The table of faults: what happens to a run, where and when, and what it is to say."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lapwing.core.mpi_runtime import built_with
from trust_places import (
    Place,
    cut_and_killed,
    link_cut,
    link_slowed,
    memory_group,
    needs_memory_groups,
    needs_network,
    needs_root,
    nowhere,
    read_only_disk,
    small_disk,
    two_nodes,
    wait_until,
)

LAPWING = (sys.executable, "-m", "lapwing")
CASE = ("run", "tiny", "--progress", "none")
OFTEN = ("--set", "restart_every=5min", "--set", "output.every=1min", "--set", "slow=0.02")
WATCHDOG = 5  # s

Job = subprocess.Popen[str]


def anywhere() -> str:
    """Nothing is needed that a machine may lack. Local."""
    return ""


@dataclass(frozen=True)
class Fault:
    """The event that hits a run, its place and its time."""

    kind: str
    moment: str
    inside: str = ""  # TINY_FAULT: moment, signal, number of the call, rank
    outside: Callable[[Job, Path], None] = lambda job, folder: None  # AssertionError: in words
    ranks: tuple[str, ...] = ("--ranks", "3")
    options: tuple[str, ...] = ()  # of this run; those of the case must stay, so that it goes on
    codes: tuple[int, ...] = (3,)  # of the run that was hit
    says: tuple[str, ...] = ()  # words of its output: why, and who
    within: float = 20  # s from the fault to the end, or to the end of a run that goes on
    limit: tuple[int, int] | None = None  # of a resource, for all its processes
    environment: tuple[tuple[str, str], ...] = ()
    place: Place = nowhere
    shared_memory: str = "64m"  # size of /dev/shm
    needs: Callable[[], str] = anywhere  # why it cannot be tried here


def after_start(number: int, seconds: float = 0.3) -> Callable[[Job, Path], None]:
    """Send a signal to the command some time after its ranks have begun. Local."""

    def hit(job: Job, folder: Path) -> None:
        wait_until(lambda: (folder / "here" / "case.toml").exists() or job.poll() is not None)
        time.sleep(random.uniform(0, seconds))
        job.send_signal(number)
        (folder / "mark").write_text(str(job.pid))

    return hit


def stopped_for(seconds: float) -> Callable[[Job, Path], None]:
    """Let the rank that stopped itself go on later. Local."""

    def resume(job: Job, folder: Path) -> None:
        wait_until(lambda: (folder / "mark").exists() or job.poll() is not None)
        time.sleep(seconds)
        if (folder / "mark").exists():
            os.kill(int((folder / "mark").read_text()), signal.SIGCONT)

    return resume


def second_job(job: Job, folder: Path) -> None:
    """Start another one in the folder, which is to be refused. Local."""
    wait_until(lambda: (folder / "here" / "case.toml").exists() or job.poll() is not None)
    second = subprocess.run(
        [*LAPWING, *CASE, "--out", "here"],
        env={**os.environ, "PYTHONPATH": (folder / "modules").read_text()},
        cwd=folder, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert job.poll() is None, "the first job was over before the second was refused"
    assert second.returncode == 2, f"the second job ended with {second.returncode}"
    assert "another job writes to (host " in second.stderr, second.stderr


SERVED = ("--ranks", "3", "--io-ranks", "1")
ALONE = ("--ranks", "1")
NODES = ("--ranks", "2")  # on two emulated nodes, a rank on each
SLOW = (("TINY_PAUSE", "0.1"),)  # s per step
PATIENT = (("LAPWING_WATCHDOG", "60"),)
KILLED = ("signal 9",)  # as launchers say it
HUNG = ("LAPWING_WATCHDOG", "waits for", "roll-call")


def faults() -> Iterator[Fault]:
    """The table: every kind of fault at every moment at which it can happen. Local."""
    yield from killed()
    yield from stopped()
    yield from signalled()
    yield from short_of_room()
    yield from cut_off()
    yield Fault("a second job in the folder", "any", outside=second_job, codes=(0,), within=60,
                environment=SLOW)  # fmt: skip


TRANSPORTS = ("p2p", "persistent", "neighbor", "datatype", "onesided", "direct", "pull", "shared")


def killed() -> Iterator[Fault]:
    """A process is gone. Local."""
    kind = "a rank is killed"
    for moment in ("compute", "exchange", "reduction"):
        yield Fault(kind, moment, f"{moment}:SIGKILL:12:1", says=KILLED)
    for transport in TRANSPORTS:
        yield Fault(kind, f"exchange, {transport}", "exchange:SIGKILL:12:1", says=KILLED,
                    options=("--transport", transport))  # fmt: skip
    for moment, call in (("output", 12), ("restart", 20)):
        yield Fault(kind, moment, f"{moment}:SIGKILL:{call}:0", says=KILLED)
        yield Fault("a server is killed", moment, f"{moment}:SIGKILL:{call}:2", ranks=SERVED,
                    says=KILLED)  # fmt: skip
    hit = after_start(signal.SIGKILL)
    yield Fault("the launcher is killed", "any", outside=hit, codes=(-9,))
    yield Fault("the only rank is killed", "any", outside=hit, codes=(-9,), ranks=ALONE)


def stopped() -> Iterator[Fault]:
    """A process does not go on. Local."""
    yield Fault("a server stops for good", "output", "output:SIGSTOP:12:2", ranks=SERVED,
                says=(*HUNG, "no answer of rank 2"))  # fmt: skip
    kind = "a rank stops for good"
    yield Fault(kind, "compute", "compute:SIGSTOP:12:1", says=(*HUNG, "no answer of rank 1"))
    for transport in TRANSPORTS:
        yield Fault(kind, f"exchange, {transport}", "exchange:SIGSTOP:12:1",
                    says=(*HUNG, "no answer of rank 1"),
                    options=("--transport", transport))  # fmt: skip
    # in a collective call of MPI's, which answers no roll-call
    yield Fault(kind, "reduction", "reduction:SIGSTOP:12:1", says=("LAPWING_WATCHDOG", "waits for"))
    yield Fault("a rank stops for 10 s", "compute", "compute:SIGSTOP:12:1", stopped_for(10),
                codes=(0,), environment=PATIENT, within=60)  # fmt: skip


def signalled() -> Iterator[Fault]:
    """Somebody asks it to end. Local."""
    for number in (signal.SIGTERM, signal.SIGUSR1):
        yield Fault(number.name, "any", outside=after_start(number), codes=(0,), within=60,
                    says=("goes on with --resume",))  # fmt: skip
    yield Fault("SIGINT", "any", outside=after_start(signal.SIGINT), says=("ended by SIGINT",))


def short_of_room() -> Iterator[Fault]:
    """Something is full or used up. Local."""
    full = ("free on that disk",)
    yield Fault("disk full", "output", environment=(("TINY_FILE_LIMIT", "30000"),), says=("here/",))
    for size in ("60k", "100k"):
        yield Fault(f"disk of {size}", "output, restart", place=small_disk(size), needs=needs_root,
                    says=full)  # fmt: skip
        yield Fault(f"disk of {size}, a server", "output, restart", place=small_disk(size),
                    needs=needs_root, ranks=SERVED, says=full)  # fmt: skip
    yield Fault("disk read-only", "start", place=read_only_disk, needs=needs_root, codes=(2,),
                says=("Read-only file system",))  # fmt: skip
    yield Fault("few descriptors", "start", limit=(resource.RLIMIT_NOFILE, 24))
    yield Fault("descriptors just enough", "any", limit=(resource.RLIMIT_NOFILE, 88), codes=(0,),
                within=60)  # fmt: skip
    for megabytes, codes in ((200, (3,)), (250, (0, 3)), (300, (0, 3))):
        yield Fault(f"address space of {megabytes} MB", "start", codes=codes,
                    limit=(resource.RLIMIT_AS, megabytes << 20), within=60)  # fmt: skip
    group = Fault("control group of 150 MB", "start", place=memory_group(150 << 20),
                  needs=needs_memory_groups, codes=(-9, 3))  # fmt: skip
    yield group
    yield replace(group, kind="control group of 600 MB, 20000 x 20000 cells", codes=(2,),
                  place=memory_group(600 << 20), says=("memory of this machine",),
                  options=("--set", "nx=20000", "--set", "ny=20000"))  # fmt: skip
    if built_with().family == "MPICH":
        yield Fault("/dev/shm full", "start", shared_memory="4k", needs=needs_root,
                    says=("/dev/shm", "for the messages of 3 ranks"))  # fmt: skip
    yield Fault("/dev/shm just enough", "any", shared_memory="5m", needs=needs_root, codes=(0,),
                within=60)  # fmt: skip


def cut_off() -> Iterator[Fault]:
    """Something happens to the link between two emulated nodes. Local."""
    if built_with().family != "MPICH":
        return  # whose launcher hands the environment on
    cut = Fault(
        "the link between nodes is cut", "any", outside=link_cut(), ranks=NODES, place=two_nodes,
        needs=needs_network, environment=SLOW, within=40, says=("LAPWING_WATCHDOG", "cut off"),
    )  # fmt: skip
    yield cut
    yield replace(cut, kind="the link is cut, and the rank at this end is killed",
                  outside=cut_and_killed, says=KILLED)  # fmt: skip
    yield replace(cut, kind="the same, without a watchdog", outside=cut_and_killed,
                  environment=(*SLOW, ("LAPWING_WATCHDOG", "")),
                  says=("the hosts of the job",))  # fmt: skip
    goes_on = replace(cut, environment=(*SLOW, *PATIENT), codes=(0,), within=60, says=())
    yield replace(goes_on, kind="the link between nodes is cut for 3 s", outside=link_cut(3))
    yield replace(goes_on, kind="the link between nodes is slowed", outside=link_slowed)
