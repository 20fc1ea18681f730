"""The options of `lapwing bench shallow-water`."""

from dataclasses import dataclass
from typing import ClassVar

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import ModelRequest

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
class ShallowWaterRequest(ModelRequest):
    """mpi4jax's shallow-water benchmark in C++ and Python on lapwing, by hand, and as it ships.

    Example:

    lapwing bench shallow-water --works 360x180 --methods cpp,numba,mpi4jax
    """

    AXIS: ClassVar[int] = 1
    LEAST: ClassVar[int] = 8
    PLANES: ClassVar[str] = "rows"
    PERIODIC: ClassVar[tuple[bool, ...]] = (True, False)

    works: tuple[options.Shape, ...] = options.shapes(
        "360x180", WORKS, "Cells of the grid along x and y.", least=8
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, USUAL, "Methods.")
    double: bool = options.option(False, "In float64; float32, JAX's own, if not.", "--double")
    samples: int = options.samples(44)  # of 10 steps each: 0.1 days of the large work

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample, as many as mpi4jax does in one call. Local."""
        return CALL_STEPS[work[0] * work[1] >= LARGE]

    def full_name(self, work: options.Shape) -> str:
        """The name of a work with all in which this request is not the usual one."""
        return super().full_name(work) + ("@double" if self.double else "")
