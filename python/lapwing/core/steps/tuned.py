"""Tuned files: what strategy `auto` found, for the next run of the same step on the same ranks.

A table [[step]] per finding: what it depends on (`stages` to `processor`), the strategy that was
taken, and what was measured, in words.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import together
from lapwing.base.atomic_file import check_file, write_text_file
from lapwing.base.error import user_error
from lapwing.base.toml_value import toml_value
from lapwing.core.names import check_strategy
from lapwing.core.versions import machine, versions

if TYPE_CHECKING:
    from lapwing.core.domain import Domain

# what a finding depends on, and of which type it is
_KEYS: dict[str, type] = {
    "stages": list,  # names
    "grid": list,  # cells along each axis
    "partition": str,  # a number of all boxes and their ranks
    "ranks": int,
    "ranks_per_node": int,
    "transport": str,
    "mpi": str,
    "processor": str,
}
_FOUND = {"strategy": str, "measured": str}


class TunedFile:
    """A file that strategy `auto` looks into before it measures, and writes to afterwards.

    Local; reads nothing yet. `path`: relative to where the program was started; it need not exist.
    """

    def __init__(self, path: Path | str) -> None:
        """Remember the name."""
        self.path = Path(path)
        self.words = ""  # what became of it, for people
        self._key: dict[str, Any] = {}
        self._open = False  # whether what `auto` finds is still to be written

    def look_up(self, domain: Domain, stages: Sequence[str], transport: str) -> str | None:
        """Return the strategy that was found for such a step, None where nothing was.

        Collective; rank 0 reads. UserError on all ranks for a file that is no tuned file, or that
        could not be written.
        """
        comm = domain.mpi
        answer = together(
            comm, lambda: self._read(domain, stages, transport) if not comm.rank else None
        )
        strategy: str | None
        strategy, self.words = comm.bcast(answer)
        self._open = strategy is None
        return strategy

    def keep(self, domain: Domain, strategy: str, measured: str) -> None:
        """Write what a step with strategy `auto` has found, once.

        Collective; rank 0 writes. `strategy`: the one in use, `measured`: why, both as the step
        says. Does nothing while it still measures, or where the file knew. OutsideError on all
        ranks when the disk refuses.
        """
        if not self._open or strategy == "auto" or not measured:
            return
        self._open = False
        comm = domain.mpi
        together(comm, lambda: self._write(strategy, measured) if not comm.rank else None)
        self.words = f"{self.path} now holds strategy {strategy} for this step"

    def _read(
        self, domain: Domain, stages: Sequence[str], transport: str
    ) -> tuple[str | None, str]:
        """The strategy, and words for people. Rank 0."""
        check_file("tuned file", self.path)
        self._key = _key_of(domain, stages, transport)
        steps = _load(self.path)
        for step in steps:
            if all(step[name] == value for name, value in self._key.items()):
                return str(step["strategy"]), f"strategy {step['strategy']}, as {self.path} says"
        return (
            None,
            f"{self.path} has nothing for this step{self._difference(steps)}: auto measures",
        )

    def _difference(self, steps: Sequence[dict[str, Any]]) -> str:
        """What keeps the nearest of the file's steps from being this one. Local."""
        if not steps:
            return ""
        unlike = [[name for name, value in self._key.items() if s[name] != value] for s in steps]
        names = min(unlike, key=len)
        nearest = steps[unlike.index(names)]
        told = (f"{name} {self._key[name]!r} instead of {nearest[name]!r}" for name in names)
        return f" ({', '.join(told)})"

    def _write(self, strategy: str, measured: str) -> None:
        """Put a finding in the place of an earlier one. Rank 0."""
        mine = {**self._key, "strategy": strategy, "measured": measured}
        others = [
            step
            for step in _load(self.path)
            if any(step[name] != value for name, value in self._key.items())
        ]
        lines = ["# What strategy auto found: see lapwing's docs/strategies.md."]
        for step in (*others, mine):
            lines += [
                "",
                "[[step]]",
                *(f"{key} = {toml_value(value)}" for key, value in step.items()),
            ]
        write_text_file(f"tuned file {self.path}", self.path, "\n".join(lines) + "\n")


def _key_of(domain: Domain, stages: Sequence[str], transport: str) -> dict[str, Any]:
    """What a finding depends on, by the names of `_KEYS`. Local."""
    partition = domain.partition
    boxes = [(list(one.box.lo), list(one.box.hi), one.rank) for one in partition.subdomains]
    return {
        "stages": list(stages),
        "grid": [int(cells) for cells in partition.grid.size],
        "partition": hashlib.sha256(repr(boxes).encode()).hexdigest()[:16],
        "ranks": domain.ranks,
        "ranks_per_node": domain.ranks_on_node,
        "transport": transport,
        "mpi": versions()["mpi"],
        "processor": machine()["processor"],
    }


def _load(path: Path) -> list[dict[str, Any]]:
    """The tables of a file, checked; none where there is no file. Local."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as problem:
        raise _broken(path, str(problem)) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise _broken(path, str(problem)) from None
    steps = document.get("step", [])
    if document.keys() - {"step"} or not isinstance(steps, list):
        raise _broken(path, f"the keys {', '.join(map(repr, document))}")
    for number, step in enumerate(steps, start=1):
        _check_step(path, number, step)
    return steps


def _check_step(path: Path, number: int, step: Any) -> None:
    """Raise UserError unless a table holds what it should. Local."""
    wanted = _KEYS | _FOUND
    if not isinstance(step, dict):
        raise _broken(path, f"{step!r} for step {number}")
    for name in step.keys() - wanted.keys():
        raise _broken(path, f"an unknown key {name!r} in step {number}")
    for name, kind in wanted.items():
        if not isinstance(step.get(name), kind) or isinstance(step[name], bool):
            got = repr(step[name]) if name in step else "nothing"
            raise _broken(path, f"{got} for {name} of step {number}")
    check_strategy(f"strategy of step {number} in tuned file {path}", step["strategy"])
    if step["strategy"] == "auto":
        raise _broken(path, f"'auto' for strategy of step {number}")


def _broken(path: Path, got: str) -> Exception:
    return user_error(
        f"tuned file {path}",
        got,
        "tables [[step]] as strategy auto writes them",
        "mend the file, or remove it and auto measures again",
    )
