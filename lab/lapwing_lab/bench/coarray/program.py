"""The lattice Boltzmann program with coarrays (lab/coarray), compiled where that can be done.

gfortran makes calls of OpenCoarrays out of coarrays, and that makes calls of MPI. Debian compiles
OpenCoarrays for an MPICH that has the binary interface of all MPICHs, so the program runs on the
MPICH of this environment: the one that lapwing's model runs on.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from lapwing.core import mpi_runtime

WAYS = ("buffered-push", "buffered-pull", "direct-push", "direct-pull")
SOURCES = Path(__file__).resolve().parents[3] / "coarray"
_FILES = (
    "lattice",
    "blocks",
    "populations",
    "exchange",
    "options",
    "files",
    "lbm_coarray",
    "finish",
)
# the flags of lapwing's kernels, or the bits would differ
_FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fprotect-parens")


class ProgramMissingError(Exception):
    """The program cannot be had here; the text says what is missing."""


def build(folder: Path) -> Path:
    """Compile the program into a folder and return its path. Local; seconds.

    Raises ProgramMissingError without gfortran, OpenCoarrays or MPICH, RuntimeError where the
    compiler fails.
    """
    compiler, coarrays, mpi = _compiler(), _coarrays(), _mpich()
    libraries = folder / "lib"
    libraries.mkdir(parents=True, exist_ok=True)
    # the name that OpenCoarrays asks for; what MPICH itself needs, it looks for next to that
    for name, target in (("libmpich.so.12", mpi), ("mpich", mpi.parent / "mpich")):
        (libraries / name).unlink(missing_ok=True)
        (libraries / name).symlink_to(target)
    program = folder / "lbm_coarray"
    command = [
        *(compiler, *_FLAGS, "-fcoarray=lib", "-J", str(folder), "-o", str(program)),
        *(str(SOURCES / f"{name}.f90") for name in _FILES),
        # -rdynamic: finish.f90 stands between OpenCoarrays and MPI
        *(str(coarrays), "-rdynamic", "-Wl,--allow-shlib-undefined"),
        f"-Wl,--disable-new-dtags,-rpath,{libraries}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"gfortran fails: {done.stderr[-2000:]}")
    return program


def _compiler() -> str:
    found = shutil.which("gfortran")
    if found is None:
        raise ProgramMissingError("no gfortran (Debian's package gfortran)")
    return found


def _coarrays() -> Path:
    places = "*/open-coarrays/mpich/lib/libcaf_mpich.so*"
    found = sorted(Path("/usr/lib").glob(places))
    if not found:
        raise ProgramMissingError("no OpenCoarrays for MPICH (Debian's package libcaf-mpich-3)")
    return found[0]


def _mpich() -> Path:
    library = mpi_runtime.built_with()
    if library.family != "MPICH":
        raise ProgramMissingError(
            f"OpenCoarrays is there for MPICH, this environment has {library}"
        )
    return mpi_runtime.library_path()
