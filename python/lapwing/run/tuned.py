"""Findings of `lapwing tune` for a case: their file, and their use in a run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lapwing.base.atomic_file import is_file
from lapwing.base.error import UserError
from lapwing.core.steps.tuned import RunFinding, load, save
from lapwing.core.versions import machine, versions
from lapwing.io.restart import Fingerprint
from lapwing.model.case import Case
from lapwing.model.model import Geometry


@dataclass(frozen=True)
class Advice:
    """A case as a tuned file says it, how it is cut into blocks, and a line to print."""

    case: Case
    blocks: tuple[int, ...] | None = None  # None: as the case says
    words: str = ""


def tuned_path(named: str, case: Case) -> Path:
    """The file of the findings of a case, which was named so: run.tuned, or CASE.tuned.toml. Local.

    It lies next to the file of a case; for a shipped case, in the folder where the command was
    started.
    """
    if case.run.tuned is not None:
        return case.run.tuned
    shipped = named in getattr(case.model, "cases", {})
    return (Path() if shipped else case.folder) / f"{case.name}.tuned.toml"


def run_of(
    case: Case, geometry: Geometry, belongs: Fingerprint, ranks: int, nodes: int
) -> RunFinding:
    """The conditions of a finding for this case, without an answer. Local."""
    settings = json.dumps(asdict(belongs), sort_keys=True)
    return RunFinding(
        case=case.name,
        settings=hashlib.sha256(settings.encode()).hexdigest()[:16],
        grid=[int(cells) for cells in geometry.grid.size],
        ranks=ranks,
        nodes=nodes,
        mpi=versions()["mpi"],
        processor=machine()["processor"],
        partition="block",
        blocks=[],
        transport="",
        strategy="",
        measured="",
    )


def advice_for(case: Case, mine: RunFinding, path: Path, choice: str) -> Advice:
    """The case as the file at `path` says, and a note on it; the same case if nothing fits. Local.

    `choice`: what the command line chooses itself. UserError for an invalid file that run.tuned
    names; other broken files are reported and skipped.
    """
    if not is_file(path):
        return Advice(case)
    try:
        found = load(path).run
    except UserError as problem:
        if case.run.tuned is not None:
            raise
        return Advice(case, words=f"{problem}: passed over")
    if not found:
        return Advice(case)
    if choice:
        return Advice(case, words=f"{path} is passed over: the command line has {choice}")
    nearest = min(found, key=lambda one: len(mine.differences(one)))
    if unlike := mine.differences(nearest):
        words = f"{path} has nothing for this run ({', '.join(unlike)})"
        words += ": lapwing tune adds it" if mine.ranks > 1 else ""
        # only `auto` looks for a finding of its own there
        run = case.run if case.run.strategy == "auto" else replace(case.run, tuned=None)
        return Advice(replace(case, run=run), words=words)
    run = replace(
        case.run,
        strategy=nearest.strategy,
        transport=nearest.transport,
        partition=nearest.partition,
        blocks=[],
        threads=case.run.threads or nearest.threads,
        tuned=None,
    )
    threads = f"{run.threads} threads, " if run.threads > max(1, case.run.threads) else ""
    words = f"{threads}cut, strategy and transport as {path} says"
    return Advice(replace(case, run=run), tuple(nearest.blocks) or None, words)


def keep_finding(path: Path, finding: RunFinding) -> None:
    """Write a finding, in the place of an earlier one of the same run.

    Local. UserError for a file that is no tuned file, OutsideError when the disk refuses.
    """
    there = load(path)
    others = [one for one in there.run if finding.differences(one)]
    save(path, replace(there, run=[*others, finding]))
