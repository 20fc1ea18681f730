"""What `lapwing bench lattice` was asked for, checked before anything is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.measure.request import (
    Blocks,
    OptionParser,
    Style,
    blocks_in,
    names_in,
    number_in,
)

METHODS = ("two-lattice", "in-place", "lbmpy-pull", "lbmpy-inplace")


@dataclass(frozen=True)
class LatticeRequest:
    """How many cells along each axis, how the grid is cut, by what and where samples go."""

    works: tuple[int, ...]  # cells along x, y and z: of the grid, or of each rank
    per_rank: bool
    blocks: tuple[Blocks, ...]  # ways to cut the grid, one after the other, a rank per block
    methods: tuple[str, ...]
    steps: int  # of a sample
    samples: int
    json: Path | None
    progress: Style

    def cells(self, work: int, blocks: Blocks) -> tuple[int, int, int]:
        """Cells of the whole grid along x, y and z."""
        x, y, z = (work * parts if self.per_rank else work for parts in blocks)
        return x, y, z

    def name(self, work: int, blocks: Blocks) -> str:
        """Name of a work in tables and files."""
        cut = "" if blocks == self.blocks[0] else f"@{'x'.join(map(str, blocks))}"
        return f"{work}{'-per-rank' if self.per_rank else ''}{cut}"


def parse(arguments: Sequence[str], ranks: int) -> LatticeRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("lattice")
    parser.add_argument("--works", default="128,256")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--blocks", default=f"1x1x{ranks}")
    parser.add_argument("--per-rank", action="store_true")
    parser.add_argument("--steps", default="20")
    parser.add_argument("--samples", default="15")
    options = parser.parse_args(arguments)
    works = [number_in("--works", text, 4, 4096) for text in options.works.split(",")]
    blocks = [_blocks(text, ranks) for text in options.blocks.split(",")]
    steps = number_in("--steps", options.steps, 2, 10_000)
    return LatticeRequest(
        works=tuple(dict.fromkeys(works)),
        per_rank=options.per_rank,
        blocks=tuple(dict.fromkeys(blocks)),
        methods=names_in("--methods", options.methods, METHODS),
        steps=steps + steps % 2,  # in place two steps are a cycle
        samples=number_in("--samples", options.samples, 2, 1000),
        json=options.json,
        progress=options.progress,
    )


def _blocks(text: str, ranks: int) -> Blocks:
    blocks = blocks_in("--blocks", text)
    count = math.prod(blocks)
    if count > ranks:
        got, expected = f"{text}, {count} blocks", f"at most {ranks}, one per rank"
        raise user_error("--blocks", got, expected, "change it, or start more ranks")
    return blocks
