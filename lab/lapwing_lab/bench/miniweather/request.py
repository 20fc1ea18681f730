"""The options of `lapwing bench miniweather`."""

from dataclasses import dataclass

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

STEP, HAND = "lapwing", "hand"
METHODS = (STEP, HAND)
WORKS = (options.Shape((400, 200)), options.Shape((100, 50)))
REACH = 2  # cells that a stage reads along its axis
CELL_STEPS = 4_000_000  # in a sample: some tenths of a second


@dataclass(frozen=True, kw_only=True)
class MiniweatherRequest(Request):
    """miniWeather's rising thermal, a whole model in x and z: lapwing, and MPI by hand.

    Example:

    lapwing bench miniweather --works 100x50 --seconds 400
    """

    works: tuple[options.Shape, ...] = options.shapes(
        "100x50", WORKS, "Cells of the grid along x and z; twice as many along x.", least=REACH
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, METHODS, "Methods.")
    strategy: str = options.option("blocking", "Order of lapwing's steps.", metavar="S")
    transport: str = options.transport()
    seconds: float = options.option(
        400.0, "Model time after which mass and energy are compared.", min=1.0, metavar="S"
    )
    samples: int = options.samples(11)

    def __post_init__(self) -> None:
        for work in self.works:
            if work[0] < REACH * self.ranks:
                expected = f"{REACH} columns or more for each of {self.ranks} ranks"
                raise user_error("--works", str(work), expected, "take fewer ranks or more columns")
        if self.strategy not in lapwing.strategy_names():
            expected = f"one of {', '.join(lapwing.strategy_names())}"
            raise user_error("--strategy", self.strategy, expected, "choose one of them")

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample. Local."""
        return max(10, CELL_STEPS // (work[0] * work[1]))

    def full_name(self, work: options.Shape) -> str:
        """The name of a work with all in which this request is not the usual one."""
        return str(work) if self.ranks == 2 else f"{work}@{self.ranks}"
