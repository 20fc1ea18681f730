"""The pages of models whose stages are compared with memory and divider: coast and weather."""

from __future__ import annotations

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Measurement, Page, Results
from lapwing_bench.kept.results import Kept

# as `lapwing_bench.stages` names what it measures: NAME@SIZE, by a method of its own
RATE, SHARE, BYTES = "cells_per_second", "roofline_share", "bytes_per_cell"
COPIES = ("copy-layers", "copy-flat")  # fields with layers, and without
DIGITS_FROM = 1e8  # cells/s: slower rates have a decimal


def page(name: str, *arguments: str) -> Page:
    """A page with the stages of a model at several sizes. Local."""
    measured = Measurement(f"{name}-stages", (name, *arguments))
    return Page(name, (measured,), {"stages": _stages, "copies": _copies})


def _stages(results: Results) -> str:
    """A row for each stage: rates in million cells/s, and the shares of the limit."""
    kept = results["stages"]
    sizes, names = _sizes_and_names(kept)
    shown = [name for name in names if _number(kept, f"{name}@{sizes[0]}", RATE) is not None]
    rows = [
        [
            f"`{name}`",
            *_declared(kept, f"{name}@{sizes[0]}"),
            *(_reached(kept, name, s) for s in sizes),
        ]
        for name in shown
    ]
    headings = ["stage", "bytes", "div + roots", *sizes]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _copies(results: Results) -> str:
    """What a copy moved at each size, and what a division and a root took."""
    kept = results["stages"]
    sizes, names = _sizes_and_names(kept)
    rows = []
    for size in sizes:
        cells = [size]
        for copy in COPIES:
            found = kept.spread(f"{copy}@{size}", "numpy", "bandwidth") if copy in names else None
            cells.append(markdown.spread(found and found.times(1e-9)))
        for what in ("division", "root"):
            found = kept.spread(f"{what}@{size}", "vectors")
            cells.append(markdown.spread(found and found.times(1e9), 2))
        rows.append(cells)
    headings = ["cells", "copy, GB/s", "without layers, GB/s", "division, ns", "root, ns"]
    return markdown.table(headings, rows)


def _sizes_and_names(kept: Kept) -> tuple[list[str], list[str]]:
    parts = [work.partition("@") for work in kept.works()]
    return list(dict.fromkeys(p[2] for p in parts)), list(dict.fromkeys(p[0] for p in parts))


def _number(kept: Kept, work: str, key: str) -> float | None:
    """The median over the invocations of a number of a work's only method; None: it has none."""
    found = kept.spread(work, kept.methods(work)[0], key)
    return None if found is None else found.mid


def _declared(kept: Kept, work: str) -> list[str]:
    """Bytes, and divisions and roots, of a cell; nothing for sums of stages."""
    moved = _number(kept, work, BYTES)
    if moved is None:
        return ["", ""]
    operations = (_number(kept, work, f"{one}_per_cell") for one in ("divisions", "roots"))
    return [f"{moved:.0f}", " + ".join(f"{count:.0f}" for count in operations)]


def _reached(kept: Kept, name: str, size: str) -> str:
    """Rate and share; sums of stages have the quartiles of the share too; d: of the divider."""
    work = f"{name}@{size}"
    rate = _number(kept, work, RATE)
    share = kept.spread(work, kept.methods(work)[0], SHARE)
    if rate is None or share is None:
        return "-"
    shown = f"{rate / 1e6:.{0 if rate >= DIGITS_FROM else 1}f}"
    percents = f"{100 * share.mid:.0f} %"
    if _number(kept, work, BYTES) is None:
        percents += f", {100 * share.low:.0f}-{100 * share.high:.0f}"
    return f"{shown} ({percents}{', d' if _number(kept, work, 'by_divider') else ''})"


PAGES = (
    page("coast", "--works", "60x60x60,60x40x60,40x24x60,240x240x60"),
    page("weather"),
)
