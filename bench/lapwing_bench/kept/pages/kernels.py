"""The pages of one kernel on lapwing and by hand: acoustic waves, diffusion, miniWeather."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Measurement, Page, Results

BLOCKING, ORDERS = "blocking", ("edge-first", "dataflow")  # the usual one, and those that hide
COMPARED = ("--methods", "lapwing,hand")
STEP, HAND = "lapwing", "hand"


@dataclass(frozen=True)
class Speed:
    """How the page tells the speed of a method: a number of its results, in a unit."""

    heading: str
    key: str
    factor: float
    others: Sequence[str]  # methods that speeds are compared with


def page(name: str, speed: Speed, *, ranks: Sequence[str] = (), order: Sequence[str] = ()) -> Page:
    """A page with all methods, and lapwing and the kernel by hand in other orders. Local.

    `ranks`, `order`: further options of these measurements.
    """
    usual = Measurement(f"{name}-ranks", (name, "--ranks", "2", *ranks))
    others = [
        Measurement(
            f"{name}-{strategy}", (name, "--ranks", "2", *COMPARED, "--strategy", strategy, *order)
        )
        for strategy in ORDERS
    ]
    blocks = {"speeds": lambda results: _speeds(results, speed), "hiding": _hiding}
    return Page(name, (usual, *others), blocks)


def _speeds(results: Results, speed: Speed) -> str:
    kept = results["ranks"]
    rows = []
    for method in dict.fromkeys(one for work in kept.works() for one in kept.methods(work)):
        cells = [f"`{method}`"]
        for work in kept.works():
            found = kept.spread(work, method, speed.key)
            cells.append(markdown.spread(found and found.times(speed.factor)))
            for other in speed.others:
                cells.append(markdown.spread(kept.spread(work, method, f"over_{other}")))
        rows.append(cells)
    headings = ["method"]
    for work in kept.works():
        headings += [f"{work}: {speed.heading}", *(f"over `{other}`" for other in speed.others)]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _hiding(results: Results) -> str:
    works = results[ORDERS[0]].works()
    kept_of = {BLOCKING: results["ranks"], **{order: results[order] for order in ORDERS}}
    rows = []
    for order, kept in kept_of.items():
        found = (kept.spread(work, STEP, f"over_{HAND}") for work in works)
        rows.append([f"`{order}`", *map(markdown.spread, found)])
    headings = ["order of `lapwing`", *(f"{work}: over `{HAND}`" for work in works)]
    return markdown.table(headings, rows)


PAGES = (
    page(
        "acoustic",
        Speed("GPts/s", "points_per_second", 1e-9, ("devito", HAND, "limit")),
        ranks=("--samples", "7"),
        order=("--samples", "7", "--works", "256x256x256"),
    ),
    page("diffusion", Speed("T_eff, GB/s", "effective_throughput", 1e-9, (HAND, "limit"))),
    page("miniweather", Speed("million cells/s", "cells_per_second", 1e-6, (HAND,))),
)
