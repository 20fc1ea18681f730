"""Where SimGrid is, and the program that runs lapwing's C++ under it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lapwing.base.error import OutsideError, outside_error, user_error

VERSION = "4.1"  # that of requirements/simgrid.txt

_ROOT = Path(__file__).resolve().parents[4]  # of the sources
# what the driver is made of, below the root
_PARTS = (
    *("simulate", "cmake", "cpp/include", "cpp/src"),
    *(f"models/{model}/{part}" for model in ("coast", "lattice") for part in ("include", "src")),
)
_PROGRAM = "simulate_driver"


def cache() -> Path:
    """The folder for what is compiled once: $XDG_CACHE_HOME/lapwing, or ~/.cache/lapwing. Local."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lapwing"


def prefix() -> Path:
    """Where `make simgrid` puts SimGrid. Local."""
    return cache() / f"simgrid-{VERSION}"


def is_there() -> bool:
    """Whether SimGrid was built. Local."""
    return (prefix() / "complete").exists()


def require() -> Path:
    """Return the folder of SimGrid. Local; UserError where it is not there, with the command."""
    if not is_there():
        raise user_error(
            "SimGrid",
            f"nothing in {prefix()}",
            f"SimGrid {VERSION}, which simulates the network",
            "run `make simgrid` in lapwing's sources (minutes, once; needs Boost's headers: "
            "`make system-packages`)",
        )
    return prefix()


def driver() -> Path:
    """Return the program that simulates, compiled from these sources if it was not yet.

    Local; a minute or two where sources changed, else nothing. UserError where lapwing has no
    sources here (a wheel), OutsideError when they do not compile.
    """
    root = require()
    if not (_ROOT / "simulate" / "CMakeLists.txt").exists():
        raise user_error(
            "lapwing",
            f"no sources at {_ROOT}",
            "lapwing's sources, which are compiled for the simulator",
            "install lapwing with `pip install --editable .` or `make build` in its sources",
        )
    program = cache() / "simulate" / _fingerprint() / _PROGRAM
    if not program.exists():
        _build(root, program)
    return program


def _sources() -> Iterator[Path]:
    for part in _PARTS:
        yield from sorted(path for path in (_ROOT / part).rglob("*") if path.is_file())


def _fingerprint() -> str:
    """A name for the sources as they are."""
    digest = hashlib.sha256(VERSION.encode())
    for path in _sources():
        digest.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _build(simgrid: Path, program: Path) -> None:
    """Compile in a folder that is kept, so that the next time only what changed is compiled."""
    folder = cache() / "simulate" / f"build-{hashlib.sha256(bytes(_ROOT)).hexdigest()[:8]}"
    print(f"compiling the simulation in {folder}: a minute or two, once", flush=True)
    compiler = simgrid / "bin" / "smpicxx"
    configure = ["cmake", "-G", "Ninja", "-S", str(_ROOT / "simulate"), "-B", str(folder)]
    _run([*configure, f"-DCMAKE_CXX_COMPILER={compiler}"])
    _run(["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1)])
    program.parent.mkdir(parents=True, exist_ok=True)
    part = program.with_name(f"{_PROGRAM}.{os.getpid()}.part")
    part.write_bytes((folder / _PROGRAM).read_bytes())
    part.chmod(0o755)
    part.replace(program)


def _run(command: list[str]) -> None:
    try:
        job = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise outside_error(
            command[0], "no such program", "it on PATH", "activate the environment of `make build`"
        ) from None
    if job.returncode != 0:
        told = "\n".join((job.stdout + job.stderr).splitlines()[-30:])
        raise OutsideError(f"{' '.join(command)} ended with code {job.returncode}:\n{told}")
