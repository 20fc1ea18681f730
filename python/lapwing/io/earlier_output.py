"""Output of the earlier part of a run: what a continued run finds in its folder and keeps of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

from lapwing.base.atomic_file import part_of
from lapwing.base.error import UserError, user_error
from lapwing.io.agenda import Agenda
from lapwing.io.restart import Fingerprint

REMEDY = "choose another --out, or move the file away"
ATTRIBUTE = "lapwing_case"  # of an output file: the fingerprint of its case as JSON


@dataclass(frozen=True)
class Earlier:
    """An output file of the same case and how many of its records stand before the restart."""

    path: Path
    steps: list[int]  # of all records
    kept: int

    def missing_after(self, agenda: Agenda, first: int) -> int | None:
        """The step after which records are missing up to step `first`; None when none is. Local."""
        last = self.steps[self.kept - 1] if self.kept else 0
        return last if agenda.next_output(last) <= first else None


def find_earlier(
    path: Path, belongs: Fingerprint, agenda: Agenda, first: int
) -> tuple[Earlier | None, list[str]]:
    """The output to append to when a run goes on from step `first`, and notes for the user.

    That is the file at `path`; or what a killed job has left under the temporary name, where that
    holds more, which then gets the name `path`. Local, for one rank. UserError when the file at
    `path` cannot be read or is of another case.
    """
    try:
        found = _look_into(path, belongs, agenda, first) if path.exists() else None
    except (OSError, RuntimeError) as problem:
        raise user_error(
            str(path), str(problem), "the output of the earlier part of the run", REMEDY
        ) from None
    part = part_of(path)
    if not part.exists():
        return found, []
    try:
        left = _look_into(part, belongs, agenda, first)
        if left.kept <= (found.kept if found else 0):
            return found, []
        _read_all(left)
    except UserError:  # of another case: the name is free for anybody, and no result
        return found, []
    except (OSError, RuntimeError):
        return found, [f"{part}, left by a job that was killed, cannot be read and is replaced"]
    part.replace(path)
    return Earlier(path, left.steps, left.kept), [f"{part} was left by a job that was killed"]


def _look_into(path: Path, belongs: Fingerprint, agenda: Agenda, first: int) -> Earlier:
    with netCDF4.Dataset(path, "r") as data:
        if ATTRIBUTE not in data.ncattrs():
            raise user_error(str(path), "another program's file", "an output of lapwing", REMEDY)
        about = Fingerprint(**json.loads(data.getncattr(ATTRIBUTE)))
        belongs.check(about, str(path), REMEDY)
        steps = [int(step) for step in np.asarray(data["step"][:])]
    # The earlier part ended with a record; one that never stopped has it only where it is due.
    kept = sum(step < first or (step == first and agenda.is_output_due(step)) for step in steps)
    return Earlier(path, steps, kept)


def _read_all(earlier: Earlier) -> None:
    """Read every record that is to be kept: one that is damaged raises OSError or RuntimeError."""
    with netCDF4.Dataset(earlier.path, "r") as data:
        for variable in data.variables.values():
            over_time = variable.dimensions[:1] == ("time",)
            for record in range(earlier.kept if over_time else 0):
                variable[record]
            if not over_time:
                variable[...]
