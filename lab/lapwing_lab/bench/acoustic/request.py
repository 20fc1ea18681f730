"""The options of `lapwing bench acoustic`."""

from dataclasses import dataclass

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

STEP, HAND, OVERLAP, PEER, LIMIT = "lapwing", "hand", "hand-overlap", "devito", "limit"
METHODS = (STEP, HAND, OVERLAP, PEER, LIMIT)
WORKS = (options.Shape((256, 256, 256)), options.Shape((64, 64, 64)))
REACH = 4  # cells that the stencil reads along each axis
# cells from which memory decides: samples have fewer steps
LARGE = 1_000_000
CALL_STEPS = {True: 50, False: 2000}  # so many that the begin of a call does not count
MODES = ("basic", "diag", "diag2", "overlap", "overlap2", "full")  # of Devito's messages


@dataclass(frozen=True, kw_only=True)
class AcousticRequest(Request):
    """The acoustic wave equation in 3D, order 8 in space, 2 in time: lapwing, by hand, Devito.

    Example:

    lapwing bench acoustic --works 64x64x64 --methods lapwing,hand,devito
    """

    works: tuple[options.Shape, ...] = options.shapes(
        "64x64x64", WORKS, "Cells of the grid along x, y and z.", least=REACH
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, METHODS, "Methods.")
    strategy: str = options.option("blocking", "Order of lapwing's steps.", metavar="S")
    transport: str = options.transport()
    modes: tuple[str, ...] = options.names(
        lambda: MODES, MODES, "Devito's ways of sending messages, of which the fastest counts."
    )
    samples: int = options.samples(11)

    def __post_init__(self) -> None:
        for work in self.works:
            if work[2] < 2 * REACH * self.ranks:
                expected = f"{2 * REACH} planes or more along z for each of {self.ranks} ranks"
                raise user_error("--works", str(work), expected, "take fewer ranks or more planes")
        if self.strategy not in lapwing.strategy_names():
            expected = f"one of {', '.join(lapwing.strategy_names())}"
            raise user_error("--strategy", self.strategy, expected, "choose one of them")

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample. Local."""
        return CALL_STEPS[work[0] * work[1] * work[2] >= LARGE]

    def full_name(self, work: options.Shape) -> str:
        """The name of a work with all in which this request is not the usual one."""
        return str(work) if self.ranks == 2 else f"{work}@{self.ranks}"
