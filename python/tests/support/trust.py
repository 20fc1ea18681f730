"""Faults on real processes: what a run loses, and how long it takes to end. `make trust` prints it.

Each trial runs the tiny model in a folder of its own, hits it by a fault at some moment, waits for
the end, and goes on with `lapwing run --resume`: the output must be that of a run without faults,
and no process and no shared memory may be left.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tiny_install import install_tiny

LAPWING = (sys.executable, "-m", "lapwing")
CASE = ("run", "tiny", "--progress", "none")
OFTEN = ("--set", "restart_every=5min", "--set", "output.every=1min", "--set", "slow=0.02")
WATCHDOG = 5  # s
HANG = 90  # s: no run takes so long

Job = subprocess.Popen[str]


@dataclass(frozen=True)
class Fault:
    """What happens to a run, where, and when."""

    kind: str
    moment: str
    inside: str = ""  # TINY_FAULT: moment, signal, number of the call, rank
    outside: Callable[[Job, Path], None] = lambda job, folder: None
    ranks: tuple[str, ...] = ("--ranks", "3")
    codes: tuple[int, ...] = (3,)  # of the run that was hit
    limit: tuple[int, int] | None = None  # of a resource, for all its processes
    environment: tuple[tuple[str, str], ...] = ()


@dataclass
class Row:
    """What came of the trials of a fault."""

    fault: Fault
    trials: int = 0
    hangs: int = 0
    lost: int = 0
    left: int = 0  # processes or segments of shared memory
    longest: float = 0.0  # from the fault to the end, s
    troubles: list[str] = field(default_factory=list)


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


SERVED = ("--ranks", "3", "--io-ranks", "1")
ALONE = ("--ranks", "1")


def faults() -> Iterator[Fault]:
    """The table: every kind of fault at every moment at which it can happen. Local."""
    for moment, call in (("compute", 12), ("exchange", 12), ("reduction", 12)):
        yield Fault("a rank is killed", moment, f"{moment}:SIGKILL:{call}:1")
    for moment, call in (("output", 12), ("restart", 20)):
        yield Fault("a rank is killed", moment, f"{moment}:SIGKILL:{call}:0")
        yield Fault("a server is killed", moment, f"{moment}:SIGKILL:{call}:2", ranks=SERVED)
    yield Fault("a server stops for good", "output", "output:SIGSTOP:12:2", ranks=SERVED)
    yield Fault("a rank stops for good", "compute", "compute:SIGSTOP:12:1")
    pause = stopped_for(10)
    longer = (("LAPWING_WATCHDOG", "60"),)
    yield Fault("a rank stops for 10 s", "compute", "compute:SIGSTOP:12:1", pause, codes=(0,),
                environment=longer)  # fmt: skip
    hit = after_start(signal.SIGKILL)
    yield Fault("the launcher is killed", "any", outside=hit, codes=(-9,))
    yield Fault("the only rank is killed", "any", outside=hit, codes=(-9,), ranks=ALONE)
    for number in (signal.SIGTERM, signal.SIGUSR1):
        yield Fault(number.name, "any", outside=after_start(number), codes=(0,))
    yield Fault("SIGINT", "any", outside=after_start(signal.SIGINT))
    yield Fault("disk full", "output", environment=(("TINY_FILE_LIMIT", "30000"),))
    yield Fault("few descriptors", "start", limit=(resource.RLIMIT_NOFILE, 24))
    yield Fault("little memory", "start", limit=(resource.RLIMIT_AS, 400 << 20), codes=(0, 1, 3))


# ---- one trial


def wait_until(there: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something; no longer than that. Local."""
    end = time.monotonic() + seconds
    while not there() and time.monotonic() < end:
        time.sleep(0.01)


