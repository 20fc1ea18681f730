"""Kept numbers of experiments: a file for each report, checked against the version that made it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from lapwing.base.atomic_file import write_json_file
from lapwing.base.error import user_error
from lapwing.base.settings import read_toml
from lapwing.core import _core

from lapwing_lab.machine.machine import machine_path
from lapwing_lab.reproduce.experiment import Experiment, Numbers

SCHEMA = "lapwing-reproduce-1"
_AGAIN = "add --fresh without --table, which runs it again"


class Kept:
    """The numbers of a report's experiments; one that is missing is run."""

    def __init__(
        self, file: Path, *, fresh: bool = False, runs: bool = True, some: bool = False
    ) -> None:
        """Read the file, unless `fresh`. Local; UserError for one of another version.

        `runs`: whether what is missing is run; else it is a UserError. `some`: only some of the
        experiments are asked for, so that the others stay in the file.
        """
        self._file, self._runs = file, runs
        self._found = {} if fresh or not file.exists() else _read(file)
        self._others = _read(file) if fresh and some and file.exists() else {}
        self.used: list[str] = []  # command lines, in order

    def __call__(self, one: Experiment) -> Numbers:
        """Return the numbers of an experiment. Local; UserError for kept ones that do not fit."""
        command, digest = one.command, _digest(one.machine)
        self.used.append(command)
        found = self._found.get(command)
        if found is None:
            if not self._runs:
                raise user_error("kept numbers", f"none of `{command}`", "its numbers", _AGAIN)
            found = self._found[command] = {"machine": digest, "numbers": dict(one.run())}
            self._write()
        if found["machine"] != digest:
            expected = f"numbers on machine {one.machine} as it is now"
            raise user_error(f"kept `{command}`", "another machine file", expected, _AGAIN)
        numbers: Numbers = found["numbers"]
        return numbers

    def _write(self) -> None:
        content = {"schema": SCHEMA, "lapwing": _core.version()}
        experiments = dict(sorted((self._others | self._found).items()))
        write_json_file(self._file, content | {"experiments": experiments})


def _digest(machine: str) -> str:
    """A name for what a machine file says, whatever its comments; nothing where none is needed."""
    if not machine:
        return ""
    said = json.dumps(read_toml(machine_path(machine).read_text(encoding="utf-8")), sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _read(file: Path) -> dict[str, Any]:
    found = json.loads(file.read_text())
    for key, expected in (("schema", SCHEMA), ("lapwing", _core.version())):
        if found.get(key) != expected:
            got = f"{key} {found.get(key)}"
            raise user_error(f"kept numbers {file.name}", got, f"{key} {expected}", _AGAIN)
    experiments: dict[str, Any] = found["experiments"]
    return experiments
