"""What `lapwing bench policies` is asked for."""

from dataclasses import dataclass
from typing import Annotated

from lapwing_bench.getm.request import Levels, Sizes
from lapwing_bench.measure.request import Request, Samples, Shapes, Transport, count, shape_like

SOME_SIZES = Shapes(map(shape_like("60x40"), ("60x60", "60x40", "40x24")))


@dataclass(frozen=True, kw_only=True)
class PoliciesRequest(Request):
    """Which halos travel in the model with layers, and what that costs.

    Example:

    lapwing netlab run --rate 1gbit -- lapwing bench policies --sizes 40x24
    """

    sizes: Sizes = SOME_SIZES
    levels: Levels = 60
    # many, as some strategies work ahead of the next one
    steps: Annotated[int, count(1, 1000, "Macro steps of a sample.")] = 40
    samples: Samples = 15
    transport: Transport = "auto"
