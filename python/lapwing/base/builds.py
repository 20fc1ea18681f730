"""The choice between several builds of the compiled modules.

A wheel for others (`make wheels`) holds a build for each kind of MPI and level of x86-64
processors, each in lapwing/builds/KIND-LEVEL, as if this were site-packages. One is chosen when the
first of its modules is imported: for the kind of MPI that is found where mpi4py's wheel looks, and
the highest level that the processor has. A build from source holds one build, next to the Python
modules, and nothing is chosen. LAPWING_BUILD=mpich-x86-64-v2 takes another one; `lapwing doctor`
tells which.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# Kinds of MPI whose libraries can take each other's place, by the names that the loader knows.
# MPICH's names serve Intel, Cray and MVAPICH too. A kind for the MPI 5 ABI would be one more row.
LIBRARIES = {"mpich": ("libmpi.so.12",), "openmpi": ("libmpi.so.40",)}

# The features of a processor that the code of a level needs, as Linux names them in /proc/cpuinfo.
_LEVELS = {
    "x86-64-v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"},
}

_FOLDER = Path(__file__).resolve().parents[1] / "builds"


@dataclass(frozen=True)
class Build:
    """One build in a wheel: a kind of MPI, a level of processors, and the folder that has both."""

    kind: str
    level: str
    folder: Path

    @property
    def name(self) -> str:
        """The name of the build, as LAPWING_BUILD takes it. Local."""
        return self.folder.name


def folders(package: str) -> list[str]:
    """The folders of the compiled modules of `package`, beyond its own folder.

    Local; for the `__path__` of a package. `package`: its full name. Returns: nothing where there
    is only one build. Errors: ImportError for an LAPWING_BUILD that does not exist, and where no
    build fits the processor.
    """
    build = chosen()
    return [] if build is None else [str(build.folder.joinpath(*package.split(".")))]


@cache
def chosen() -> Build | None:
    """The build of this process; None if there is only one. Local. Errors: as `folders`."""
    builds = available()
    if not builds:
        return None
    if wanted := os.environ.get("LAPWING_BUILD"):
        for build in builds:
            if build.name == wanted:
                return build
        raise _no_build(f"LAPWING_BUILD={wanted}", builds, "unset it, or set it to one of these")
    runnable = [build for build in builds if build.level in _processor_levels()]
    if not runnable:
        remedy = "build lapwing on this machine: `pip install .` in its sources"
        raise _no_build("a processor below x86-64-v2", builds, remedy)
    kind = kind_of_mpi()
    return next((build for build in runnable if build.kind == kind), runnable[0])


def available(folder: Path = _FOLDER) -> list[Build]:
    """All builds, higher levels first; empty if there is only one. Local."""
    builds = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        kind, _, level = path.name.partition("-")
        if level in _LEVELS:
            builds.append(Build(kind, level, path))
    return sorted(builds, key=lambda build: list(_LEVELS).index(build.level))


def _no_build(got: str, builds: list[Build], remedy: str) -> ImportError:
    names = ", ".join(build.name for build in builds)
    return ImportError(f"builds of lapwing: got {got}, expected one of {names}; {remedy}")


def _processor_levels(information: str = "/proc/cpuinfo") -> set[str]:
    """The levels whose code this processor runs. Local."""
    for line in Path(information).read_text().splitlines():
        if line.startswith("flags"):
            flags = set(line.partition(":")[2].split())
            v2 = _LEVELS["x86-64-v2"] <= flags
            return {level for level, needed in _LEVELS.items() if v2 and needed <= flags}
    return set()


# ---- which MPI is there


def kind_of_mpi() -> str | None:
    """The kind of MPI that this process has, or would load; None: none was found.

    Local; loads nothing. It is the kind of mpi4py.MPI if that is loaded, of MPI4PY_LIBMPI if that
    is set, of the launcher that started this process if such a library exists, else of the first
    library that is found.
    """
    if (loaded := sys.modules.get("mpi4py.MPI")) is not None:
        return _kind_of_mpi4py(loaded)
    found = list(_libraries_and_kinds())
    if found and os.environ.get("MPI4PY_LIBMPI"):
        return found[0][1]
    kinds = [kind for _, kind in found]
    launcher = "openmpi" if "OMPI_COMM_WORLD_SIZE" in os.environ else "mpich"
    if "OMPI_COMM_WORLD_SIZE" in os.environ or "PMI_SIZE" in os.environ:
        return launcher if launcher in kinds else next(iter(kinds), None)
    return next(iter(kinds), None)


def libraries(kind: str) -> list[Path]:
    """The files of MPI libraries of this kind that exist, in the order of the search. Local."""
    return [path for path, its_kind in _libraries_and_kinds() if its_kind == kind]


def search_folders() -> list[Path]:
    """The folders with MPI libraries: environments of Python as by mpi4py, then the loader's.

    Local. The loader's folders are LD_LIBRARY_PATH, the folder of the mpiexec on PATH, and the
    system's.
    """
    prefixes = [sys.exec_prefix, site.getuserbase(), sys.base_exec_prefix]
    places = [Path(prefix, "lib") for prefix in prefixes if prefix != "/usr"]
    places += [Path(p) for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
    for folder in os.environ.get("PATH", "").split(":"):
        if folder not in ("/usr/bin", "/bin") and Path(folder, "mpiexec").exists():
            places += [Path(folder).parent / "lib", Path(folder).parent / "lib64"]
    system = sysconfig.get_config_var("MULTIARCH") or "."
    places += [Path("/usr/lib64"), Path("/usr/lib", system), Path("/usr/lib")]
    return list(dict.fromkeys(places))


def _libraries_and_kinds() -> Iterator[tuple[Path, str]]:
    if forced := os.environ.get("MPI4PY_LIBMPI"):
        path = Path(forced)
        yield from ((path, kind) for kind in [_kind_of_file(path)] if kind)
    for folder in search_folders():
        for kind, names in LIBRARIES.items():
            for name in names:
                if (folder / name).exists():
                    yield folder / name, kind


def _kind_of_file(path: Path) -> str | None:
    """The kind of an MPI library, or of what a linker script of this name leads to. Local."""
    if not path.exists():
        return None
    words = path.read_bytes()
    is_openmpi = b"ompi_mpi_comm_self" in words or b"libmpi.so.40" in words
    return "openmpi" if is_openmpi else "mpich"


def _kind_of_mpi4py(loaded: Any) -> str:
    return "openmpi" if "Open MPI" in loaded.Get_library_version() else "mpich"
