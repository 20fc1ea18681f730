"""The options of `lapwing bench diffusion`."""

from dataclasses import dataclass

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import ModelRequest

STEP, HAND, OVERLAP, LIMIT = "lapwing", "hand", "hand-overlap", "limit"
METHODS = (STEP, HAND, OVERLAP, LIMIT)
WORKS = (options.Shape((256, 256, 256)), options.Shape((64, 64, 64)))
LEAST = 3  # points along an axis, of which one is stepped
POINT_STEPS = 200_000_000  # in a sample: some tenths of a second


@dataclass(frozen=True, kw_only=True)
class DiffusionRequest(ModelRequest):
    """The diffusion of heat in 3D, the example of ImplicitGlobalGrid.jl: lapwing, and MPI by hand.

    Example:

    lapwing bench diffusion --works 128x128x128 --methods lapwing,hand
    """

    works: tuple[options.Shape, ...] = options.shapes(
        "64x64x64", WORKS, "Points of the grid along x, y and z.", least=LEAST
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, METHODS, "Methods.")

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample. Local."""
        return max(10, POINT_STEPS // (work[0] * work[1] * work[2]))
