"""`lapwing doctor`: the needs of lapwing on this machine, what is missing, and how to fix it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from lapwing.base.agreement import DONE, NO
from lapwing.base.finding import Finding
from lapwing.base.table import PLAIN
from lapwing.commands.options import Debug, answered
from lapwing.model.registry import load_group
from lapwing.run.segments import left_segments

# One rank prints: two would mix their lines. The second line is empty where ranks can share memory.
_TRIAL = """
from lapwing.core import mpi_runtime
from lapwing.core.mpi_library import MPILibrary
from lapwing import Domain, Exchange
from lapwing.base.error import OutsideError, UserError
m = mpi_runtime.start()
w = m.COMM_WORLD
v = w.allgather(str(MPILibrary.from_text(m.Get_library_version())))
domain, trouble = Domain((4, 4)), ""
try:
    Exchange([domain.field("trial")], transport="shared").run()
except (OutsideError, UserError) as problem:
    trouble = str(problem)
w.rank or print(len(v), *sorted(set(v)), trouble, sep="\\n")
"""
_TRIAL_TIME = 60.0  # s; two processes that load Python and MPI on a slow disk

_UNSHARED = (
    "let processes of one user open each other's /proc/PID/fd, and have 512 files or more open "
    "(`ulimit -n`); without it ranks of a node send messages through MPI, which is slower"
)

_PACKAGES = ("lapwing", "numpy", "netCDF4", "xarray", "matplotlib", "typer", "rich")

# Programs that the library can do without, and the features that need them.
_OPTIONAL = {"gfortran": "models in Fortran, and the benchmark with coarrays"}

_SHARED_MEMORY_WANTED = 256  # MiB; MPI libraries put their messages between local ranks there


@answered
def doctor(debug: Debug = False) -> int:
    """Say what is installed, what is missing, and the command that fixes it."""
    checks = examine()
    print_checks(checks)
    return DONE if is_healthy(checks) else NO


def examine() -> list[Finding]:
    """Look at everything, in the order in which to fix it.

    Local. Starts two short-lived ranks; nothing of MPI happens in this process.
    """
    old = "install Python 3.11 or newer" if sys.version_info < (3, 11) else ""
    cores = f"{len(os.sched_getaffinity(0))} usable of {os.cpu_count()}"
    checks = [Finding("Python", platform.python_version(), old), *map(_package, _PACKAGES)]
    checks += _guarded("lapwing", _mpi)
    checks += _guarded("models", _models)
    checks += [
        _compiler(),
        Finding("cores", f"{cores}; more ranks than these work, but timings mean little"),
        _mpi_memory(),
    ]
    checks += _guarded("lapwing-lab", _from_others)
    return [*checks, *map(_program, _OPTIONAL)]


def is_healthy(checks: list[Finding]) -> bool:
    """True if nothing necessary has a remedy to wait for. Local."""
    return not any(check.remedy and check.necessary for check in checks)


def print_checks(checks: list[Finding]) -> None:
    """Print the answer as a table. Local."""
    console = Console(highlight=False)
    whole = Column(overflow="fold")  # paths must be whole
    table = Table("", "", whole, show_header=False, **PLAIN)
    for check in checks:
        mark = "ok" if not check.remedy else "MISSING" if check.necessary else "optional"
        table.add_row(mark, check.subject, check.found)
        if check.remedy:
            table.add_row("", "", f"-> {check.remedy}")
    console.print(table)
    print("all is there" if is_healthy(checks) else "something necessary is missing")


def _package(name: str) -> Finding:
    try:
        return Finding(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, "not installed", f"{sys.executable} -m pip install {name}")


def _guarded(subject: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """Return what `look` finds; a failure to look is a finding too."""
    try:
        return look()
    except Exception as problem:
        remedy = "build lapwing again: `make build`, or `pip install .` in its sources"
        return [Finding(subject, str(problem), remedy)]


def _mpi() -> list[Finding]:
    from lapwing.core import mpi_runtime

    checks = mpi_runtime.findings()
    return checks if any(check.remedy for check in checks) else [*checks, *_two_ranks()]


def _two_ranks() -> list[Finding]:
    """True if mpiexec, mpi4py and lapwing are one MPI, and ranks can share memory: by trying."""
    from lapwing.core import mpi_runtime

    subject = "2 ranks together"
    remedy = "the lines above say what mpiexec, mpi4py and lapwing use; see also MPI4PY_LIBMPI"
    if mpi_runtime.under_launcher():
        return [Finding(subject, "not tried inside mpiexec", necessary=False)]
    try:
        job = subprocess.run(
            [*mpi_runtime.launcher_command(2), sys.executable, "-c", _TRIAL],
            env=mpi_runtime.launcher_environment(),
            capture_output=True,
            text=True,
            timeout=_TRIAL_TIME,
        )
    except subprocess.TimeoutExpired:
        return [Finding(subject, f"no end after {_TRIAL_TIME:g} s", remedy)]
    lines = job.stdout.splitlines()
    if job.returncode != 0 or len(lines) != 3 or lines[0] != "2":
        return [Finding(subject, _gist(job.stderr or job.stdout), remedy)]
    together = Finding(subject, f"{lines[1]} in mpiexec, mpi4py and lapwing")
    subject, trouble = "memory of other ranks", lines[2]
    if not trouble:
        return [together, Finding(subject, "can be mapped: the transport shared works")]
    return [together, Finding(subject, trouble, _UNSHARED, necessary=False)]


def _gist(text: str) -> str:
    """The line of an output that names the error: the last one of a traceback, else the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.split(":")[0].endswith("Error")]
    return (errors or lines or ["no output"])[-1]


