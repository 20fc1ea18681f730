"""Versions that numbers and results depend on, for reports."""

from __future__ import annotations

import platform

from lapwing import _build_info, _core


def versions() -> dict[str, str]:
    """Versions of lapwing, of the MPI in this process and of Python, the compiler and its flags.

    Local; loads the extension, does not initialise MPI. The keys: lapwing, mpi, compiler, flags,
    python.
    """
    return {
        "lapwing": _core.version(),
        "mpi": _core.mpi_library_version().splitlines()[0],
        "compiler": _build_info.COMPILER,
        "flags": _build_info.FLAGS,
        "python": platform.python_version(),
    }
