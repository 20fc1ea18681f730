"""The options of `lapwing bench getm`."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import lapwing

from lapwing_lab.bench.getm import paper as getm_paper
from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

POLICIES = ("needed", "literal")
UNDIVIDED = "blocking"


def strategy_list() -> list[str]:
    """The names that --strategy may list. Local."""
    known = dict.fromkeys((*lapwing.strategy_names(), "edge-first:B"))
    return [name for name in known if not name.startswith("auto")]


def sizes_of(*default: str) -> Any:
    """The option of sizes of subdomains. Local."""
    parsed = tuple(map(options.shape_like("60x40"), default))
    return options.shapes("60x40", parsed, "Cells of a rank along x and y.", least=4)


def level_count() -> Any:
    """The option of how many levels there are. Local."""
    return options.count(2, 1000, 60, "Levels.")


@dataclass(frozen=True, kw_only=True)
class GetmRequest(Request):
    """The tables of GETM's report.

    Example:

    lapwing bench getm --sizes 60x60,40x24
    """

    BOUND: ClassVar[bool] = False

    sizes: tuple[options.Shape, ...] = sizes_of(*getm_paper.SIZES)
    strategy: tuple[str, ...] = options.names(
        strategy_list,
        tuple(getm_paper.U_SPLIT_ADV),
        f"Orders to compare, separated by commas; {UNDIVIDED} always.",
        metavar="S,...",
    )
    policy: Literal["needed", "literal"] = options.option("needed", "Which halos travel.")
    levels: int = level_count()
    steps: int = options.count(1, 1000, 1, "Macro steps of a round.")
    rounds: int = options.count(1, 1000, 61, "Rounds of all strategies.")
    transport: str = options.transport()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The strategies to measure, the one that cuts nothing first."""
        return tuple(dict.fromkeys((UNDIVIDED, *self.strategy)))


@dataclass(frozen=True, kw_only=True)
class PoliciesRequest(Request):
    """Compare which halos travel in the model with layers, and the cost.

    Example:

    lapwing netlab run --rate 1gbit -- lapwing bench policies --sizes 40x24
    """

    BOUND: ClassVar[bool] = False

    sizes: tuple[options.Shape, ...] = sizes_of("60x60", "60x40", "40x24")
    levels: int = level_count()
    # many, as some strategies work ahead of the next one
    steps: int = options.count(1, 1000, 40, "Macro steps of a sample.")
    samples: int = options.samples(15)
    transport: str = options.transport()
