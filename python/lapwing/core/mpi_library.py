"""MPI libraries by name and version, and whose a launcher is."""

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lapwing.base import builds


@dataclass(frozen=True)
class MPILibrary:
    """Name and version of an MPI library, as in "MPICH 5.0.2"."""

    name: str
    version: str

    @classmethod
    def from_text(cls, text: str) -> "MPILibrary":
        """Read what MPI_Get_library_version returned.

        Local. `text`: its result. Unknown libraries get their first line as the name.
        """
        for pattern, name in (
            (r"Open MPI v([\d.]+\w*)", "Open MPI"),
            (r"Intel\(R\) MPI Library ([\d.]+)", "Intel MPI"),
            (r"MPICH Version:\s*([\d.]+\w*)", "MPICH"),
        ):
            if match := re.search(pattern, text):
                return cls(name, match[1])
        return cls(text.strip().partition("\n")[0], "")

    @property
    def family(self) -> str:
        """The family of its launchers: "Open MPI", or "MPICH" with all its descendants. Local."""
        return "Open MPI" if self.name == "Open MPI" else "MPICH"

    @property
    def launcher(self) -> str:
        """Whose options its launchers take: "Intel MPI", or its family. Local."""
        return self.name if self.name == "Intel MPI" else self.family

    def is_like(self, other: "MPILibrary") -> bool:
        """True if a program built for `other` can run on this. Local.

        Same name and major version; for a build that is distributed, the same family.
        """
        if builds.chosen() is not None:
            return self.family == other.family
        return (self.name, self.version.split(".")[0]) == (other.name, other.version.split(".")[0])

    def __str__(self) -> str:
        """Return name and version."""
        return f"{self.name} {self.version}".strip()


def launcher_family(path: Path) -> str:
    """Return whose launcher it is, "Open MPI" or "MPICH"; "" where it does not say. Local."""
    if path.suffix in (".hydra", ".openmpi"):
        return "MPICH" if path.suffix == ".hydra" else "Open MPI"
    said = launcher_of(path)
    return "MPICH" if said == "Intel MPI" else said


@cache
def launcher_of(path: Path) -> str:
    """Return whose options a launcher takes, as `MPILibrary.launcher`. Local.

    Returns: "" where it does not say.
    """
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    signs = {
        "HYDRA": "MPICH",
        "Intel(R) MPI": "Intel MPI",
        "Open MPI": "Open MPI",
        "OpenRTE": "Open MPI",
        "PRRTE": "Open MPI",
    }
    told = done.stdout + done.stderr
    return next((name for sign, name in signs.items() if sign in told), "")
