"""What `lapwing bench coast` was asked for, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing_bench.measure.request import OptionParser, names_in


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


@dataclass(frozen=True)
class CoastRequest:
    """The works to measure, and where to write the samples."""

    works: tuple[Work, ...]
    json: Path | None


def work_names() -> list[str]:
    """What --works may list, in the order of the tables. Local."""
    return [work.name.removeprefix("@") or FIRST for work in WORKS]


def parse(arguments: Sequence[str], ranks: int) -> CoastRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("coast")
    parser.add_argument("--works", default=",".join(work_names()))
    options = parser.parse_args(arguments)
    asked = names_in("--works", options.works, work_names())
    chosen = tuple(work for name, work in zip(work_names(), WORKS, strict=True) if name in asked)
    return CoastRequest(chosen, options.json)
