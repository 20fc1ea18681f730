"""The options of `lapwing bench by-hand`."""

from dataclasses import dataclass

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

HAND = "hand"
TIDE, TRACER = "northsea", "tracer"
WORKS = (TIDE, TRACER)
STEPS = {TIDE: 50, TRACER: 4}  # of a sample: whole cycles
DEFAULT_STRATEGIES = ("blocking", "dataflow")


def method_names() -> list[str]:
    """All methods that there may be. Local."""
    return [*lapwing.strategy_names(), HAND]


@dataclass(frozen=True, kw_only=True)
class ByHandRequest(Request):
    """The tide of northsea and a tracer in three dimensions, with messages as GETM has them.

    Example:

    lapwing bench by-hand --works northsea --methods blocking,auto
    """

    works: tuple[str, ...] = options.names(lambda: WORKS, WORKS, "Models.")
    methods: tuple[str, ...] = options.names(
        method_names, (*DEFAULT_STRATEGIES, HAND), f"Strategies; {HAND}, always."
    )
    transport: str = options.transport()
    size: options.Shape = options.shape(
        "60x60x20", options.Shape((60, 60, 20)), "Cells of a rank and layers of the tracer."
    )
    samples: int = options.samples(31)

    def __post_init__(self) -> None:
        if min(self.size[:2]) < 8:
            raise user_error(
                "--size", str(self.size), "8 cells or more along x and y", "enlarge it"
            )

    @property
    def chosen(self) -> list[str]:
        """The methods to measure, the one by hand among them."""
        return list(dict.fromkeys((*self.methods, HAND)))
