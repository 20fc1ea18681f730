"""The options of `lapwing bench wet`."""

from dataclasses import dataclass

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

FORMS = ("off", "clip", "patches", "lists")

# fields with levels and without, exchanged together
FIELDS = {"2d": (0, 1), "3x2d": (0, 3), "3d": (1, 0), "mixed": (1, 3)}
STEPS = ("northsea", "shelf3d-small")  # cases whose steps are timed
WORKS = (*FIELDS, *STEPS)


@dataclass(frozen=True, kw_only=True)
class WetRequest(Request):
    """Messages without the land of a coast: clipped, in patches, as lists, compared with whole.

    Example:

    lapwing bench wet --works 2d,mixed --shape 1x2 --transport p2p
    """

    works: tuple[str, ...] = options.names(
        lambda: WORKS,
        WORKS,
        "Fields on the mask of the case shelf that are exchanged together, or cases to step.",
    )
    shape: options.Shape = options.shape("1x2", options.Shape((1, 2)), "Ranks along x and y.")
    levels: int = options.count(1, 200, 60, "Levels of fields that have any.")
    rounds: int = options.count(1, 10_000, 40, "Exchanges, or steps, of a sample.")
    samples: int = options.samples(21)
    transport: str = options.transport()
