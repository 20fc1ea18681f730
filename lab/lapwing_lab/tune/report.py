"""The output of `lapwing tune`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from lapwing.base.table import PLAIN, make_table
from lapwing.core.steps.tuned import RunFinding
from lapwing.core.versions import write_report
from rich.console import Console

from lapwing_lab.tune.candidate import AXES, Timed
from lapwing_lab.tune.search import Found
from lapwing_lab.tune.space import Space

_WIDTH = 100  # columns
_REASON = 60  # characters of why a candidate is not there


def print_space(space: Space, left: Space, notes: Sequence[str]) -> None:
    """Print the candidates, and those that a prediction has left. Local."""
    own = space.cuts[space.own.cut]
    print(
        f"{own.case.name} on {own.partition.ranks} ranks: {space.size} candidates, of "
        f"{len(space.cuts)} cuts, {len(space.transports)} transports and "
        f"{len(space.strategies)} strategies"
    )
    print(f"  now    {space.own}")
    for note in (*left.notes, *notes):
        print(f"  note   {note}")
    print(flush=True)


def print_contest(what: str, ranked: list[Timed]) -> None:
    """The candidates of a contest, the fastest first; the one with ratio 1.00 began. Local."""
    console = Console(width=_WIDTH, highlight=False)
    varied = [axis for axis in AXES if len({getattr(one.candidate, axis) for one in ranked}) > 1]
    table = make_table((what,), ("step\nus", "of the\nfirst", "runs", ""), **PLAIN)
    missing = []
    for one in ranked:
        name = ", ".join(getattr(one.candidate, axis) for axis in varied) or str(one.candidate)
        if not one.seconds:
            missing.append(f"  not here: {name}: {one.problem[:_REASON]}")
            continue
        numbers = f"{1e6 * one.step:,.1f}", f"{one.over_first:.2f}", str(one.runs)
        table.add_row(name, *numbers, "dropped" if one.dropped else "")
    console.print(table)
    print("\n".join([*missing, ""]), flush=True)


def words_of(found: Found, space: Space) -> tuple[str, str]:
    """Print how fast the answer is, and the cost of finding it. Local."""
    search = f"{found.runs} short runs of {found.candidates} of {space.size} candidates"
    return f"{found.ratio:.2f} of that of {space.own}", search


def print_found(found: Found, space: Space, seconds: float, path: Path) -> None:
    """The answer, what it cost, and where it is kept. Local."""
    ratio, search = words_of(found, space)
    print(f"fastest  {found.best.candidate}")
    print(f"time     {ratio}")
    print(f"search   {search}, in {seconds:.0f} s")
    cut = space.cuts[found.best.candidate.cut]
    if found.best.candidate.cut in space.crews:
        ranks = f"--ranks {cut.partition.ranks}"
        print(f"run it   {ranks}, which takes {cut.case.run.threads} threads from the file")
    print(f"tuned    {path}", flush=True)


def write_found(
    file: Path,
    mine: RunFinding,
    space: Space,
    found: Found,
    contests: Mapping[str, Sequence[Timed]],
) -> None:
    """Write all samples as JSON. Local; OutsideError when the disk refuses."""
    content = {
        "case": mine.case,
        "ranks": mine.ranks,
        "candidates": space.size,
        "own": asdict(space.own),
        "best": asdict(found.best.candidate),
        "ratio": found.ratio,
        "measured_candidates": found.candidates,
        "runs": found.runs,
        "notes": space.notes,
        "contests": {what: [asdict(one) for one in ranked] for what, ranked in contests.items()},
    }
    write_report(file, "lapwing-tune-1", content)
