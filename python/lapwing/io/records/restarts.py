"""Restart files and stores under one name: which one a run goes on from."""

from __future__ import annotations

from os.path import isdir
from pathlib import Path

from lapwing.base.atomic_file import part_of
from lapwing.base.error import UserError, user_error
from lapwing.io.restart import Fingerprint, check_restart_file, former_of
from lapwing.io.store.restart_store import check_restart_store


def check_restart(path: Path, belongs: Fingerprint) -> int:
    """The step of an intact restart file, or of a store none of whose chunks is missing or torn.

    Local, for one rank. UserError when it is missing, damaged or of another case or grid.
    """
    check = check_restart_store if isdir(path) else check_restart_file  # noqa: PTH112
    return check(path, belongs)


def newest_restart(path: Path, belongs: Fingerprint) -> tuple[Path, list[str]]:
    """The newest intact restart file at `path`, and the faults of the rest.

    Local. Looks at the file itself, its predecessor, and files that a killed job has left.
    UserError if none is intact, or belongs to another case.
    """
    steps: dict[Path, int] = {}
    wrong: list[str] = []
    for file in (path, former_of(path), part_of(path)):
        if not file.exists():
            continue
        try:
            steps[file] = check_restart(file, belongs)
        except UserError as problem:
            wrong.append(str(problem).partition("; expected")[0].removeprefix("--restart "))
    if not steps:
        raise user_error(
            f"--resume {path.parent}",
            "; ".join(wrong) or "no restart file",
            f"an intact {path.name}, as runs leave with run.restart_every",
            "start the case again",
        )
    return max(steps, key=lambda file: steps[file]), wrong
