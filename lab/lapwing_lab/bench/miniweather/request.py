"""The options of `lapwing bench miniweather`."""

from dataclasses import dataclass
from typing import ClassVar

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import ModelRequest

STEP, HAND = "lapwing", "hand"
METHODS = (STEP, HAND)
WORKS = (options.Shape((400, 200)), options.Shape((100, 50)))
REACH = 2  # cells that a stage reads along its axis
CELL_STEPS = 4_000_000  # in a sample: some tenths of a second


@dataclass(frozen=True, kw_only=True)
class MiniweatherRequest(ModelRequest):
    """miniWeather's rising thermal, a whole model in x and z: lapwing, and MPI by hand.

    Example:

    lapwing bench miniweather --works 100x50 --seconds 400
    """

    AXIS: ClassVar[int] = 0
    LEAST: ClassVar[int] = REACH
    PLANES: ClassVar[str] = "columns"
    PERIODIC: ClassVar[tuple[bool, ...]] = (True, False)

    works: tuple[options.Shape, ...] = options.shapes(
        "100x50", WORKS, "Cells of the grid along x and z; twice as many along x.", least=REACH
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, METHODS, "Methods.")
    seconds: float = options.option(
        400.0, "Model time after which mass and energy are compared.", min=1.0, metavar="S"
    )

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample. Local."""
        return max(10, CELL_STEPS // (work[0] * work[1]))
