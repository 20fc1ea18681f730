"""The options of `lapwing bench partitions`."""

from dataclasses import dataclass

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

WORKS = ("shelf", "northsea", "shelf3d-small")  # cases of the coast model


@dataclass(frozen=True, kw_only=True)
class PartitionsRequest(Request):
    """Steps of a sea that is cut by several methods, compared with the best blocks.

    Example:

    lapwing bench partitions --works shelf,northsea
    """

    works: tuple[str, ...] = options.names(lambda: WORKS, WORKS, "Cases to step.")
    steps: int | None = options.count(
        1, 10_000, None, "Steps of a sample; by default as many as take about 30 ms."
    )
    samples: int = options.samples(21)
    seeds: int = options.count(0, 100, 2, "Cuts by METIS for each of its objectives; 0: none.")
    transport: str = options.transport()
