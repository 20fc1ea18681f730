"""What `lapwing bench getm` was asked for, checked before anything is measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.getm import paper as getm_paper
from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

POLICIES = ("needed", "literal")
UNDIVIDED = "blocking"


@dataclass(frozen=True)
class GetmRequest:
    """Subdomains and strategies to measure, and where to write the samples."""

    sizes: tuple[tuple[int, int], ...]  # cells of a rank along x and y
    strategies: tuple[str, ...]
    policy: str  # which halos travel
    levels: int
    steps: int  # macro steps in a round
    rounds: int
    transport: str
    json: Path | None
    progress: Style


def parse(arguments: Sequence[str], ranks: int) -> GetmRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("getm")
    parser.add_argument("--sizes", default=",".join(getm_paper.SIZES))
    parser.add_argument("--strategies", default=",".join(getm_paper.U_SPLIT_ADV))
    parser.add_argument("--policy", default=POLICIES[0])
    parser.add_argument("--levels", default="60")
    parser.add_argument("--steps", default="1")
    parser.add_argument("--rounds", default="61")
    parser.add_argument("--transport", default="auto")
    options = parser.parse_args(arguments)
    from lapwing import strategy_names, transport_names  # here: listing benchmarks loads nothing

    known = [name for name in (*strategy_names(), "edge-first(B)") if not name.startswith("auto")]
    asked = names_in("--strategies", options.strategies, list(dict.fromkeys(known)))
    return GetmRequest(
        sizes=tuple(size_in(text) for text in dict.fromkeys(options.sizes.split(","))),
        strategies=tuple(dict.fromkeys((UNDIVIDED, *asked))),
        policy=names_in("--policy", options.policy, POLICIES)[0],
        levels=number_in("--levels", options.levels, 2, 1000),
        steps=number_in("--steps", options.steps, 1, 1000),
        rounds=number_in("--rounds", options.rounds, 1, 1000),
        transport=names_in("--transport", options.transport, ["auto", *transport_names()])[0],
        json=options.json,
        progress=options.progress,
    )


def size_in(text: str) -> tuple[int, int]:
    """Cells of a rank along x and y, of a text like 60x40. Local; raises UserError."""
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    if found is None or min(map(int, found.groups())) < 4:
        raise user_error(
            "--sizes", repr(text), 'cells of a rank like "60x40", 4 or more', "change the size"
        )
    return int(found[1]), int(found[2])
