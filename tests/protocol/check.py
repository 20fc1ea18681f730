"""The shared-memory protocol, model-checked: every order of events of small jobs, by spin.

python tests/protocol/check.py      (also part of `make trust`; needs spin and a C compiler)

Prints the states of each job, in none of which an assertion fails or a rank waits for ever, and the
faults, put in one at a time, that the same search must find.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

MODEL = Path(__file__).with_name("shared_edge.pml")
ONE_WAY, PAIR, RING = 1, 2, 3


@dataclass(frozen=True)
class Job:
    """Ranks that exchange so many messages, each over its own edge."""

    name: str
    topology: int
    slots: int
    messages: int
    in_place: bool = False
    abandon: bool = False

    def definitions(self, fault: str = "0") -> list[str]:
        """What the model is told."""
        ranks = 3 if self.topology == RING else 2
        values = {
            "TOPOLOGY": self.topology,
            "RANKS": ranks,
            "SLOTS": self.slots,
            "MESSAGES": self.messages,
            "IN_PLACE": int(self.in_place),
            "ABANDON": int(self.abandon),
            "FAULT": fault,
        }
        return [f"-D{name}={value}" for name, value in values.items()]


@dataclass(frozen=True)
class Search:
    """What an exhaustive search came to."""

    states: int
    errors: int


JOBS = [
    Job("one way, 2 slots", ONE_WAY, 2, 8),
    Job("one way, 4 slots", ONE_WAY, 4, 8),
    Job("one way, in place", ONE_WAY, 1, 8, in_place=True),
    Job("a pair, 2 slots", PAIR, 2, 6),
    Job("a pair, 4 slots", PAIR, 4, 6),
    Job("a pair, in place", PAIR, 1, 6, in_place=True),
    Job("a ring of 3, 2 slots", RING, 2, 2),
    Job("a ring of 3, in place", RING, 1, 3, in_place=True),
    Job("a pair, 2 slots, dropped", PAIR, 2, 3, abandon=True),
    Job("a pair, in place, dropped", PAIR, 1, 3, in_place=True, abandon=True),
]
# only one way can a sender be further ahead than one message, and needs credit
_ONE_WAY, _PACKED, _IN_PLACE = JOBS[0], JOBS[3], JOBS[5]
FAULTS = {
    "FLAG_BEFORE_DATA": _PACKED,
    "DATA_BEFORE_FLAG": _PACKED,
    "CREDIT_BEFORE_READ": _ONE_WAY,
    "NO_CREDIT": _ONE_WAY,
    "ONE_SLOT_TOO_MANY": _ONE_WAY,
    "NOT_DRAINED": _IN_PLACE,
    "FORGETS_WAITING": _ONE_WAY,
    "CONSUMES_TWICE": _PACKED,
    "FREED_BY_SENDER": JOBS[8],
    "WRITES_AFTER_ABANDON": JOBS[9],
}


def missing() -> str:
    """The program that is not installed; empty: all are."""
    return next((name for name in ("spin", "cc") if not shutil.which(name)), "")


def search(job: Job, fault: str = "0", limit: float = 100.0) -> Search:
    """Every order of events, in `limit` seconds at most."""
    with tempfile.TemporaryDirectory() as folder:

        def run(*command: str) -> str:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False
            )
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
            return done.stdout

        run("spin", "-a", *job.definitions(fault), str(MODEL))
        run("cc", "-O2", "-w", "-DSAFETY", "-DMEMLIM=2000", "-DVECTORSZ=2048", "-o", "pan", "pan.c")
        said = run("./pan", "-m1000000")
    if "Search not completed" in said and "errors: 0" in said:
        raise RuntimeError(f"{job.name}: the search is not complete: {said}")
    states = re.search(r"(\d+) states, stored", said)
    errors = re.search(r"errors: (\d+)", said)
    if not states or not errors:
        raise RuntimeError(f"{job.name}: spin said {said}")
    return Search(int(states[1]), int(errors[1]))


def main() -> None:
    """Search all, print; end with 1 where a job has an error or a fault is not found."""
    if name := missing():
        sys.exit(f"protocol: got no {name}; expected spin and a C compiler; `make system-packages`")
    wrong = 0
    print(f"{'job':28} {'messages':>8} {'states':>10} errors")
    for job in JOBS:
        found = search(job)
        wrong += found.errors > 0
        print(f"{job.name:28} {job.messages:8} {found.states:10} {found.errors:6}")
    print(f"\n{'fault put in':28} found in")
    for fault, job in FAULTS.items():
        noticed = search(job, fault).errors > 0
        wrong += not noticed
        print(f"{fault.lower().replace('_', ' '):28} {job.name if noticed else 'NOT FOUND'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
