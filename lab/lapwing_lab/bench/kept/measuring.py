"""Measuring: every benchmark of lab/kept.toml several times, alternating, and what it found."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from lapwing.base.error import outside_error, user_error

from lapwing_lab.bench.kept.results import kept, write
from lapwing_lab.bench.kept.tables import DESCRIPTION

QUIET = 0.3  # processes ready to run, beyond which a machine has other work to do
PATIENCE = 120.0  # s that a measurement waits for a quiet machine
LOOK = 2.0  # s between looks

Invocation = tuple[Mapping[str, Any], Mapping[str, Any]]  # its report, and when it was


@dataclass(frozen=True)
class Measurement:
    """A command that is run several times, of a group.

    `mpi`: mpich, or openmpi, whose environment is another one. `once`: it computes the same each
    time, so that one invocation tells all.
    """

    group: str
    name: str
    run: str
    mpi: str = "mpich"
    once: bool = False

    def program(self) -> Path:
        """The command `lapwing` of its environment. Local."""
        here = Path(sys.prefix)
        folder = here.parent / ".venv-openmpi" if self.mpi == "openmpi" else here
        return folder / "bin" / "lapwing"

    def command(self, file: Path) -> list[str]:
        """The command line that writes its report. Local."""
        programs = {"lapwing": str(self.program()), "python": sys.executable}
        return [*(programs.get(w, w) for w in shlex.split(self.run)), "--json", str(file)]


def measurements(root: Path) -> dict[str, list[Measurement]]:
    """Return the measurements of the description, by group. Local."""
    document = tomllib.loads((root / DESCRIPTION).read_text())["measure"]
    return {
        group: [Measurement(group, name, **one) for name, one in of_group.items()]
        for group, of_group in document.items()
    }


def group_of(found: Mapping[str, list[Measurement]], name: str) -> list[Measurement]:
    """The measurements of a group. Local; a user's error for an unknown one."""
    if name not in found:
        raise user_error("PAGES", name, f"some of {', '.join(found)}", "`make measurements PAGES=`")
    return found[name]


def measure(
    wanted: Sequence[Measurement], results: Path, invocations: int, patience: float = PATIENCE
) -> list[Path]:
    """Run each `invocations` times, alternating, and write them into the files of their groups.

    Local; prints progress; the result is the files.

    One that computes the same each time is run in the first turn only. Each waits at most
    `patience` seconds for a machine on which nothing else runs, and says so where it runs all the
    same. One that cannot be had here, for want of the second MPI say, is named and left out.
    """
    possible = [one for one in wanted if _possible(one)]
    found: dict[str, list[Invocation]] = {one.name: [] for one in possible}
    for turn in range(invocations):
        for one in possible:
            if turn == 0 or not one.once:
                begin = perf_counter()
                found[one.name].append(_invocation(one, patience))
                said = f"{one.name}: invocation {turn + 1} of {1 if one.once else invocations}"
                print(f"{said}, {perf_counter() - begin:.0f} s", flush=True)
    return [_written(one, found[one.name], results) for one in possible]


def commit() -> str:
    """The commit of these sources, and whether they differ from it. Local."""
    git = ["git", "-C", str(Path(__file__).parent)]
    head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    if head.returncode:
        remedy = "measure in a clone"
        raise outside_error("git rev-parse HEAD", head.stderr.strip(), "a commit", remedy)
    changed = ["status", "--porcelain", "--untracked-files=no"]
    differs = subprocess.run([*git, *changed], capture_output=True, text=True, check=True).stdout
    return head.stdout.strip() + (" with changes" if differs else "")


def _written(one: Measurement, found: Sequence[Invocation], results: Path) -> Path:
    reports, when = zip(*found, strict=True)
    file = results / f"{one.group}.json"
    write(file, one.name, kept(one.run, reports, when, commit()))
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
    """Processes that want to run, when they are few, or after `patience` seconds. Local."""
    until = perf_counter() + patience
    while (load := _others_running()) > QUIET and perf_counter() < until:
        sleep(LOOK)
    if load > QUIET:
        print(f"warning: {load:.1f} other processes are ready to run", file=sys.stderr)
    return load


def _others_running(looks: int = 20) -> float:
    """The mean number of other processes that want a core, over half a second. Local."""
    total = 0
    for _ in range(looks):
        running = Path("/proc/loadavg").read_text().split()[3].split("/")[0]
        total += int(running) - 1
        sleep(0.025)
    return round(total / looks, 2)
