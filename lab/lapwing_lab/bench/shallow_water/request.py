"""The options of `lapwing bench shallow-water`."""

from dataclasses import dataclass

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

PEER = "mpi4jax"
FRICTION, CORRECTED = "mpi4jax-friction", "mpi4jax-corrected"
OF_PEER = (PEER, FRICTION, CORRECTED)  # as it ships, with one correction, with both
HAND, CPP, NUMBA, NUMPY = "hand", "cpp", "numba", "numpy"
USUAL = (CPP, NUMBA, NUMPY, HAND, PEER)
METHODS = (*USUAL, FRICTION, CORRECTED)
WORKS = (options.Shape((3600, 1800)), options.Shape((360, 180)))
# cells from which memory decides: samples have fewer steps, as mpi4jax's documentation has them
LARGE = 1_000_000
CALL_STEPS = {True: 10, False: 100}  # of a large work, of a small one


@dataclass(frozen=True, kw_only=True)
class ShallowWaterRequest(Request):
    """mpi4jax's shallow-water benchmark in C++ and Python on lapwing, by hand, and as it ships.

    Example:

    lapwing bench shallow-water --works 360x180 --methods cpp,numba,mpi4jax
    """

    works: tuple[options.Shape, ...] = options.shapes(
        "360x180", WORKS, "Cells of the grid along x and y.", least=8
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, USUAL, "Methods.")
    strategy: str = options.option("blocking", "Order of lapwing's steps.", metavar="S")
    transport: str = options.transport()
    double: bool = options.option(False, "In float64; float32, JAX's own, if not.", "--double")
    samples: int = options.samples(44)  # of 10 steps each: 0.1 days of the large work

    def __post_init__(self) -> None:
        for work in self.works:
            if work[1] < 8 * self.ranks:
                expected = f"8 rows or more for each of {self.ranks} ranks"
                raise user_error("--works", str(work), expected, "take fewer ranks or more rows")
        if self.strategy not in lapwing.strategy_names():
            expected = f"one of {', '.join(lapwing.strategy_names())}"
            raise user_error("--strategy", self.strategy, expected, "choose one of them")

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample, as many as mpi4jax does in one call. Local."""
        return CALL_STEPS[work[0] * work[1] >= LARGE]

    def full_name(self, work: options.Shape) -> str:
        """The name of a work with all in which this request is not the usual one."""
        ranks = "" if self.ranks == 2 else f"@{self.ranks}"
        return f"{work}{ranks}{'@double' if self.double else ''}"