def _models() -> list[Finding]:
    from lapwing.model.registry import installed_models

    models = installed_models()
    if not models:
        return [Finding("models", "none", "reinstall lapwing: `make build` or `pip install .`")]
    return [
        Finding(f"model {name}", f"{model.title}; cases {', '.join(model.cases)}")
        for name, model in models.items()
    ]


def _compiler() -> Finding:
    """The compiler is needed for building only, so its absence now stops no run."""
    built = ""
    try:
        from lapwing.core import _build_info

        built = f"; lapwing was built with {_build_info.COMPILER}, {_build_info.BUILD_TYPE}"
    except ImportError:
        pass
    for name in (os.environ.get("CXX", ""), "g++", "clang++"):
        if name and shutil.which(name):
            text = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            return Finding("C++ compiler", text.splitlines()[0] + built)
    remedy = "apt-get install g++ (to build lapwing or a model)"
    return Finding("C++ compiler", f"none{built}", remedy, necessary=False)


def _mpi_memory(folder: Path = Path("/dev/shm")) -> Finding:
    """Find where MPI puts messages between ranks of a machine; lapwing's memory is elsewhere."""
    subject = str(folder)
    if not folder.is_dir():
        return Finding(subject, "none", f"mount a tmpfs of {_SHARED_MEMORY_WANTED} MiB there")
    usage = shutil.disk_usage(folder)
    free, total = (number // 2**20 for number in (usage.free, usage.total))
    found = (
        f"{free} of {total} MiB free, {_SHARED_MEMORY_WANTED} needed: MPI's messages on a machine"
    )
    remedy = f"give /dev/shm at least {_SHARED_MEMORY_WANTED} MiB (containers: --shm-size)"
    if left := left_segments(folder):
        names = " ".join(map(str, left[:3])) + (" ..." if len(left) > 3 else "")
        found += f"; {len(left)} segments of killed jobs are left: rm {names}"
    return Finding(subject, found, remedy if free < _SHARED_MEMORY_WANTED else "")


def _from_others() -> list[Finding]:
    """The checks of packages on lapwing: their functions under the entry point `lapwing.checks`."""
    found = [finding for examine in load_group("lapwing.checks").values() for finding in examine()]
    absent = "not installed; for `lapwing probe`, `predict`, `tune`, `bench` and others"
    remedy = "make lab (in lapwing's sources)"
    return found or [Finding("lapwing-lab", absent, remedy, necessary=False)]


def _program(name: str) -> Finding:
    there = shutil.which(name) is not None
    found = f"{'' if there else 'not '}installed; for {_OPTIONAL[name]}"
    return Finding(name, found, "" if there else f"apt-get install {name}", necessary=False)
