"""The page of output with and without servers."""

from __future__ import annotations

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results
from lapwing_bench.output.benchmark import METHODS

WRITERS = dict(zip(METHODS, ("the model", "1 server"), strict=True))
OTHERS = ("closing", "stepping", "wall")  # times that are not output in the time loop

MEASUREMENTS = (
    Measurement("output-usual", ("output", "--samples", "5")),
    Measurement("output-frequent", ("output", "--every", "10 min", "--duration", "1 d", "--samples", "3")),
)


def _times(results: Results, name: str) -> str:
    """A row for each number of model ranks and each way to write."""
    kept = results[name]
    rows = []
    for work in kept.works():
        for method, writer in WRITERS.items():
            others = (kept.spread(work, method, key) for key in OTHERS)
            rows.append(
                [
                    work.partition("@")[2],
                    writer,
                    markdown.time(kept, work, method, "ms"),
                    *(markdown.spread(found and found.times(1e3)) for found in others),
                    markdown.share(kept.spread(work, method, "less")),
                ]
            )
    headings = ["model ranks", "who writes", "output, ms", "at the end, ms", "time steps, ms"]
    table = markdown.table([*headings, "all, ms", "less output"], rows)
    return f"{markdown.conditions(kept)}\n\n{table}"


BLOCKS: dict[str, Made] = {
    "usual": lambda results: _times(results, "usual"),
    "frequent": lambda results: _times(results, "frequent"),
}

PAGE = Page("output", MEASUREMENTS, BLOCKS)
