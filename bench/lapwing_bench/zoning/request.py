"""What `lapwing bench zoning` was asked for, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

# Cells of a subdomain along x and y, and layers; GETM's report has its worst case in the last.
SIZES = {"60x60x60": (60, 60, 60), "40x24x60": (40, 24, 60), "24x40x60": (24, 40, 60)}
LEVELS = "@levels"  # appended to works whose layers are next to each other in memory
UNDIVIDED = "blocking"
RANKS = 2
DEFAULT_SAMPLES = 41


@dataclass(frozen=True)
class ZoningRequest:
    """Works and strategies to measure, and where to write the samples."""

    works: tuple[str, ...]
    methods: tuple[str, ...]
    transport: str
    samples: int
    json: Path | None
    progress: Style


def work_names() -> list[str]:
    """All works, in the order of the table. Local."""
    return [size + layout for size in SIZES for layout in ("", LEVELS)]


def method_names() -> list[str]:
    """The strategies that cut stages into zones, and the one that chooses among them. Local."""
    from lapwing import strategy_names  # here: listing benchmarks loads no extension

    return [name for name in strategy_names() if not name.startswith("deep")]  # other cells


def parse(arguments: Sequence[str], ranks: int) -> ZoningRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("zoning")
    parser.add_argument("--works", default=",".join(work_names()))
    parser.add_argument("--methods", default=",".join(method_names()))
    parser.add_argument("--transport", default="auto")
    parser.add_argument("--samples", default=str(DEFAULT_SAMPLES))
    options = parser.parse_args(arguments)
    if ranks != RANKS:
        raise user_error(
            "--ranks", str(ranks), f"{RANKS}", "two ranks have their subdomains like a chess board"
        )
    from lapwing import transport_names

    asked = names_in("--methods", options.methods, method_names())
    return ZoningRequest(
        works=names_in("--works", options.works, work_names()),
        methods=tuple(dict.fromkeys((UNDIVIDED, *asked))),
        transport=names_in("--transport", options.transport, ["auto", *transport_names()])[0],
        samples=number_in("--samples", options.samples, 2, 100_000),
        json=options.json,
        progress=options.progress,
    )
