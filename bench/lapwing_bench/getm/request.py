"""What `lapwing bench getm` is asked for."""

from dataclasses import dataclass
from typing import Annotated, Literal

from typer import Option

from lapwing_bench.getm import paper as getm_paper
from lapwing_bench.measure.request import (
    Names,
    Request,
    Shapes,
    Transport,
    count,
    name_among,
    several,
    shape_like,
)

POLICIES = ("needed", "literal")
UNDIVIDED = "blocking"

SIZES = several(Shapes, shape_like("60x40", 4))  # parses them
Sizes = Annotated[
    Shapes,
    Option(
        parser=SIZES,
        metavar="AxB,CxD",
        help="Cells of a rank along x and y.",
    ),
]
Levels = Annotated[int, count(2, 1000, "Levels.")]


PAPER_SIZES = SIZES(",".join(getm_paper.SIZES))


def strategy_list() -> list[str]:
    """What --strategies may list. Local."""
    from lapwing import strategy_names  # here: listing benchmarks loads no extension

    known = [name for name in (*strategy_names(), "edge-first(B)") if not name.startswith("auto")]
    return list(dict.fromkeys(known))


@dataclass(frozen=True, kw_only=True)
class GetmRequest(Request):
    """The tables of GETM's report.

    Example:

    lapwing bench getm --sizes 60x60,40x24
    """

    sizes: Sizes = PAPER_SIZES
    strategies: Annotated[
        Names,
        Option(
            parser=several(
                lambda asked: Names(dict.fromkeys((UNDIVIDED, *asked))),
                name_among(strategy_list),
            ),
            metavar="A,B",
            help=f"Strategies; {UNDIVIDED} always.",
        ),
    ] = Names(getm_paper.U_SPLIT_ADV)
    policy: Annotated[Literal["needed", "literal"], Option(help="Which halos travel.")] = "needed"
    levels: Levels = 60
    steps: Annotated[int, count(1, 1000, "Macro steps of a round.")] = 1
    rounds: Annotated[int, count(1, 1000, "Rounds of all strategies.")] = 61
    transport: Transport = "auto"
