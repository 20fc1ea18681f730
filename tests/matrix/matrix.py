"""lapwing built and tested with other versions of what it stands on, one change at a time.

The default is MPICH as requirements/mpi-mpich.txt pins it, this Python, g++ and a release build.
Each row builds in an environment of its own (build/matrix), starts the short selection of tests
below, and is printed; what this machine lacks is skipped by name. Rows that have a result are not
run again: build/matrix/results.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import debian

ROOT = Path(__file__).parents[2]
HOME = ROOT / "build" / "matrix"
RESULTS = HOME / "results.json"
# plans and partitions, exchanges and steps on ranks, a run with its restart, bits of one rank
TESTS = (
    *("python/tests/core/test_partition.py", "python/tests/core/test_halo_plan.py"),
    *("python/tests/core/steps", "python/tests/io/test_restart.py", "python/tests/model"),
)
SELECTION = ("-m", "not slow and not every_shape and not simgrid and not root", "-q", "-x")


@dataclass(frozen=True)
class Row:
    """What is changed; the rest is as usual."""

    mpi: str = "mpich"
    mpi_version: str = ""  # "": the pinned one
    python: str = ""  # "": this one
    compiler: str = "g++"
    build: str = "Release"

    def name(self) -> str:
        """What tells the row from the others."""
        return "-".join(value or "usual" for value in asdict(self).values())


ROWS = (
    Row(),
    Row(mpi_version="4.3.2"),
    Row(mpi="openmpi"),
    Row(mpi="openmpi", mpi_version="5.0.8"),
    Row(mpi="intel"),
    Row(python="3.12"),
    Row(python="3.13"),
    Row(python="3.14"),
    Row(compiler="clang++"),
    Row(build="Debug"),
)


# the release of Debian that brings a Python, where this machine has none
DEBIAN = {"3.14": "forky"}


@dataclass(frozen=True)
class Place:
    """Where a row is built: its interpreter, its compiler, and the words before its commands."""

    python: str
    compiler: str
    before: tuple[str, ...] = ()

    def version(self, program: str) -> str:
        """The first number with dots that a program says of itself."""
        asked = [*self.before, program, "--version"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
        found = re.search(r"\d+\.\d+(\.\d+)?", said)
        return found[0] if found else "?"


def place_of(row: Row) -> Place | str:
    """Where a row can be built, or why it cannot."""
    python, compiler = python_of(row.python), compiler_of(row.compiler)
    if compiler is None:
        return f"no {row.compiler} of version 16 or later here"
    if python is not None:
        return Place(python, compiler)
    problem = debian.missing() if row.python in DEBIAN else "nor in Debian"
    if problem:
        return f"no Python {row.python} here: {problem}"
    root = HOME / f"debian-{DEBIAN[row.python]}"
    if not debian.make_root(DEBIAN[row.python], root, HOME / "debian.log"):
        return f"no Debian {DEBIAN[row.python]}, see {HOME / 'debian.log'}"
    before = tuple(debian.inside(root, ROOT))
    return Place(f"/usr/bin/python{row.python}", "/usr/bin/g++", before)


def python_of(version: str) -> str | None:
    """The interpreter of a version: of pyenv, or on PATH."""
    if not version:
        return sys.executable
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(folder.glob(f"{version}*/bin/python{version}"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def compiler_of(name: str) -> str | None:
    """The compiler; of clang one that knows all of C++20."""
    if name == "g++":
        return shutil.which("g++")
    named = (shutil.which(f"clang++-{version}") for version in range(20, 15, -1))
    return next((path for path in named if path), None)


def run(command: list[str], log: Path, environment: dict[str, str]) -> bool:
    """True if a command succeeds; what it says goes to the log."""
    with log.open("a") as file:
        print("\n$", *command, file=file, flush=True)
        done = subprocess.run(
            command, cwd=ROOT, stdout=file, stderr=file, env=environment, check=False
        )
    return done.returncode == 0


def outcome(row: Row, place: Place) -> str:
    """Build and test a row; in words what came of it."""
    # one place for all rows: a compiler cache then knows what does not change
    env, build, log = HOME / "env", HOME / "build", HOME / f"{row.name()}.log"
    shutil.rmtree(env, ignore_errors=True)
    shutil.rmtree(build, ignore_errors=True)
    log.unlink(missing_ok=True)
    environment = os.environ | {"CXX": place.compiler, "SKBUILD_CMAKE_BUILD_TYPE": row.build}
    if shutil.which("ccache") and not place.before:
        environment |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_DIR": str(HOME / "ccache")}
    make = [*place.before, "make", f"MPI={row.mpi}", f"VENV={env.relative_to(ROOT)}"]
    make += [f"PYTHON={place.python}", f"BUILD={build.relative_to(ROOT)}"]
    if not run([*make, "venv"], log, environment):
        return "no environment"
    pip = [*place.before, str(env / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    pinned = f"{row.mpi}=={row.mpi_version}"
    if row.mpi_version and not run([*pip, pinned], log, environment):
        return f"skipped: no {pinned} in the registry"
    if not run([*make, f"{env.relative_to(ROOT)}/.runs-{row.mpi}"], log, environment):
        return "does not build"
    tests = [*place.before, str(env / "bin" / "python"), "-m", "pytest", *SELECTION, *TESTS]
    passed = run(tests, log, environment)
    last = re.findall(r"(\d+ passed.*) in ", log.read_text(errors="replace"))
    return last[-1] if passed and last else "tests fail"


def table(results: dict[str, dict[str, str]]) -> str:
    """All rows that have a result."""
    lines = ["| MPI | Python | compiler | build | result |", "|---|---|---|---|---|"]
    for row in ROWS:
        if row.name() in results:
            said = results[row.name()]
            shown = (said["mpi"], said["python"], said["compiler"], row.build, said["outcome"])
            lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def pinned(mpi: str) -> str:
    """The version of an MPI that requirements/ names."""
    text = (ROOT / "requirements" / f"mpi-{mpi}.txt").read_text()
    wheel = "impi-rt" if mpi == "intel" else mpi
    found = re.search(rf"^{wheel}==([\d.]+)", text, re.MULTILINE)
    assert found
    return found[1]


def main() -> int:
    """Run the rows that are asked for and have no result yet; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression: names of rows")
    asked = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for row in ROWS:
        if row.name() in results or not re.search(asked.only, row.name()):
            continue
        began = time.monotonic()
        place = place_of(row)
        if isinstance(place, Place):
            said, python = outcome(row, place), place.version(place.python)
            compiler = f"{row.compiler} {place.version(place.compiler)}"
        else:
            said, python, compiler = f"skipped: {place}", row.python, row.compiler
        print(f"{row.name()}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
        results[row.name()] = {
            "mpi": f"{row.mpi} {row.mpi_version or pinned(row.mpi)}",
            "python": python,
            "compiler": compiler,
            "outcome": said,
        }
        RESULTS.write_text(json.dumps(results, indent=1))
    print(table(results))
    bad = [one for one in results.values() if not re.match(r"\d+ passed|skipped", one["outcome"])]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
