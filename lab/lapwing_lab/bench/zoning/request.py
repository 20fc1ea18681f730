"""The options of `lapwing bench zoning`."""

from dataclasses import dataclass

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

# Cells of a subdomain along x and y, and layers; GETM's report has its worst case in the last.
SIZES = {"60x60x60": (60, 60, 60), "40x24x60": (40, 24, 60), "24x40x60": (24, 40, 60)}
LEVELS = "@levels"  # appended to works whose layers are next to each other in memory
UNDIVIDED = "blocking"
RANKS = 2
WORKS = tuple(size + layout for size in SIZES for layout in ("", LEVELS))


def method_names() -> list[str]:
    """The strategies that cut stages into zones, and the one that chooses among them. Local."""
    return [name for name in lapwing.strategy_names() if not name.startswith("deep")]  # other cells


@dataclass(frozen=True, kw_only=True)
class ZoningRequest(Request):
    """Measure what cutting loops into zones costs."""

    works: tuple[str, ...] = options.names(
        lambda: WORKS, WORKS, "Cells of a subdomain; @levels: layers are contiguous in memory."
    )
    methods: tuple[str, ...] | None = options.names(
        method_names, None, f"Strategies; {UNDIVIDED} always.", show_default="all"
    )
    transport: str = options.transport()
    samples: int = options.samples(41)

    def __post_init__(self) -> None:
        if self.ranks != RANKS:
            remedy = "two ranks have their subdomains like a chess board"
            raise user_error("--ranks", str(self.ranks), f"{RANKS}", remedy)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The strategies to measure, the one that cuts nothing first."""
        return tuple(dict.fromkeys((UNDIVIDED, *(self.methods or method_names()))))
