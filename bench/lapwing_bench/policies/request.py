"""What `lapwing bench policies` was asked for, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing_bench.getm.request import size_in
from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

SIZES = "60x60,60x40,40x24"  # cells of a rank along x and y


@dataclass(frozen=True)
class PoliciesRequest:
    """Subdomains to measure, and where to write the samples."""

    sizes: tuple[tuple[int, int], ...]
    levels: int
    steps: int  # macro steps in a sample: many, as some strategies work ahead of the next one
    samples: int
    transport: str
    json: Path | None
    progress: Style


def parse(arguments: Sequence[str], ranks: int) -> PoliciesRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("policies")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--levels", default="60")
    parser.add_argument("--steps", default="40")
    parser.add_argument("--samples", default="15")
    parser.add_argument("--transport", default="auto")
    options = parser.parse_args(arguments)
    from lapwing import transport_names  # here: listing benchmarks loads nothing

    return PoliciesRequest(
        sizes=tuple(size_in(text) for text in dict.fromkeys(options.sizes.split(","))),
        levels=number_in("--levels", options.levels, 2, 1000),
        steps=number_in("--steps", options.steps, 1, 1000),
        samples=number_in("--samples", options.samples, 2, 1000),
        transport=names_in("--transport", options.transport, ["auto", *transport_names()])[0],
        json=options.json,
        progress=options.progress,
    )
