"""Files of shared memory that killed jobs have left."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import chain
from pathlib import Path

FOLDER = Path("/dev/shm")

# of MPICH, of UCX under it, and of Open MPI
_NAMES = ("mpich_shm_*", "ucx_shm_posix_*", "sm_segment.*")

_MAPPING = 0.5  # s, much longer than an MPI takes from making a segment to mapping it


def left_segments(folder: Path = FOLDER) -> list[Path]:
    """Segments of this user that no process maps whose maps can be read. Local."""
    segments = {str(path) for path in chain.from_iterable(map(folder.glob, _NAMES))}
    for maps in Path("/proc").glob("[0-9]*/maps") if segments else ():
        with suppress(OSError):  # segments of another user, or of a process that is over by now
            segments -= {line.split()[-1] for line in maps.read_text().splitlines() if line}
    return sorted(Path(name) for name in segments if os.access(name, os.W_OK))


def remove_left_segments(since: float, folder: Path = FOLDER) -> None:
    """Remove those made since a time (`time.time`), after a job has been killed. Local.

    MPICH's and UCX's have names only until they are mapped (MPICH's by all ranks:
    `unlink_shared_files`), so those are of jobs that ended before. It looks twice: another job may
    just have made one.
    """
    left = left_segments(folder)
    if not left:
        return
    time.sleep(_MAPPING)
    for path in set(left) & set(left_segments(folder)):
        with suppress(OSError):  # another job does the same
            if path.stat().st_mtime >= since:
                path.unlink()
