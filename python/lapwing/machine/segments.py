"""Files of shared memory that killed MPICH jobs have left."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

FOLDER = Path("/dev/shm")

_AGE = 60.0  # s, after which a job that has made a segment has mapped it on all its ranks


def left_segments(folder: Path = FOLDER) -> list[Path]:
    """Segments of this user that no process maps whose maps can be read. Local."""
    segments = {str(path) for path in folder.glob("mpich_shm_*")}
    for maps in Path("/proc").glob("[0-9]*/maps") if segments else ():
        with suppress(OSError):  # of another user, or over by now
            segments -= {line.split()[-1] for line in maps.read_text().splitlines() if line}
    return sorted(Path(name) for name in segments if os.access(name, os.W_OK))


def remove_left_segments(folder: Path = FOLDER) -> None:
    """Remove those that are a minute old or older. Local."""
    for path in left_segments(folder):
        with suppress(OSError):  # another job does the same
            if time.time() - path.stat().st_mtime > _AGE:
                path.unlink()
