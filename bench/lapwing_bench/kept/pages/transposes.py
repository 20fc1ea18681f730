"""The page of transposes, and of the solver that is made of them."""

from __future__ import annotations

from statistics import median

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results
from lapwing_bench.kept.results import Kept
from lapwing_bench.transpose.request import COPIES, FFTW, HAND, HAND_MESSAGES, KEPT

SOLVED = ("helmholtz", "--ranks", "2", "--groups", "1,2,4,8", "--samples", "11")
NETWORK = ("netlab", "run", "--nodes", "2", "--rate", "1gbit")
OURS = "shared"
LESS = (OURS, "alltoallw", FFTW)
GROUPS = ("1 group", "2 groups", "4 groups", "8 groups")
PARTS = ("moving", "lines")

MEASUREMENTS = (
    Measurement("transposes-fields", ("transpose", "--ranks", "2", "--samples", "21")),
    Measurement(
        "transposes-openmpi",
        ("transpose", "--ranks", "2", "--methods", ",".join(LESS), "--samples", "15"),
        mpi="openmpi",
    ),
    Measurement("transposes-solver", SOLVED),
    Measurement("transposes-solver-network", SOLVED, within=NETWORK),
)


def _times(results: Results, name: str) -> str:
    """A row for each method: ms of every work."""
    kept = results[name]
    works = kept.works()
    methods = dict.fromkeys(one for work in works for one in kept.methods(work))
    rows = [
        [f"`{method}`", *(markdown.time(kept, work, method, "ms") for work in works)]
        for method in methods
        if method not in COPIES
    ]
    table = markdown.table(["method", *(f"`{work}`, ms" for work in works)], rows)
    return f"{markdown.conditions(kept)}\n\n{table}"


def _reading(results: Results) -> str:
    """What `shared` and `alltoallw` reach, over the works."""
    kept = results["fields"]
    same = [work for work in kept.works() if work.endswith(KEPT)]
    other = [work for work in kept.works() if work not in same]
    gains = [median(kept.values(work, OURS, "speedup")) for work in kept.works()]
    lines = [
        f"`{OURS}` copies each value once: {_shares(kept, other)} of the fastest copy where the "
        f"order of axes changes, {_shares(kept, same)} where it is kept.",
        f"It is {markdown.between(gains)} times as fast as the faster of `{HAND_MESSAGES}` and "
        f"`{HAND}`.",
        f"`alltoallw` takes {_over(kept, other)} times as long as `{OURS}` where the order "
        f"changes, as MPI walks over single values, and {_over(kept, same)} where it is kept.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _shares(kept: Kept, works: list[str]) -> str:
    return markdown.percents([median(kept.values(work, OURS, "limit_share")) for work in works])


def _over(kept: Kept, works: list[str]) -> str:
    """How many times as long as `shared` MPI's own types take."""
    found = []
    for work in works:
        pairs = zip(kept.values(work, "alltoallw"), kept.values(work, OURS), strict=True)
        found.append(median(one / other for one, other in pairs))
    return markdown.between(found)


def _solver(results: Results) -> str:
    """A row for each number of groups, and for what a solution consists of."""
    node, network = results["solver"], results["solver-network"]
    rows = []
    for way in (*GROUPS, *PARTS):
        cells = [way]
        for kept in (network, node):
            work = kept.works()[0]
            cells.append(markdown.time(kept, work, way, "ms"))
            gain = kept.spread(work, way, "speed_up") if way in GROUPS else None
            cells.append(markdown.spread(gain))
        rows.append(cells)
    table = markdown.table(
        ["levels in", "two emulated nodes, ms", "speed-up", "shared memory, ms", "speed-up"], rows
    )
    said = "\n\n".join(markdown.conditions(kept) for kept in (network, node))
    return f"{said}\n\n{table}"


BLOCKS: dict[str, Made] = {
    "fields": lambda results: _times(results, "fields"),
    "reading": _reading,
    "openmpi": lambda results: _times(results, "openmpi"),
    "solver": _solver,
}

PAGE = Page("transposes", MEASUREMENTS, BLOCKS)
