"""Tuned files: what strategy `auto` found, for the next run of the same step on the same ranks.

A table [[step]] per finding: what it depends on (`stages` to `processor`), the strategy that was
taken, and what was measured, in words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from lapwing.base.agreement import at_root
from lapwing.base.atomic_file import check_file, write_text_file
from lapwing.base.error import UserError, user_error
from lapwing.base.settings import Where, fill, read_toml, tables_of, toml_text
from lapwing.core.domain import Domain
from lapwing.core.names import check_strategy
from lapwing.core.versions import machine, versions


@dataclass(frozen=True)
class Finding:
    """What a step with strategy `auto` depends on, and what it came to."""

    stages: list[str]
    grid: list[int]  # cells along each axis
    partition: str  # a number of all boxes and their ranks
    ranks: int
    ranks_per_node: int
    transport: str
    mpi: str
    processor: str
    strategy: str
    measured: str

    def differences(self, other: Finding) -> list[str]:
        """What keeps another one from being of the same step, in words. Local."""
        theirs = asdict(other)
        return [
            f"{name} {value!r} instead of {theirs[name]!r}"
            for name, value in asdict(self).items()
            if name not in ("strategy", "measured") and value != theirs[name]
        ]


@dataclass(frozen=True)
class _Document:
    step: list[Finding] = field(default_factory=list)


class TunedFile:
    """A file that strategy `auto` looks into before it measures, and writes to afterwards.

    Local; reads nothing yet. `path`: relative to where the program was started; it need not exist.
    """

    def __init__(self, path: Path | str) -> None:
        """Remember the name."""
        self.path = Path(path)
        self.words = ""  # what became of it, for people
        self._mine: Finding | None = None  # of this step, without a result; on rank 0
        self._open = False  # whether what `auto` finds is still to be written

    def look_up(self, domain: Domain, stages: Sequence[str], transport: str) -> str | None:
        """Return the strategy that was found for such a step, None where nothing was.

        Collective; rank 0 reads. UserError on all ranks for a file that is no tuned file, or that
        could not be written.
        """
        answer = at_root(domain.mpi, lambda: self._read(domain, stages, transport))
        strategy: str | None
        strategy, self.words = domain.mpi.bcast(answer)
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
        at_root(domain.mpi, lambda: self._write(strategy, measured))
        self.words = f"{self.path} now holds strategy {strategy} for this step"

    def _read(
        self, domain: Domain, stages: Sequence[str], transport: str
    ) -> tuple[str | None, str]:
        """The strategy, and words for people. Rank 0."""
        check_file("tuned file", self.path)
        self._mine = mine = _step_of(domain, stages, transport)
        steps = sorted(_load(self.path), key=lambda step: len(mine.differences(step)))
        unlike = mine.differences(steps[0]) if steps else []
        if steps and not unlike:
            return steps[0].strategy, f"strategy {steps[0].strategy}, as {self.path} says"
        why = f" ({', '.join(unlike)})" if unlike else ""
        return None, f"{self.path} has nothing for this step{why}: auto measures"

    def _write(self, strategy: str, measured: str) -> None:
        """Put a finding in the place of an earlier one. Rank 0."""
        assert self._mine is not None
        mine = replace(self._mine, strategy=strategy, measured=measured)
        others = [step for step in _load(self.path) if mine.differences(step)]
        text = "# What strategy auto found: see lapwing's docs/guide/hiding.md.\n"
        for step in (*others, mine):
            text += "\n" + toml_text(tables_of(step, "[step]"))
        write_text_file(f"tuned file {self.path}", self.path, text)


def tuned_file(name: str, path: str | Path | None, strategy: str) -> TunedFile | None:
    """The file of this path, None for none. Local.

    UserError about `name` for what is no file name, or without strategy auto, which looks into it.
    """
    if path is None:
        return None
    if not isinstance(path, str | Path):
        raise user_error(name, repr(path), "a file name", "pass a str or a Path")
    if strategy != "auto":
        raise user_error(
            name,
            f"{str(path)!r} with strategy {strategy!r}",
            "it with strategy 'auto', which looks into it",
            "choose strategy auto, or no tuned file",
        )
    return TunedFile(path)


def _step_of(domain: Domain, stages: Sequence[str], transport: str) -> Finding:
    """What a finding depends on, without one. Local."""
    partition = domain.partition
    boxes = [(list(one.box.lo), list(one.box.hi), one.rank) for one in partition.subdomains]
    return Finding(
        stages=list(stages),
        grid=[int(cells) for cells in partition.grid.size],
        partition=hashlib.sha256(repr(boxes).encode()).hexdigest()[:16],
        ranks=domain.ranks,
        ranks_per_node=domain.node.ranks,
        transport=transport,
        mpi=versions()["mpi"],
        processor=machine()["processor"],
        strategy="",
        measured="",
    )


def _load(path: Path) -> list[Finding]:
    """What a file holds, checked; nothing where there is no file. Local."""
    name = f"tuned file {path}"
    try:
        document = read_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as problem:  # of the disk, in UTF-8 or TOML
        raise _broken(name, str(problem)) from None
    steps = fill(_Document, document, Where(name)).step
    for number, step in enumerate(steps):
        check_strategy(f"{name}: step.{number}.strategy", step.strategy)
        if step.strategy == "auto":
            raise _broken(f"{name}: step.{number}.strategy", "'auto'")
    return steps


def _broken(name: str, got: str) -> UserError:
    return user_error(
        name,
        got,
        "tables [[step]] as strategy auto writes them",
        "fix the file, or remove it and auto measures again",
    )
