"""The options of `lapwing bench diffusion`."""

from dataclasses import dataclass

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

STEP, HAND, OVERLAP, LIMIT = "lapwing", "hand", "hand-overlap", "limit"
METHODS = (STEP, HAND, OVERLAP, LIMIT)
WORKS = (options.Shape((256, 256, 256)), options.Shape((64, 64, 64)))
LEAST = 3  # points along an axis, of which one is stepped
POINT_STEPS = 200_000_000  # in a sample: some tenths of a second


@dataclass(frozen=True, kw_only=True)
class DiffusionRequest(Request):
    """The diffusion of heat in 3D, the example of ImplicitGlobalGrid.jl: lapwing, and MPI by hand.

    Example:

    lapwing bench diffusion --works 128x128x128 --methods lapwing,hand
    """

    works: tuple[options.Shape, ...] = options.shapes(
        "64x64x64", WORKS, "Points of the grid along x, y and z.", least=LEAST
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, METHODS, "Methods.")
    strategy: str = options.option("blocking", "Order of lapwing's steps.", metavar="S")
    transport: str = options.transport()
    samples: int = options.samples(11)

    def __post_init__(self) -> None:
        for work in self.works:
            if work[2] < 2 * self.ranks:
                expected = f"2 planes or more along z for each of {self.ranks} ranks"
                raise user_error("--works", str(work), expected, "take fewer ranks or more planes")
        if self.strategy not in lapwing.strategy_names():
            expected = f"one of {', '.join(lapwing.strategy_names())}"
            raise user_error("--strategy", self.strategy, expected, "choose one of them")

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample. Local."""
        return max(10, POINT_STEPS // (work[0] * work[1] * work[2]))

    def full_name(self, work: options.Shape) -> str:
        """The name of a work with all in which this request is not the usual one."""
        return str(work) if self.ranks == 2 else f"{work}@{self.ranks}"
