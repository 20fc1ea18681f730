"""What `lapwing bench zoning` is asked for."""

from dataclasses import dataclass
from typing import Annotated

from lapwing.base.error import user_error

from lapwing_bench.measure.request import Names, Request, Samples, Transport, names

# Cells of a subdomain along x and y, and layers; GETM's report has its worst case in the last.
SIZES = {"60x60x60": (60, 60, 60), "40x24x60": (40, 24, 60), "24x40x60": (24, 40, 60)}
LEVELS = "@levels"  # appended to works whose layers are next to each other in memory
UNDIVIDED = "blocking"
RANKS = 2


def work_names() -> list[str]:
    """All works, in the order of the table. Local."""
    return [size + layout for size in SIZES for layout in ("", LEVELS)]


def method_names() -> list[str]:
    """The strategies that cut stages into zones, and the one that chooses among them. Local."""
    from lapwing import strategy_names  # here: listing benchmarks loads no extension

    return [name for name in strategy_names() if not name.startswith("deep")]  # other cells


@dataclass(frozen=True, kw_only=True)
class ZoningRequest(Request):
    """What cutting loops into zones costs."""

    works: Annotated[
        Names,
        names(
            work_names,
            "Cells of a subdomain; @levels: layers are contiguous in memory.",
        ),
    ] = Names(work_names())
    methods: Annotated[
        Names | None,
        names(method_names, f"Strategies; {UNDIVIDED} always.", show_default="all"),
    ] = None
    transport: Transport = "auto"
    samples: Samples = 41

    def __post_init__(self) -> None:
        if self.ranks != RANKS:
            remedy = "two ranks have their subdomains like a chess board"
            raise user_error("--ranks", str(self.ranks), f"{RANKS}", remedy)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The strategies to measure, the one that cuts nothing first."""
        return tuple(dict.fromkeys((UNDIVIDED, *(self.methods or method_names()))))
