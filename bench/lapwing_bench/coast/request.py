"""What `lapwing bench coast` is asked for."""

from dataclasses import dataclass
from typing import Annotated

from lapwing_bench.measure.request import Names, Ranks, Request, names


@dataclass(frozen=True)
class Work:
    """Cells per rank, and how much a sample averages over."""

    name: str  # appended to the names of the kernels
    nx: int
    ny: int
    steps: int  # per sample; even without layers: the order alternates
    samples: int
    levels: int = 0  # layers; 0: the depth-integrated mode alone


WORKS = (
    Work("", 240, 240, 20, 201),  # the case kelvin; samples shorter than a slice of the scheduler
    Work("@3000", 3000, 3000, 2, 11),  # 360 MB: beyond the caches
    Work("@60x60x60", 60, 60, 1, 61, 60),  # subdomains of GETM's report, the case kelvin3d
    Work("@60x40x60", 60, 40, 1, 61, 60),
    Work("@40x24x60", 40, 24, 1, 61, 60),
    Work("@240x240x60", 240, 240, 1, 11, 60),  # beyond the caches
)
FIRST = "240"  # how --works calls the one whose kernels have plain names


def work_names() -> list[str]:
    """What --works may list, in the order of the tables. Local."""
    return [work.name.removeprefix("@") or FIRST for work in WORKS]


@dataclass(frozen=True, kw_only=True)
class CoastRequest(Request):
    """The coast model's kernels against memory and divider.

    Example:

    lapwing bench coast --json coast.json
    """

    ranks: Ranks = 1
    works: Annotated[
        Names,
        names(
            work_names,
            "Cells of a rank, the last number layers: 60x60x60.",
        ),
    ] = Names(work_names())

    @property
    def chosen(self) -> tuple[Work, ...]:
        """The works in the order of the tables."""
        return tuple(
            work for name, work in zip(work_names(), WORKS, strict=True) if name in self.works
        )
