"""What `lapwing bench helmholtz` was asked for, checked before anything is measured."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

GROUPS = (1, 2, 4, 8)  # where a rank has so many levels


@dataclass(frozen=True)
class HelmholtzRequest:
    """The grid, how it is cut, in how many groups its levels travel, and where samples go."""

    size: tuple[int, int, int]
    blocks: tuple[int, int]
    groups: tuple[int, ...]  # 1 is the first of them
    method: str
    samples: int
    json: Path | None
    progress: Style

    @property
    def work(self) -> str:
        """Name of the grid in tables and files."""
        return "x".join(map(str, self.size))


def parse(arguments: Sequence[str], ranks: int) -> HelmholtzRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("helmholtz")
    parser.add_argument("--work", default="202x190x40")
    parser.add_argument("--blocks", default=f"{ranks}x1")
    parser.add_argument("--groups")
    parser.add_argument("--method", default="p2p")
    parser.add_argument("--samples", default="15")
    options = parser.parse_args(arguments)
    from lapwing import transpose_methods  # here: listing benchmarks loads nothing

    nx, ny, levels = _sizes("--work", options.work, 3)
    px, py = _sizes("--blocks", options.blocks, 2)
    if px * py != ranks:
        got, expected = f"{px}x{py} blocks", f"{ranks}, one per rank"
        raise user_error("--blocks", got, expected, "change --blocks or --ranks")
    most = max(1, levels // px)
    asked = [number for number in GROUPS if number <= most]
    if options.groups is not None:
        asked = [number_in("--groups", text, 1, most) for text in options.groups.split(",")]
    return HelmholtzRequest(
        size=(nx, ny, levels),
        blocks=(px, py),
        groups=tuple(dict.fromkeys((1, *asked))),
        method=names_in("--method", options.method, transpose_methods())[0],
        samples=number_in("--samples", options.samples, 2, 1000),
        json=options.json,
        progress=options.progress,
    )


def _sizes(option: str, text: str, count: int) -> tuple[int, ...]:
    found = re.fullmatch("x".join([r"(\d{1,5})"] * count), text)
    if found is None or math.prod(sizes := tuple(map(int, found.groups()))) == 0:
        example = {2: "2x1", 3: "202x190x40"}[count]
        expected = f"{count} numbers above 0 like {example}"
        raise user_error(option, repr(text), expected, "give such sizes")
    return sizes