def lapwing(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Run a command to its end: exit code and all that it printed. Local."""
    job = subprocess.run(
        [*LAPWING, *arguments], env=environment, cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HANG,
    )  # fmt: skip
    return job.returncode, job.stdout


def hit(fault: Fault, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run until the end after a fault: exit code and output. Local."""
    own = {**environment, **dict(fault.environment), "TINY_FAULT_MARK": str(folder / "mark")}
    if fault.inside:
        own["TINY_FAULT"] = fault.inside

    def limited() -> None:
        if fault.limit is not None:
            what, most = fault.limit
            resource.setrlimit(what, (most, most))

    with (folder / "said").open("w+") as said:
        job = subprocess.Popen(
            [*LAPWING, *CASE, *OFTEN, *fault.ranks, "--out", "here"], env=own, cwd=folder,
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, text=True, preexec_fn=limited,
        )  # fmt: skip
        fault.outside(job, folder)
        code = job.wait(timeout=HANG)
        said.seek(0)
        return code, said.read()


def since_fault(folder: Path) -> float:
    """The seconds since the fault, 0 where it has no moment. Local."""
    mark = folder / "mark"
    return time.time() - mark.stat().st_mtime if mark.exists() else 0.0


def processes(word: str) -> list[int]:
    """The processes whose environment holds a word. Local."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def segments() -> set[str]:
    """What is in shared memory. Local."""
    return {path.name for path in Path("/dev/shm").iterdir() if "lapwing" in path.name}


def one_trial(fault: Fault, folder: Path, whole: Path, row: Row, modules: str) -> None:
    """Do it once, and add what came of it to the row. Local."""
    identity = uuid.uuid4().hex
    environment = {
        **os.environ, "PYTHONPATH": modules, "TINY_NO_PICTURES": "1", "TRUST": identity,
        "LAPWING_WATCHDOG": str(WATCHDOG),
    }  # fmt: skip
    before = segments()
    row.trials += 1
    try:
        code, said = hit(fault, folder, environment)
        if code not in fault.codes:
            row.troubles.append(f"exit code {code}: {said[-1500:]}")
        if code and not said and code != -9:
            row.troubles.append("no word")
        wait_until(lambda: not processes(identity), 20)
        row.longest = max(row.longest, since_fault(folder))
        goes_on(folder, environment, whole, row)
    except subprocess.TimeoutExpired:
        row.hangs += 1
    left = processes(identity)
    row.left += bool(left) + bool(segments() - before)
    for process in left:
        os.kill(process, signal.SIGKILL)


def goes_on(folder: Path, environment: dict[str, str], whole: Path, row: Row) -> None:
    """Go on after the fault, and compare with a run without one. Local."""
    there = any((folder / "here").glob("restart.lapwing*"))
    ended = (folder / "here" / "level.png").exists()
    if not ended:
        again = ("--resume", "here") if there else ("tiny", *OFTEN, "--out", "here")
        code, said = lapwing(folder, environment, "run", *again, "--ranks", "2")
        if code != 0:
            row.lost += 1
            row.troubles.append(said[-1500:])
            return
    code, said = lapwing(folder, environment, "compare", str(whole), "here/output.nc")
    if code != 0 or list((folder / "here").glob("*.part")):
        row.lost += 1
        row.troubles.append(said)


# ---- all of them


def make_whole(folder: Path, modules: str) -> Path:
    """The output of a run without faults. Local."""
    environment = {**os.environ, "PYTHONPATH": modules, "TINY_NO_PICTURES": "1"}
    code, said = lapwing(folder, environment, *CASE, *OFTEN, "--out", "whole")
    if code != 0:
        raise SystemExit(said)
    return folder / "whole" / "output.nc"


def run_trials(chosen: list[Fault], trials: int, modules: str) -> Iterator[Row]:
    """Every fault so many times. Local."""
    with tempfile.TemporaryDirectory(prefix="lapwing-trust-") as scratch:
        whole = make_whole(Path(scratch), modules)
        for fault in chosen:
            row = Row(fault)
            for _ in range(trials):
                folder = Path(tempfile.mkdtemp(dir=scratch))
                one_trial(fault, folder, whole, row, modules)
                shutil.rmtree(folder, ignore_errors=True)
            yield row


def as_lines(rows: Iterator[Row]) -> Iterator[str]:
    """The table of docs/trust.md. Local."""
    yield "| fault | moment | trials | hangs | data lost | left behind | longest time to the end |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        fault = row.fault
        yield (
            f"| {fault.kind} | {fault.moment} | {row.trials} | {row.hangs} | {row.lost} "
            f"| {row.left} | {row.longest:.1f} s |"
        )
        for trouble in row.troubles:
            print(f"{fault.kind}, {fault.moment}: {trouble}", file=sys.stderr)


def main() -> None:
    """Print the table; ends with 1 where anything hung or was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--only", default="", help="faults whose kind holds this")
    asked = parser.parse_args()
    chosen = [fault for fault in faults() if asked.only in fault.kind]
    rows = []

    def kept() -> Iterator[Row]:
        for row in run_trials(chosen, asked.trials, asked.modules):
            rows.append(row)
            yield row

    with tempfile.TemporaryDirectory(prefix="lapwing-tiny-") as modules:
        asked.modules = str(install_tiny(Path(modules)))
        for line in as_lines(kept()):
            print(line, flush=True)
    sys.exit(any(row.hangs or row.lost or row.left or row.troubles for row in rows))


if __name__ == "__main__":
    main()
