"""Tuned files: results of measuring, for the next run on the same ranks.

They have a table [[step]] per finding of strategy `auto`: the conditions (`stages` to `processor`),
the chosen strategy, and a readable account of the measurements. They have a table [[run]] per
finding of `lapwing tune`: the same of a whole run (`case` to `processor`), and how to cut, move and
order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, Literal

from lapwing.base.agreement import at_root
from lapwing.base.atomic_file import check_file, write_text_file
from lapwing.base.error import UserError, user_error
from lapwing.base.settings import Where, fill, read_toml, tables_of, toml_text
from lapwing.core.domain import Domain
from lapwing.core.names import check_strategy, check_transport
from lapwing.core.versions import machine, versions


@dataclass(frozen=True)
class Finding:
    """The conditions of a step with strategy `auto`, and its choice."""

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
        """Describe why another one is not of the same step. Local."""
        return _differences(self, other, ("strategy", "measured"))


@dataclass(frozen=True)
class RunFinding:
    """The conditions of a run of a case, and the fastest way that `lapwing tune` found for it."""

    case: str
    settings: str  # a number of the model, all its settings and its wet cells
    grid: list[int]  # cells along each axis
    ranks: int  # ranks of the model
    nodes: int
    mpi: str
    processor: str
    partition: Literal["block", "ksection"]
    blocks: list[int]  # along each axis; empty for a k-section
    transport: str
    strategy: str
    measured: str
    threads: int = 0  # threads of each rank; 0: as the case says

    def differences(self, other: RunFinding) -> list[str]:
        """Describe why another one is not of the same run. Local."""
        answers = ("partition", "blocks", "transport", "strategy", "threads", "measured")
        found = _differences(self, other, ("settings", *answers))
        alike = self.settings == other.settings or self.case != other.case
        return found if alike else [*found, "other settings"]


@dataclass(frozen=True)
class Document:
    """The content of a tuned file."""

    step: list[Finding] = field(default_factory=list)
    run: list[RunFinding] = field(default_factory=list)


def _differences(mine: Any, other: Any, answers: Sequence[str]) -> list[str]:
    """List the differences between two findings, except for their answers. Local."""
    theirs = asdict(other)
    return [
        f"{name} {value!r} instead of {theirs[name]!r}"
        for name, value in asdict(mine).items()
        if name not in answers and value != theirs[name]
    ]


class TunedFile:
    """A file that strategy `auto` looks into before it measures, and writes to afterwards.

    Local; reads nothing yet. `path`: relative to where the program was started; it need not exist.
    """

    def __init__(self, path: Path | str) -> None:
        """Remember the name."""
        self.path = Path(path)
        self.words = ""  # outcome, as readable text
        self._mine: Finding | None = None  # finding of this step, without a result; on rank 0
        self._open = False  # true if the finding of `auto` is still to be written

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
        """Write the finding of a step with strategy `auto`, once.

        Collective; rank 0 writes. `strategy`: the strategy in use, `measured`: why, both as the
        step says. Does nothing while it still measures, or if the file had it. OutsideError on all
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
        """The strategy, and a readable account. Rank 0."""
        check_file("tuned file", self.path)
        self._mine = mine = _step_of(domain, stages, transport)
        steps = sorted(load(self.path).step, key=lambda step: len(mine.differences(step)))
        unlike = mine.differences(steps[0]) if steps else []
        if steps and not unlike:
            return steps[0].strategy, f"strategy {steps[0].strategy}, as {self.path} says"
        why = f" ({', '.join(unlike)})" if unlike else ""
        return None, f"{self.path} has nothing for this step{why}: auto measures"

    def _write(self, strategy: str, measured: str) -> None:
        """Put a finding in the place of an earlier one. Rank 0."""
        assert self._mine is not None
        mine = replace(self._mine, strategy=strategy, measured=measured)
        there = load(self.path)
        others = [step for step in there.step if mine.differences(step)]
        save(self.path, replace(there, step=[*others, mine]))


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
    """The conditions of a finding, without its answer. Local."""
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


def load(path: Path) -> Document:
    """Read a file and check it; empty without a file.

    Local. UserError for what is no tuned file.
    """
    name = f"tuned file {path}"
    try:
        tables = read_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Document()
    except (OSError, ValueError) as problem:  # errors of the disk, in UTF-8 or TOML
        raise _broken(name, str(problem)) from None
    document = fill(Document, tables, Where(name))
    for kind in ("step", "run"):
        for number, finding in enumerate(getattr(document, kind)):
            _check(f"{name}: {kind}.{number}", finding)
    return document


def save(path: Path, document: Document) -> None:
    """Write a tuned file. Local; OutsideError when the disk refuses."""
    text = "# Found by measuring: see lapwing's docs/guide/tuning.md.\n"
    for head, findings in (("[step]", document.step), ("[run]", document.run)):
        for one in findings:
            text += "\n" + toml_text(tables_of(one, head))
    write_text_file(f"tuned file {path}", path, text)


def _check(name: str, finding: Finding | RunFinding) -> None:
    """Raise UserError for an answer that no run could use. Local."""
    check_strategy(f"{name}.strategy", finding.strategy)
    check_transport(f"{name}.transport", finding.transport)
    if finding.strategy == "auto":
        raise _broken(f"{name}.strategy", "'auto'")
    if isinstance(finding, Finding):
        return
    if finding.threads < 0:
        raise _broken(f"{name}.threads", str(finding.threads))
    blocks, ranks = finding.blocks, finding.ranks
    fits = len(blocks) == 3 and min(blocks) >= 1 and prod(blocks) == ranks
    if not (fits if finding.partition == "block" else blocks == []):
        got = f"{finding.blocks} with partition {finding.partition!r} on {finding.ranks} ranks"
        raise _broken(f"{name}.blocks", got)


def _broken(name: str, got: str) -> UserError:
    return user_error(
        name,
        got,
        "tables [[step]] as strategy auto writes them, and [[run]] as lapwing tune does",
        "fix the file, or remove it and measure again",
    )
