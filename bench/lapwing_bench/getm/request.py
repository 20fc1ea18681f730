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
    shapes,
)

POLICIES = ("needed", "literal")
UNDIVIDED = "blocking"

Sizes = Annotated[Shapes, shapes("60x40", "Cells of a rank along x and y.", least=4)]
Levels = Annotated[int, count(2, 1000, "Levels.")]
PAPER_SIZES = Shapes(map(shape_like("60x40"), getm_paper.SIZES))


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
                lambda asked: Names(dict.fromkeys((UNDIVIDED, *asked))), name_among(strategy_list)
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
