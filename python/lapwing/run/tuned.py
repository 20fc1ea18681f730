"""Findings of `lapwing tune` for a case: their file, and their use in a run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.base.agreement import at_root, of_root
from lapwing.base.atomic_file import is_file
from lapwing.base.error import UserError
from lapwing.core import _core
from lapwing.core.steps.tuned import RunFinding, load, save
from lapwing.core.versions import machine, versions
from lapwing.run.request import Request, Setup, cut_grid

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

# keys of a case that a finding answers; one set on the command line is a choice of the user's
_ANSWERED = ("run.strategy", "run.transport", "run.partition", "run.blocks")


@dataclass(frozen=True)
class Advice:
    """The answer of a tuned file for a run: a finding that fits, and a line to print. On rank 0."""

    finding: RunFinding | None = None
    words: str = ""
    knows_runs: bool = False  # True if it has findings of runs, of this case or others


def tuned_path(request: Request, setup: Setup) -> Path:
    """The file of the findings of a case: run.tuned, or CASE.tuned.toml. Local.

    It lies next to the file of a case; for a shipped case, in the folder where the command was
    started.
    """
    case = setup.case
    if case.run.tuned is not None:
        return case.run.tuned
    shipped = request.case in getattr(case.model, "cases", {})
    return (Path() if shipped else case.folder) / f"{case.name}.tuned.toml"


def run_of(setup: Setup, comm: Comm, ranks: int) -> RunFinding:
    """The conditions of a finding for this case on `comm`, without an answer. Collective."""
    belongs = json.dumps(asdict(setup.belongs), sort_keys=True)
    return RunFinding(
        case=setup.case.name,
        settings=hashlib.sha256(belongs.encode()).hexdigest()[:16],
        grid=[int(cells) for cells in setup.geometry.grid.size],
        ranks=ranks,
        nodes=-(-comm.size // _core.ranks_per_node(comm)),
        mpi=versions()["mpi"],
        processor=machine()["processor"],
        partition="block",
        blocks=[],
        transport="",
        strategy="",
        measured="",
    )


def with_tuned(request: Request, setup: Setup, comm: Comm) -> Setup:
    """The setup as a tuned file of the case says, and a note on it; the same setup if none fits.

    Collective over all ranks, servers included; rank 0 reads. UserError on all ranks for an invalid
    file that run.tuned names; other broken files are reported and skipped.
    """
    mine = run_of(setup, comm, setup.partition.ranks)
    advice: Advice = of_root(
        comm, at_root(comm, lambda: _advice(request, setup, mine)), "the tuned file"
    )
    run, found = setup.case.run, advice.finding
    if found is None:
        # if findings of runs do not fit, the run goes on: only `auto` looks for a finding of its
        # own
        keep = run.strategy == "auto" or not advice.knows_runs
        case = replace(setup.case, run=run if keep else replace(run, tuned=None))
        return replace(setup, case=case, tuned=advice.words)
    settled = replace(run, strategy=found.strategy, transport=found.transport, tuned=None)
    case = replace(setup.case, run=replace(settled, partition=found.partition, blocks=[]))
    blocks = tuple(found.blocks) or None
    partition, cut = cut_grid(case, setup.geometry, blocks, setup.partition.ranks)
    return replace(setup, case=case, partition=partition, blocks=cut, tuned=advice.words)


def keep_finding(path: Path, finding: RunFinding) -> None:
    """Write a finding, in the place of an earlier one of the same run.

    Local. UserError for a file that is no tuned file, OutsideError when the disk refuses.
    """
    there = load(path)
    others = [one for one in there.run if finding.differences(one)]
    save(path, replace(there, run=[*others, finding]))


def _advice(request: Request, setup: Setup, mine: RunFinding) -> Advice:
    """Read the answer of the file for this run. Rank 0."""
    path = tuned_path(request, setup)
    if not is_file(path):
        return Advice()
    try:
        found = load(path).run
    except UserError as problem:
        if setup.case.run.tuned is not None:
            raise
        return Advice(words=f"{problem}: passed over")
    if not found:
        return Advice()
    if chosen := _chosen(request):
        return Advice(words=f"{path} is passed over: the command line has {chosen}")
    nearest = min(found, key=lambda one: len(mine.differences(one)))
    if unlike := mine.differences(nearest):
        words = f"{path} has nothing for this run ({', '.join(unlike)})"
        words += ": lapwing tune adds it" if mine.ranks > 1 else ""
        return Advice(words=words, knows_runs=True)
    return Advice(nearest, f"cut, strategy and transport as {path} says", True)


def _chosen(request: Request) -> str:
    """The part of a finding's answer that the command line gives; "" for nothing. Local."""
    if request.strategy not in (None, "auto"):
        return "--strategy"
    if request.transport is not None:
        return "--transport"
    if request.blocks is not None:
        return "--blocks"
    keys = [one.partition("=")[0].strip() for one in request.sets]
    known = {name for full in _ANSWERED for name in (full, full.removeprefix("run."))}
    return next((f"--set {key}" for key in keys if key in known), "")
