"""The options of `lapwing bench auto`."""

from dataclasses import dataclass

from lapwing_lab.bench.exchange.request import WORKS
from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

NEAR = 1.05  # of the time of the best, within which a choice is as good
ENOUGH = 0.9  # of the choices
DEFAULT_WORKS = ("2d-60", "3x2d-60", "3d-60", "3d-40x24", "8x3d-60", "3d-60@levels")


@dataclass(frozen=True, kw_only=True)
class AutoRequest(Request):
    """Transport auto, made again and again, compared with the best of all transports.

    Exit code 1 where fewer than nine of ten choices are within 5 % of the best.

    Example:

    lapwing bench auto --works 2d-60,3d-60 --times 20
    """

    works: tuple[str, ...] = options.names(
        lambda: WORKS, DEFAULT_WORKS, "Sizes of a rank; @levels: levels are contiguous in memory."
    )
    times: int = options.count(1, 1000, 20, "How often a choice is made.")
    samples: int = options.samples(22)
