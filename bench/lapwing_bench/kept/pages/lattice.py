"""The page of the lattice model: steps compared with copies of memory and with lbmpy."""

from __future__ import annotations

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results
from lapwing_bench.kept.results import Kept, Spread
from lapwing_bench.lattice.benchmark import LOOPS, OWN

METHODS = tuple(OWN)
RATE = "mlups"
SCALED = ("lattice", "--ranks", "2", "--works", "350", "--methods", METHODS[0])

MEASUREMENTS = (
    Measurement(
        "lattice-ranks", ("lattice", "--ranks", "2", "--works", "128,256", "--samples", "7")
    ),
    Measurement(
        "lattice-per-rank",
        (
            *("lattice", "--ranks", "2", "--works", "110,96", "--per-rank"),
            *("--blocks", "1x1x1,1x1x2", "--samples", "5"),
        ),
    ),
    Measurement(
        "lattice-cuts",
        (*SCALED, "--blocks", "1x1x1,1x1x2,1x2x1,2x1x1", "--steps", "4", "--samples", "3"),
    ),
)


def _copied(kept: Kept, work: str) -> str:
    """GB/s of the fastest copy of each invocation. Local."""
    loops = (kept.values(work, f"copy-{loop}", "bandwidth") for loop in LOOPS)
    best = [max(rates) for rates in zip(*filter(None, loops), strict=True)]
    return markdown.spread(Spread.of(best).times(1e-9), 2)


def _speeds(results: Results, name: str) -> str:
    """A row for each work and kernel."""
    kept = results[name]
    rows = []
    for work in kept.works():
        for method in METHODS:
            first = method == METHODS[0]
            rows.append(
                [
                    *((work, _copied(kept, work)) if first else ("", "")),
                    f"`{method}`",
                    markdown.spread(kept.spread(work, method, RATE)),
                    markdown.share(kept.spread(work, method, "limit_share")),
                    markdown.share(kept.spread(work, method, "limit_share_computing")),
                    markdown.spread(kept.spread(work, method, "over_lbmpy")),
                ]
            )
    headings = ["cells", "copy, GB/s", "method", "MLUP/s", "share of the limit"]
    table = markdown.table([*headings, "kernels alone", "over lbmpy"], rows)
    return f"{markdown.conditions(kept)}\n\n{table}"


def _reading(results: Results) -> str:
    """What each kernel reaches on both ranks, over the works."""
    kept = results["ranks"]
    lines = []
    for method in METHODS:
        shares, over = (
            [found.mid for work in kept.works() if (found := kept.spread(work, method, key))]
            for key in ("limit_share", "over_lbmpy")
        )
        lines.append(
            f"- `{method}`: {markdown.percents(shares)} of the limit, "
            f"{markdown.between(over)} times lbmpy's kernel."
        )
    return "\n".join(lines)


def _cuts(results: Results) -> str:
    """A row for each cut of the large grid."""
    kept = results["cuts"]
    rows = [
        [
            work,
            markdown.spread(kept.spread(work, METHODS[0], RATE)),
            markdown.share(kept.spread(work, METHODS[0], "limit_share")),
            markdown.share(kept.spread(work, METHODS[0], "rank_over_first")),
        ]
        for work in kept.works()
    ]
    headings = ["cells and ranks", "MLUP/s", "share of the limit", "a rank, over one alone"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


BLOCKS: dict[str, Made] = {
    "speeds": lambda results: _speeds(results, "ranks"),
    "reading": _reading,
    "per-rank": lambda results: _speeds(results, "per-rank"),
    "cuts": _cuts,
}

PAGE = Page("lattice", MEASUREMENTS, BLOCKS)
