"""The printed results of measured stages: a table of each work, and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table

from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.report import Result, tell
from lapwing_lab.bench.measure.request import Request
from lapwing_lab.bench.stages.demand import Kernels
from lapwing_lab.bench.stages.request import FLAT, LAYERS, Work

LEAST = 0.25  # of its limit: a stage below says why

Named = Mapping[str, Result]  # by stage


def tell_works(
    request: Request, kernels: Kernels, measured: Mapping[Work, Sequence[Result]]
) -> int:
    """Print the table of each work, and why stages are slow, and write the file. Local."""
    results = [result for found in measured.values() for result in found]
    shown: list[Table | str] = [table(work, kernels, found) for work, found in measured.items()]
    for work, found in measured.items():
        reasons = reasons_of(work, kernels, found)
        shown += [f"under 25 %{work.name}: {reason}" for reason in reasons]
    return tell(request, results, *shown)


def table(work: Work, kernels: Kernels, results: Sequence[Result]) -> Table:
    """The table of one work. Local."""
    cells = " x ".join(str(n) for n in (work.nx, work.ny, work.levels) if n)
    return columns.table(
        [result for result in results if "cells_per_second" in result.extra],
        [
            ("sweeps", columns.number("sweeps")),
            ("Mcells/s", columns.number("cells_per_second", 1e-6, 1)),
            ("bytes/cell", columns.number("bytes_per_cell")),
            ("div+roots", _operations),
            ("limit", _limit),
            ("reached", columns.percent("roofline_share")),
        ],
        words=[("stage", lambda result: result.work.removesuffix(work.name))],
        title=f"{kernels.model.title()} model, {cells} cells per core, {work.samples} samples",
        caption=_measured(_by_name(work, results))
        + " Reached: of the slower of memory and divider.",
    )


def reasons_of(work: Work, kernels: Kernels, results: Sequence[Result]) -> list[str]:
    """Why stages stay under LEAST of their limit, in words, with their share of a step. Local."""
    named = _by_name(work, results)
    step = named["step"].median
    found = []
    for name, result in named.items():
        extra = result.extra
        if "sweeps" in extra and extra["roofline_share"] < LEAST:
            spent = extra["sweeps"] * result.median / step
            found.append(f"{name} ({100 * spent:.1f} % of the step): {kernels.reason_of(name)}")
    return found


def _by_name(work: Work, results: Sequence[Result]) -> Named:
    return {result.work.removesuffix(work.name): result for result in results}


def _measured(named: Named) -> str:
    """Describe what the machine gave."""
    copies = [named[f"copy-{kind}"].extra for kind in (LAYERS, FLAT) if f"copy-{kind}" in named]
    spoken = " and ".join(
        f"{c['bytes'] / 1e6:.1f} MB {c['bandwidth'] / 1e9:.1f} GB/s" for c in copies
    )
    flat = " (stages without layers: cells are columns)" if len(copies) > 1 else ""
    division, root = (1e9 * named[name].median for name in ("division", "root"))
    return (
        f"copying, read and written: {spoken}{flat}.\n"
        f"A division takes {division:.2f} ns, a square root {root:.2f} ns in vectors."
    )


def _operations(result: Result) -> str:
    if "sweeps" not in result.extra:
        return ""
    extra = result.extra
    return f"{extra['divisions_per_cell']:.0f}+{extra['roots_per_cell']:.0f}"


def _limit(result: Result) -> str:
    if "sweeps" not in result.extra:
        return ""
    return "divider" if result.extra["by_divider"] else "memory"
