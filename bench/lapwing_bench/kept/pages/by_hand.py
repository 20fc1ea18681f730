"""The page of the models with messages by hand."""

from __future__ import annotations

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results

NETWORK = ("netlab", "run", "--nodes", "2", "--rate", "1gbit")

MEASUREMENTS = (
    Measurement("by-hand-node", ("by-hand", "--ranks", "2")),
    Measurement(
        "by-hand-network",
        ("by-hand", "--ranks", "2", "--transport", "p2p", "--samples", "11"),
        within=NETWORK,
    ),
)


def _speeds(results: Results, name: str) -> str:
    kept = results[name]
    works = kept.works()
    methods = list(dict.fromkeys(method for work in works for method in kept.methods(work)))
    rows = []
    for method in methods:
        cells = [f"`{method}`"]
        for work in works:
            cells.append(markdown.time(kept, work, method, "ms"))
            cells.append(markdown.spread(kept.spread(work, method, "over_hand")))
        rows.append(cells)
    headings = ["method"]
    for work in works:
        headings += [f"`{work}`: ms per step", "over hand"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


BLOCKS: dict[str, Made] = {
    "node": lambda results: _speeds(results, "node"),
    "network": lambda results: _speeds(results, "network"),
}

PAGE = Page("by-hand", MEASUREMENTS, BLOCKS)
