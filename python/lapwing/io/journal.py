"""The journal of a file of records: each record as plain bytes, until that file is complete.

NetCDF-4 files change in place: a process that is killed in the middle may leave a file that no
program can read, with all its records. The journal only grows, and each entry has its checksum, so
that complete entries stay complete. It is a line of text that says what the records belong to, and
an entry for each of them: a line with checksum and length, a line of JSON, and the arrays one after
another.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_HEAD = "lapwing-journal-1 {about}\n"
_ENTRY = "record crc32={crc:08x} bytes={size:020d}\n"
_ENTRY_FORM = re.compile(rb"record crc32=([0-9a-f]{8}) bytes=(\d{20})\n")
_ENTRY_LENGTH = len(_ENTRY.format(crc=0, size=0))


def journal_of(path: Path) -> Path:
    """The name of the journal of a file of records. Local."""
    return path.with_name(path.name + ".journal")


@dataclass(frozen=True)
class Record:
    """The values of one record as they lie in the file, with fixed variables in the first."""

    step: int
    time: float  # s since the start
    values: Mapping[str, NDArray[Any]]

    def checksum(self, names: Collection[str], start: int = 0) -> int:
        """CRC-32 of time, step and the values of these names, going on from `start`. Local."""
        arrays = [np.array([self.time]), np.array([self.step])]
        for array in (*arrays, *(self.values[name] for name in names)):
            start = zlib.crc32(_bytes(array), start)
        return start


class Journal:
    """A journal that is written. Local. OSError where the disk refuses."""

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        """Begin it; `about`: the owner of its records, as JSON can hold it."""
        self.path = journal_of(path)
        self._file: IO[bytes] = self.path.open("wb", buffering=0)
        self._write(_HEAD.format(about=json.dumps(about, sort_keys=True)).encode())

    def append(self, record: Record) -> None:
        """Add a record; it is the system's when this returns, however the process ends then."""
        forms = {name: [array.dtype.str, array.shape] for name, array in record.values.items()}
        line = json.dumps({"step": record.step, "time": record.time, "arrays": forms}) + "\n"
        parts = [memoryview(line.encode()), *map(_bytes, record.values.values())]
        crc = 0
        for part in parts:
            crc = zlib.crc32(part, crc)
        size = sum(len(part) for part in parts)
        self._write(_ENTRY.format(crc=crc, size=size).encode())
        for part in parts:
            self._write(part)

    def _write(self, part: bytes | memoryview) -> None:
        rest = memoryview(part)
        while len(rest) > 0:  # one call may write less, up to 2 GiB on Linux
            rest = rest[self._file.write(rest) :]

    def close(self) -> None:
        """Leave it as it is."""
        self._file.close()

    def remove(self) -> None:
        """Close and remove it, as the file that it stands for is complete."""
        self.close()
        self.path.unlink(missing_ok=True)


def _bytes(array: NDArray[Any]) -> memoryview[int]:
    """The bytes of an array in C order. Local."""
    return memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def read_about(path: Path) -> dict[str, Any] | None:
    """The owner of the records in the journal of a file; None if there is no journal. Local."""
    try:
        with journal_of(path).open("rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    name, _, about = line.decode(errors="replace").partition(" ")
    if name != _HEAD.partition(" ")[0] or not line.endswith(b"\n"):
        return None  # its process was killed before it had a record, or the file is another's
    try:
        found = json.loads(about)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_records(path: Path) -> Iterator[Record]:
    """The whole records of the journal of a file, up to the first that is torn. Local."""
    with journal_of(path).open("rb") as file:
        file.readline()
        end = os.fstat(file.fileno()).st_size
        while head := _ENTRY_FORM.fullmatch(file.read(_ENTRY_LENGTH)):
            size = int(head[2])
            entry = file.read(size) if size <= end - file.tell() else b""
            if len(entry) != size or zlib.crc32(entry) != int(head[1], 16):
                return
            yield _record(entry)


def _record(entry: bytes) -> Record:
    line, _, rest = entry.partition(b"\n")
    about = json.loads(line)
    values, at = {}, 0
    for name, (kind, shape) in about["arrays"].items():
        count = int(np.prod(shape, dtype=np.int64))
        values[name] = np.frombuffer(rest, kind, count, at).reshape(shape)
        at += values[name].nbytes
    return Record(about["step"], about["time"], values)
