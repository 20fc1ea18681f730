"""The options of `lapwing bench partition` and `lapwing bench wet`."""

from dataclasses import dataclass
from typing import ClassVar

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request


@dataclass(frozen=True, kw_only=True)
class PartitionRequest(Request):
    """Compare steps of a sea cut by several methods with steps on the best blocks.

    Example:

    lapwing bench partition --works shelf,northsea
    """

    BOUND: ClassVar[bool] = False
    WORKS = ("shelf", "northsea", "shelf3d-small")  # cases of the coast model

    works: tuple[str, ...] = options.names(WORKS, WORKS, "Cases to step.")
    steps: int | None = options.count(
        1, 10_000, None, "Steps of a sample; by default as many as take about 30 ms."
    )
    samples: int = options.samples(21)
    seeds: int = options.count(0, 100, 2, "Cuts by METIS for each of its objectives; 0: none.")
    transport: str = options.transport()


@dataclass(frozen=True, kw_only=True)
class WetRequest(Request):
    """Messages without the land of a coast: clipped, in patches, as lists, compared with whole.

    Example:

    lapwing bench wet --works 2d,mixed --shape 1x2 --transport p2p
    """

    BOUND: ClassVar[bool] = False
    # fields with levels and without, exchanged together
    FIELDS: ClassVar = {"2d": (0, 1), "3x2d": (0, 3), "3d": (1, 0), "mixed": (1, 3)}
    WORKS = (*FIELDS, "northsea", "shelf3d-small")  # the last are cases whose steps are timed

    works: tuple[str, ...] = options.names(
        WORKS,
        WORKS,
        "Fields on the mask of the case shelf that are exchanged together, or cases to step.",
    )
    shape: options.Shape = options.shape("1x2", options.Shape((1, 2)), "Ranks along x and y.")
    levels: int = options.count(1, 200, 60, "Levels of fields that have any.")
    rounds: int = options.count(1, 10_000, 40, "Exchanges, or steps, of a sample.")
    samples: int = options.samples(21)
    transport: str = options.transport()
