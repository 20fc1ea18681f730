"""The options of `lapwing bench policies`."""

from dataclasses import dataclass

from lapwing_lab.bench.getm.request import level_count, sizes_of
from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request


@dataclass(frozen=True, kw_only=True)
class PoliciesRequest(Request):
    """Compare which halos travel in the model with layers, and the cost.

    Example:

    lapwing netlab run --rate 1gbit -- lapwing bench policies --sizes 40x24
    """

    sizes: tuple[options.Shape, ...] = sizes_of("60x60", "60x40", "40x24")
    levels: int = level_count()
    # many, as some strategies work ahead of the next one
    steps: int = options.count(1, 1000, 40, "Macro steps of a sample.")
    samples: int = options.samples(15)
    transport: str = options.transport()
