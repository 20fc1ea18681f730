"""The page of zones: what cutting loops costs kernels, and the engine."""

from __future__ import annotations

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results
from lapwing_bench.zoning.request import LEVELS

HIDING = ("dataflow", "edge-first")
CHOSEN = "auto"
ENGINE = "engine"

MEASUREMENTS = (
    Measurement(
        "zones-shapes",
        ("zoning", "--ranks", "2", "--methods", ",".join((*HIDING, CHOSEN)), "--samples", "21"),
    ),
)


def _shapes(results: Results) -> str:
    """A row for each shape and layout, those with contiguous layers first."""
    kept = results["shapes"]
    works = [work for work in kept.works() if work != ENGINE]
    rows = []
    for work in sorted(works, key=lambda name: not name.endswith(LEVELS)):
        size, contiguous = work.removesuffix(LEVELS), work.endswith(LEVELS)
        kernels = (kept.spread(work, method, "over_undivided") for method in HIDING)
        steps = (kept.spread(work, method, "step_over_undivided") for method in (*HIDING, CHOSEN))
        layers = "next to each other" if contiguous else "apart, x fastest"
        rows.append([size, layers, *map(markdown.spread, (*kernels, *steps))])
    headings = ["subdomain", "layers in memory", *(f"kernels, `{one}`" for one in HIDING)]
    headings += [f"step, `{one}`" for one in (*HIDING, CHOSEN)]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _engine(results: Results) -> str:
    """What a task costs the engine."""
    kept = results["shapes"]
    rows = []
    for method in kept.methods(ENGINE):
        each = kept.spread(ENGINE, method, "seconds_per_task")
        tasks = markdown.spread(kept.spread(ENGINE, method, "tasks"), 2)
        cost = markdown.spread(each and each.times(1e9), 2)
        rows.append([f"`{method}`", tasks, markdown.time(kept, ENGINE, method), cost])
    return markdown.table(["strategy", "tasks", "step, us", "per task, ns"], rows)


BLOCKS: dict[str, Made] = {"shapes": _shapes, "engine": _engine}

PAGE = Page("zones", MEASUREMENTS, BLOCKS)
