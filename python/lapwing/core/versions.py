"""Machine and versions that numbers and results depend on, for reports."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lapwing.base.atomic_file import write_json_file
from lapwing.core import _build_info, _core


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


def machine() -> dict[str, Any]:
    """The machine under this process. Local. The keys: processor, cores, usable_cores, system."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [row for row in info.read_text().splitlines() if row.startswith("model name")]
        name = models[0].partition(":")[2].strip() if models else name
    return {
        "processor": name,
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "system": platform.system(),
    }


def write_report(
    file: Path, schema: str, content: Mapping[str, Any], more: Mapping[str, str] | None = None
) -> None:
    """Write `content` as JSON behind its schema, the machine and the versions, `more` with them.

    Local. OutsideError when the disk refuses.
    """
    write_json_file(file, report_head(schema, more) | dict(content))


def report_head(schema: str, more: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The head of every report: schema, machine and versions, and `more`. Local."""
    return {"schema": schema, "machine": machine(), "versions": versions() | dict(more or {})}
