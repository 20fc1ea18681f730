"""The options of `lapwing bench coast`."""

from dataclasses import dataclass

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request
from lapwing_lab.bench.stages.work import Work

_WORKS = (
    Work("", 240, 240, 20, 201),  # the case kelvin; samples shorter than a slice of the scheduler
    Work("@3000", 3000, 3000, 2, 11),  # 360 MB: beyond the caches
    Work("@60x60x60", 60, 60, 1, 61, 60),  # subdomains of GETM's report, the case kelvin3d
    Work("@60x40x60", 60, 40, 1, 61, 60),
    Work("@40x24x60", 40, 24, 1, 61, 60),
    Work("@240x240x60", 240, 240, 1, 11, 60),  # beyond the caches
)
# by what --works calls them; the kernels of the first have plain names
WORKS = {work.name.removeprefix("@") or "240": work for work in _WORKS}


@dataclass(frozen=True, kw_only=True)
class CoastRequest(Request):
    """The coast model's kernels against memory and divider.

    Example:

    lapwing bench coast --json coast.json
    """

    ranks: int = options.ranks(1)
    works: tuple[str, ...] = options.names(
        lambda: tuple(WORKS), tuple(WORKS), "Cells of a rank, the last number layers: 60x60x60."
    )

    @property
    def chosen(self) -> tuple[Work, ...]:
        """The works in the order of the tables."""
        return tuple(work for name, work in WORKS.items() if name in self.works)
