"""The options of `lapwing bench weather`."""

from collections.abc import Mapping
from dataclasses import dataclass

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request
from lapwing_lab.bench.stages.work import Work

# A sample is some turns of the three states. In a cache they are so many that the copies before
# them, which push the state out, count little: in a run one step follows the other. Copies are warm
# likewise.
_WORKS = (
    # what a rank has of a HIRLAM area, in the last cache
    Work("@60x60x40", 60, 60, 15, 31, 40, warm=True),
    Work("@120x60x40", 120, 60, 3, 31, 40, warm=True),
    # HIRLAM's functional test, beyond the caches
    Work("@202x190x40", 202, 190, 3, 11, 40, warm=True),
)
WORKS = {work.name.removeprefix("@"): work for work in _WORKS}  # by what --works calls them

# by what --schemes calls them: the settings of the case that differ
SCHEMES: Mapping[str, tuple[str, ...]] = {
    "explicit": (),
    "semi-implicit": ("time.scheme=semi-implicit",),
    "semi-lagrangian": ("dynamics.advection=semi-lagrangian",),
}


@dataclass(frozen=True, kw_only=True)
class WeatherRequest(Request):
    """The weather model's kernels against memory and divider.

    Example:

    lapwing bench weather --works 60x60x40,202x190x40
    """

    ranks: int = options.ranks(1)
    works: tuple[str, ...] = options.names(
        lambda: tuple(WORKS), tuple(WORKS), "Cells of a rank, the last number layers: 60x60x40."
    )
    schemes: tuple[str, ...] = options.names(
        lambda: tuple(SCHEMES), ("explicit",), f"Steps: {', '.join(SCHEMES)}."
    )

    @property
    def chosen(self) -> tuple[Work, ...]:
        """The works in the order of the tables."""
        return tuple(work for name, work in WORKS.items() if name in self.works)
