"""Measuring a page: every benchmark of it several times, alternating, and the files that result."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from lapwing.base.error import outside_error

from lapwing_bench.kept.page import Measurement
from lapwing_bench.kept.results import kept, write

QUIET = 0.3  # processes ready to run, beyond which a machine has other work to do
PATIENCE = 120.0  # s that a measurement waits for a quiet machine
LOOK = 2.0  # s between looks

Invocation = tuple[Mapping[str, Any], Mapping[str, Any]]  # its report, and when it was


def measure(
    measurements: Sequence[Measurement],
    results: Path,
    invocations: int,
    patience: float = PATIENCE,
) -> list[Path]:
    """Run each so many times, alternating, and write a file for each. Local; prints what it does.

    One that computes the same each time is run in the first turn only. Each waits at most
    `patience` seconds for a machine on which nothing else runs, and says so where it runs all the
    same. One that cannot be had here, for want of the second MPI say, is named and left out.
    """
    possible = [one for one in measurements if _possible(one)]
    found: dict[str, list[Invocation]] = {one.name: [] for one in possible}
    for turn in range(invocations):
        for one in possible:
            if turn == 0 or not one.once:
                begin = perf_counter()
                found[one.name].append(_invocation(one, patience))
                said = f"{one.name}: invocation {turn + 1} of {1 if one.once else invocations}"
                print(f"{said}, {perf_counter() - begin:.0f} s", flush=True)
    return [_written(one, found[one.name], results) for one in possible]


def _written(one: Measurement, found: Sequence[Invocation], results: Path) -> Path:
    reports, when = zip(*found, strict=True)
    file = results / f"{one.name}.json"
    write(file, kept(one.shown, reports, when))
    return file


def _possible(one: Measurement) -> bool:
    if there := one.program().exists():
        return there
    print(f"{one.name}: left out: no {one.program()}; `make MPI={one.mpi} build`", file=sys.stderr)
    return False


def _invocation(one: Measurement, patience: float) -> Invocation:
    """The report of one run, and when it was. Local."""
    load = _quiet_load(patience)
    began = datetime.now().isoformat(timespec="seconds")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        command = one.command(file)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not file.exists():  # 1: its answer is no
            words = " | ".join((done.stderr or done.stdout).strip().splitlines()[-5:])
            got, remedy = f"exit code {done.returncode}: {words}", "run it alone and see"
            raise outside_error(" ".join(command), got, "exit code 0 or 1", remedy)
        return json.loads(file.read_text()), {"began": began, "load": load}


def _quiet_load(patience: float) -> float:
    """Processes that want to run, when they are few, or after so many seconds. Local."""
    until = perf_counter() + patience
    while (load := _others_running()) > QUIET and perf_counter() < until:
        sleep(LOOK)
    if load > QUIET:
        print(f"warning: {load:.1f} other processes are ready to run", file=sys.stderr)
    return load


def _others_running(looks: int = 20) -> float:
    """How many processes other than this one want a core: a mean over half a second. Local."""
    total = 0
    for _ in range(looks):
        running = Path("/proc/loadavg").read_text().split()[3].split("/")[0]
        total += int(running) - 1
        sleep(0.025)
    return round(total / looks, 2)
