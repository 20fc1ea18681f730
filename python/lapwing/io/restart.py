"""Restart files: the state of a run at one step, for a bitwise continuation on any rank count.

A file is one line of text, ``lapwing-restart-1 sha256=<64 hex> bytes=<20 digits>``, and that many
bytes: one line of JSON (what the state belongs to) and the arrays of the whole grid, each as NumPy
writes them. The checksum is verified before any of those bytes is interpreted. Positions that
alternate from step to step (the order of x and y) follow from the step number.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base import settings as keys
from lapwing.base.array_file import read_array
from lapwing.base.atomic_file import complete_or_absent, part_of
from lapwing.base.error import UserError, shortened, user_error
from lapwing.model.case import Case
from lapwing.model.model import Geometry

_HEAD = "lapwing-restart-1 sha256={digest} bytes={size:020d}\n"
_HEAD_FORM = re.compile(rb"lapwing-restart-1 sha256=([0-9a-f]{64}) bytes=(\d{20})\n")
_HEAD_LENGTH = len(_HEAD.format(digest="0" * 64, size=0))
_BROKEN = (ValueError, TypeError, LookupError, RecursionError, OverflowError)  # in what is read
_PIECE = 1 << 20  # bytes read at once for the checksum


@dataclass(frozen=True)
class Fingerprint:
    """The owner of a state: model, settings and grid, not the length or partition of a run."""

    model: str
    settings: Mapping[str, Any]  # by dotted name
    grid: list[int]  # cells per axis
    periodic: list[bool]
    wet: str  # checksum of the wet cells; empty in files of a program that has wet cells alone
    north_fold: str = "none"

    def check(self, other: Fingerprint, name: str, remedy: str) -> None:
        """Raise UserError naming the first thing in which the case of the file `name` differs."""
        for mine, theirs in zip(self._parts(), other._parts(), strict=True):
            for what in dict.fromkeys([*mine, *theirs]):
                if mine.get(what) != theirs.get(what):
                    got = f"a file of a case with {what} = {theirs.get(what)}"
                    raise user_error(name, got, f"{mine.get(what)}, as in the case", remedy)

    def _parts(self) -> list[Mapping[str, Any]]:
        whole = {
            "model": self.model,
            "grid": self.grid,
            "periodic": self.periodic,
            "north_fold": self.north_fold,
        }
        return [whole, self.settings, {"wet cells (checksum)": self.wet[:15] or "all"}]


def fingerprint(case: Case, geometry: Geometry) -> Fingerprint:
    """The fingerprint of a case. Local."""

    def content(path: Path) -> str:
        """The identity of a file: its checksum, as its name depends on the folder."""
        file = case.folder / path
        if not file.is_file():
            return str(path)
        return "SHA-256 " + hashlib.sha256(file.read_bytes()).hexdigest()[:12]

    # Through JSON, so that it compares equal to one that was read from a file.
    settings = json.loads(json.dumps(keys.flat(case.settings, place=content)))
    wet = np.ascontiguousarray(geometry.wet, dtype=np.uint8)
    return Fingerprint(
        model=case.model.name,
        settings=settings,
        grid=[int(n) for n in geometry.grid.size],
        periodic=[bool(p) for p in geometry.grid.periodic],
        wet=hashlib.sha256(wet.tobytes()).hexdigest(),
        north_fold=geometry.grid.north_fold,
    )


class _HashingFile:
    """A file that takes the checksum of what passes through `write`."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.checksum = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self.checksum.update(data)
        self.size += len(data)
        return self.file.write(data)


