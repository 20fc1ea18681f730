"""The options of `lapwing bench coast` and `lapwing bench weather`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

FLAT, LAYERS = "flat", "layers"  # fields without layers, and with them


@dataclass(frozen=True)
class Work:
    """Cells per rank, and how much a sample averages over."""

    name: str  # appended to the names of the kernels
    nx: int
    ny: int
    steps: int  # per sample: as many as the cycle of the step has positions, or a multiple
    samples: int
    levels: int = 0  # layers; 0: the depth-integrated mode alone
    warm: bool = False  # a copy that is not timed comes first: what was copied is in the caches

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of fields that there are: those with layers, and those without."""
        return (LAYERS, FLAT) if self.levels else (FLAT,)

    @property
    def columns(self) -> int:
        """The cells of a rank."""
        return self.nx * self.ny


@dataclass(frozen=True, kw_only=True)
class StagesRequest(Request):
    """The options of benchmarks of a model's stages."""

    BOUND: ClassVar[bool] = False
    ALL: ClassVar[Mapping[str, Work]] = {}  # by what --works calls them

    ranks: int = options.ranks(1)
    works: tuple[str, ...] = ()

    @property
    def chosen(self) -> tuple[Work, ...]:
        """The works in the order of the tables."""
        return tuple(work for name, work in self.ALL.items() if name in self.works)


@dataclass(frozen=True, kw_only=True)
class CoastRequest(StagesRequest):
    """Compare the coast model's kernels with the limits of memory and divider.

    Example:

    lapwing bench coast --json coast.json
    """

    # the kernels of the first have plain names
    ALL: ClassVar = {
        # the case kelvin; samples shorter than a slice of the scheduler
        "240": Work("", 240, 240, 20, 201),
        "3000": Work("@3000", 3000, 3000, 2, 11),  # 360 MB: beyond the caches
        # subdomains of GETM's report, the case kelvin3d
        "60x60x60": Work("@60x60x60", 60, 60, 1, 61, 60),
        "60x40x60": Work("@60x40x60", 60, 40, 1, 61, 60),
        "40x24x60": Work("@40x24x60", 40, 24, 1, 61, 60),
        "240x240x60": Work("@240x240x60", 240, 240, 1, 11, 60),  # beyond the caches
    }

    works: tuple[str, ...] = options.names(
        tuple(ALL), tuple(ALL), "Cells of a rank, the last number layers: 60x60x60."
    )


# by what --schemes calls them: the settings of the case that differ
SCHEMES: Mapping[str, tuple[str, ...]] = {
    "explicit": (),
    "semi-implicit": ("time.scheme=semi-implicit",),
    "semi-lagrangian": ("dynamics.advection=semi-lagrangian",),
}


@dataclass(frozen=True, kw_only=True)
class WeatherRequest(StagesRequest):
    """Compare the weather model's kernels with the limits of memory and divider.

    Example:

    lapwing bench weather --works 60x60x40,202x190x40
    """

    # A sample is some turns of the three states. In a cache they are so many that the copies before
    # them, which push the state out, count little: in a run one step follows the other. Copies are
    # warm likewise.
    ALL: ClassVar = {
        # what a rank has of a HIRLAM area, in the last cache
        "60x60x40": Work("@60x60x40", 60, 60, 15, 31, 40, warm=True),
        "120x60x40": Work("@120x60x40", 120, 60, 3, 31, 40, warm=True),
        # HIRLAM's functional test, beyond the caches
        "202x190x40": Work("@202x190x40", 202, 190, 3, 11, 40, warm=True),
    }

    works: tuple[str, ...] = options.names(
        tuple(ALL), tuple(ALL), "Cells of a rank, the last number layers: 60x60x40."
    )
    schemes: tuple[str, ...] = options.names(
        tuple(SCHEMES), ("explicit",), f"Steps: {', '.join(SCHEMES)}."
    )
