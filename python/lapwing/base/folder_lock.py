"""One job per folder: a lock that the system takes back when its process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import platform
import time
from pathlib import Path

from lapwing.base.error import user_error

_NAME = ".lapwing.lock"


class FolderLock:
    """The right to write to a folder, until `release` or the end of this process.

    Local. UserError, with host and process of the other, where a job has it. Works across the nodes
    of a network file system that has locks (flock).
    """

    def __init__(self, option: str, folder: Path, file: Path | None = None) -> None:
        """Take it at once or not at all; `option` names what chose the folder.

        `file`: the file of the lock, one in the folder by default.
        """
        self._path = file or folder / _NAME
        while True:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(self._handle, 200, 0).decode(errors="replace").strip()
                os.close(self._handle)
                raise user_error(
                    f"{option} {folder}",
                    f"a folder that another job writes to ({holder or 'it has just begun'})",
                    "a folder for this job alone",
                    f"wait until that job has ended, or choose another {option}",
                ) from None
            if self._is_still_there():
                break
            os.close(self._handle)  # whoever had it has removed it meanwhile
        began = time.strftime("%Y-%m-%d %H:%M:%S")
        os.ftruncate(self._handle, 0)
        holder = f"host {platform.node()}, process {os.getpid()}, since {began}"
        os.pwrite(self._handle, holder.encode(), 0)

    def _is_still_there(self) -> bool:
        try:
            return self._path.stat().st_ino == os.fstat(self._handle).st_ino
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let others write there. Local; does nothing the second time."""
        if self._handle >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1