def write_restart(
    path: Path, belongs: Fingerprint, step: int, state: Mapping[str, NDArray[Any]]
) -> None:
    """Write the state [nx, ny(, nz)] of every field at `step`, complete or not at all.

    Local, for one rank. OSError when the file cannot be written.
    """
    about = {"step": step, "fields": list(state), **asdict(belongs)}
    with complete_or_absent(path) as part, part.open("wb") as file:
        file.write(b" " * _HEAD_LENGTH)
        payload = _HashingFile(file)
        payload.write(json.dumps(about, sort_keys=True).encode() + b"\n")
        for array in state.values():
            # F order: the bytes do not depend on how the gathered array lies in memory.
            values = np.asfortranarray(array)
            np.lib.format.write_array(payload, values, allow_pickle=False)
        file.seek(0)
        head = _HEAD.format(digest=payload.checksum.hexdigest(), size=payload.size)
        file.write(head.encode())
        file.flush()
        _keep_former(path)


def former_of(path: Path) -> Path:
    """The name that a restart file has when a newer one takes its place. Local."""
    return path.with_name(path.name + ".former")


def _keep_former(path: Path) -> None:
    """Give the file that will be replaced another name too, so that there is one all the time."""
    if not path.is_file():
        return
    link = part_of(former_of(path))
    link.unlink(missing_ok=True)
    try:
        link.hardlink_to(path)
    except OSError:  # a disk without links
        path.replace(former_of(path))
    else:
        link.replace(former_of(path))


def read_restart(path: Path, belongs: Fingerprint) -> tuple[int, dict[str, NDArray[Any]]]:
    """The step and the state [nx, ny(, nz)] of every field in a restart file.

    Local, for one rank. UserError when the file is missing, truncated, corrupted or of another
    case or grid.
    """
    with _open_verified(path) as file:
        about, step = _read_about(file, path, belongs)
        try:
            state = {name: read_array(file) for name in about["fields"]}
        except _BROKEN as problem:
            raise _unlike(path, problem) from None
    return step, state


def check_restart_file(path: Path, belongs: Fingerprint) -> int:
    """The step of a restart file after the checks of `read_restart`, without its arrays. Local."""
    with _open_verified(path) as file:
        return _read_about(file, path, belongs)[1]


def _read_about(file: IO[bytes], path: Path, belongs: Fingerprint) -> tuple[dict[str, Any], int]:
    remedy = "restart the case that wrote the file, or start again without --restart"
    try:
        about: dict[str, Any] = json.loads(file.readline())
        parts = {item.name: about[item.name] for item in fields(Fingerprint)}
        written_by = Fingerprint(**parts | {"settings": dict(parts["settings"])})
        step = int(about["step"])
        belongs.check(written_by, f"--restart {path}", remedy)
    except UserError:
        raise
    except _BROKEN as problem:
        raise _unlike(path, problem) from None
    return about, step


def _unlike(path: Path, problem: Exception) -> UserError:
    got = f"text or arrays that cannot be read ({shortened(str(problem))})"
    return _bad(path, got, "a file written by `lapwing run`")


def _open_verified(path: Path) -> IO[bytes]:
    """Open a restart file behind its head line, after its checksum was found right."""
    try:
        file = path.open("rb")
    except OSError as problem:
        raise _bad(path, problem.strerror or str(problem), "a readable restart file") from None
    try:
        _verify(file, path)
    except BaseException:
        file.close()
        raise
    return file


def _verify(file: IO[bytes], path: Path) -> None:
    head = _HEAD_FORM.fullmatch(file.read(_HEAD_LENGTH))
    if head is None:
        raise _bad(path, "a file that begins otherwise", "a file written by `lapwing run`")
    expected, size = head[1].decode(), int(head[2])
    checksum, length = hashlib.sha256(), 0
    while piece := file.read(_PIECE):
        checksum.update(piece)
        length += len(piece)
    if length != size:
        raise _bad(path, f"{length} bytes of state (truncated or grown)", f"{size} bytes")
    if checksum.hexdigest() != expected:
        got = checksum.hexdigest()[:12]
        raise _bad(path, f"SHA-256 {got}... (corrupted)", f"{expected[:12]}..., as its head says")
    file.seek(_HEAD_LENGTH)


def _bad(path: Path, got: str, expected: str) -> UserError:
    remedy = "take an older copy of the file, or start again without --restart"
    return user_error(f"--restart {path}", got, expected, remedy)
