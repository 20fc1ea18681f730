"""The options of `lapwing bench acoustic`."""

from dataclasses import dataclass
from typing import ClassVar

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import ModelRequest

STEP, HAND, OVERLAP, PEER, LIMIT = "lapwing", "hand", "hand-overlap", "devito", "limit"
METHODS = (STEP, HAND, OVERLAP, PEER, LIMIT)
WORKS = (options.Shape((256, 256, 256)), options.Shape((64, 64, 64)))
REACH = 4  # cells that the stencil reads along each axis
# cells from which memory decides: samples have fewer steps
LARGE = 1_000_000
CALL_STEPS = {True: 50, False: 2000}  # so many that the begin of a call does not count
MODES = ("basic", "diag", "diag2", "overlap", "overlap2", "full")  # of Devito's messages


@dataclass(frozen=True, kw_only=True)
class AcousticRequest(ModelRequest):
    """The acoustic wave equation in 3D, order 8 in space, 2 in time: lapwing, by hand, Devito.

    Example:

    lapwing bench acoustic --works 64x64x64 --methods lapwing,hand,devito
    """

    LEAST: ClassVar[int] = 2 * REACH

    works: tuple[options.Shape, ...] = options.shapes(
        "64x64x64", WORKS, "Cells of the grid along x, y and z.", least=REACH
    )
    methods: tuple[str, ...] = options.names(lambda: METHODS, METHODS, "Methods.")
    modes: tuple[str, ...] = options.names(
        lambda: MODES, MODES, "Devito's ways of sending messages, of which the fastest counts."
    )

    def call_steps(self, work: options.Shape) -> int:
        """Steps of a sample. Local."""
        return CALL_STEPS[work[0] * work[1] * work[2] >= LARGE]
