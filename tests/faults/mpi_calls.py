"""One MPI call fails: what the job does then, in figures.

Each trial starts a small program on 2 ranks (cpp/tests/transport/failing_call.cpp), in which one
call, of a kind and number chosen at random, returns an error on one rank. The job must end in time,
with an exit code, and with words that name the call; or go on where the call was about something
that it can do without, such as a transport that `auto` may leave out.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
TRANSPORTS = (
    *("p2p", "persistent", "neighbor", "datatype", "onesided", "direct", "pull", "shared", "auto"),
)
LIMIT = 60.0  # seconds; the watchdog, 5 s, and time for a busy machine
ENDS = ("in words", "goes on", "without words", "hangs")


def program() -> Path:
    """The program of the newest build."""
    found = sorted(ROOT.glob("build/*/cpp/tests/failing_call"), key=lambda p: p.stat().st_mtime)
    if not found:
        sys.exit("mpi_calls: no build/*/cpp/tests/failing_call; `make build`")
    return found[-1]


def start(transport: str, *words: str) -> tuple[int | None, str, float]:
    """Run the program; its exit code (None: it hangs), what it printed, and seconds."""
    environment = os.environ | {
        "LAPWING_TEST_TRANSPORT": transport,
        "LAPWING_WATCHDOG": "5",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    launcher = Path(sys.executable).with_name("mpiexec")
    began = time.monotonic()
    job = subprocess.Popen(
        [launcher, "-n", "2", program(), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        said, _ = job.communicate(timeout=LIMIT)
        return job.returncode, said, time.monotonic() - began
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        said, _ = job.communicate()
        return None, said, time.monotonic() - began


def calls_of(transport: str) -> dict[str, int]:
    """How often rank 0 makes which call; nothing where there is no such transport."""
    code, said, _ = start(transport)
    if code == 77 or (code != 0 and "skipped" in said):
        return {}
    assert code == 0, said
    return {name: int(times) for name, times in re.findall(r"calls: (\w+) (\d+)", said)}


def end_of(code: int | None, said: str) -> str:
    """How a job ended, as ENDS has it."""
    if code is None:
        return "hangs"
    if code == 0:
        return "goes on"
    failed = re.search(r"failed: (MPI_\w+)", said)
    # the library prints more than that a call failed: the call, or the ranks that wait
    told = said.replace(failed[0], "") if failed else said
    words = (failed and failed[1] in told) or "LAPWING_WATCHDOG" in told or "; expected " in told
    return "in words" if words else "without words"


def main() -> int:
    """Try each transport; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--transports", default=",".join(TRANSPORTS))
    asked = parser.parse_args()
    numbers = random.Random(asked.seed)
    bad = 0
    print(f"| transport | kinds of calls | trials | {' | '.join(ENDS)} | longest |")
    print("|---" * (4 + len(ENDS)) + "|")
    for transport in asked.transports.split(","):
        calls = calls_of(transport)
        if not calls:
            print(f"skipped: transport {transport}: not here")
            continue
        ends: Counter[str] = Counter()
        longest = 0.0
        while ends.total() < asked.trials:
            rank, name = numbers.randrange(2), numbers.choice(list(calls))
            number = numbers.randint(1, calls[name])
            code, said, seconds = start(transport, str(rank), name, str(number))
            if code == 0 and "failed: " not in said:
                continue  # polling took fewer calls this time, or this rank has none of them
            end = end_of(code, said)
            ends[end] += 1
            longest = max(longest, seconds)
            if end in ("without words", "hangs"):
                bad += 1
                print(
                    f"{transport}: {name} {number} of rank {rank}: {end}, exit code {code}\n{said}"
                )
        counts = " | ".join(str(ends[end]) for end in ENDS)
        trials = f"{len(calls)} | {asked.trials} | {counts} | {longest:.1f} s"
        print(f"| `{transport}` | {trials} |", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
