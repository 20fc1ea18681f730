"""The page of hiding communication on slow networks."""

from __future__ import annotations

from functools import partial

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results
from lapwing_bench.kept.results import Kept
from lapwing_bench.overlap.request import BUFFERED, CEILING, PLAIN, POLLED, SIZES

MPIS = ("mpich", "openmpi")
RATES = {"1gbit": "1 Gbit/s", "200mbit": "200 Mbit/s"}
LONG = ("230KB", "460KB")
STRATEGIES = ("blocking", "edge-first", "dataflow", "auto")
CHUNK = 32768  # bytes

HAND = ("overlap", "--ranks", "2", "--works", ",".join(LONG), "--samples", "5")


def _on(name: str, rate: str, mpi: str, arguments: tuple[str, ...]) -> Measurement:
    within = ("netlab", "run", "--nodes", "2", "--rate", rate)
    return Measurement(f"overlap-{name}-{mpi}-{rate}", arguments, within=within, mpi=mpi)


def _of_network(rate: str, mpi: str) -> tuple[Measurement, ...]:
    """Strategies, and how messages by hand may leave before somebody waits. Local."""
    strategies = ("overlap", "--ranks", "2", "--methods", ",".join(STRATEGIES), "--samples", "5")
    whole = (*HAND, "--methods", f"{POLLED},{BUFFERED}")
    chunks = (*HAND, "--methods", POLLED, "--chunk-bytes", str(CHUNK))
    return (
        _on("steps", rate, mpi, strategies),
        _on("whole", rate, mpi, whole),
        _on("chunks", rate, mpi, chunks),
    )


MEASUREMENTS = tuple(one for rate in RATES for mpi in MPIS for one in _of_network(rate, mpi))


def _over_ceiling(kept: Kept, work: str, method: str) -> str:
    return markdown.spread(kept.spread(work, method, "over_tcp_ceiling"))


def _steps(results: Results, rate: str, mpi: str) -> str:
    """A row for each method: step, what it hides, and its step over that of plain TCP."""
    kept = results[f"steps-{mpi}-{rate}"]
    rows = []
    for method in (CEILING, PLAIN, *STRATEGIES):
        cells = [f"`{method}`"]
        for work in SIZES:
            cells += [
                markdown.time(kept, work, method, "ms"),
                markdown.share(kept.spread(work, method, "hidden")),
                _over_ceiling(kept, work, method),
            ]
        rows.append(cells)
    headings = ["method"]
    for work in SIZES:
        headings += [f"{work}, ms", "hidden", "over TCP"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _eager(results: Results) -> str:
    """Rows of methods by hand on each network: their step over that of plain TCP."""
    rows = []
    for rate in RATES:
        rows.append([RATES[rate], *[""] * len(MPIS) * len(LONG)])
        ways = [("whole", PLAIN, ""), ("whole", POLLED, ""), ("whole", BUFFERED, "")]
        ways += [("chunks", one, f", chunks of {CHUNK // 1024} KiB") for one in (PLAIN, POLLED)]
        for name, method, words in ways:
            kept_of = [results[f"{name}-{mpi}-{rate}"] for mpi in MPIS]
            suffix = f"@c{CHUNK}" if name == "chunks" else ""
            cells = (
                _over_ceiling(kept, work + suffix, method) for kept in kept_of for work in LONG
            )
            rows.append([f"`{method}`{words}", *cells])
    said = [markdown.conditions(results[f"whole-{mpi}-{next(iter(RATES))}"]) for mpi in MPIS]
    headings = ["", *(f"{mpi}, {work}" for mpi in ("MPICH", "Open MPI") for work in LONG)]
    return "\n\n".join([*said, markdown.table(headings, rows)])


def _worst(results: Results) -> str:
    """How far the strategies that hide are from plain TCP and from messages by hand."""
    lines = []
    for rate in RATES:
        kept_of = [results[f"steps-{mpi}-{rate}"] for mpi in MPIS]
        for method in ("dataflow", "auto"):
            over = {
                other: [
                    found.mid
                    for kept in kept_of
                    for work in SIZES
                    if (found := kept.spread(work, method, f"over_{other}"))
                ]
                for other in ("tcp_ceiling", PLAIN)
            }
            tcp, hand = (markdown.between(over[other]) for other in ("tcp_ceiling", PLAIN))
            lines.append(
                f"- {RATES[rate]}: steps with `{method}` take {tcp} times as long as with plain "
                f"TCP, {hand} times as long as with `{PLAIN}`."
            )
    return "\n".join(lines)


BLOCKS: dict[str, Made] = {
    **{
        f"steps-{mpi}-{rate}": partial(_steps, rate=rate, mpi=mpi) for rate in RATES for mpi in MPIS
    },
    "eager": _eager,
    "reading": _worst,
}

PAGE = Page("overlap", MEASUREMENTS, BLOCKS)
