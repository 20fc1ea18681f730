"""What `lapwing bench exchange` was asked for, checked before anything is measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

# nx, ny, levels (0: 2D) and fields; sizes are those of one rank
SIZES = {
    "2d-60": (60, 60, 0, 1),
    "2d-240": (240, 240, 0, 1),
    "3d-60": (60, 60, 60, 1),
    "3d-40x24": (40, 24, 60, 1),
    "8x3d-60": (60, 60, 60, 8),
    "3x2d-60": (60, 60, 0, 3),
}
LEVELS = "@levels"  # appended to the name: levels are contiguous in memory instead of x
WORKS = (*SIZES, *(name + LEVELS for name, size in SIZES.items() if size[2] > 0))

REFERENCE = "hand-combined"
LIMIT = "memcpy-limit"
HAND = (REFERENCE, "hand-separate")
SEPARATE = "p2p-separate"  # of works with several fields
WRAPPED = "-wrapped"
NUMPY = "mpi4py"
GHEX_PYTHON = "ghex-python"
HAND_PETSC = "hand-petsc"  # REFERENCE on the MPI of PETSc
PROGRAMS = {"ghex": "ghex", "petsc": "petsc", HAND_PETSC: "petsc"}  # and whose they are
PEERS = (NUMPY, GHEX_PYTHON, *PROGRAMS)

WIDTHS = (1, 12)  # cells: strips of opposite sides do not meet in the smallest work
DEFAULT_RANKS, DEFAULT_WIDTH, DEFAULT_SAMPLES = 2, 2, 51


@dataclass(frozen=True)
class ExchangeRequest:
    """Works and methods to measure, on which blocks, and where to write the samples."""

    works: tuple[str, ...]
    methods: tuple[str, ...]
    blocks: tuple[int, int]
    width: int
    samples: int | None  # of each method; None: as many as suit the machine
    json: Path | None
    progress: Style

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.blocks[0] * self.blocks[1]

    def full_name(self, work: str) -> str:
        """The name of a work with all in which this request is not the usual one."""
        name = work
        if self.ranks != DEFAULT_RANKS:
            name += f"@{self.ranks}"
        if self.width != DEFAULT_WIDTH:
            name += f"@w{self.width}"
        if self.blocks != default_blocks(self.ranks):
            name += f"@{self.blocks[0]}x{self.blocks[1]}"
        return name


def method_names() -> list[str]:
    """All methods that there may be, in the order of the table. Local."""
    from lapwing import transport_names  # here: listing benchmarks loads no extension

    ours = [name + memory for name in transport_names() for memory in ("", WRAPPED)]
    return [*ours, SEPARATE, *HAND, *PEERS, LIMIT]


def default_blocks(ranks: int) -> tuple[int, int]:
    """The blocks nearest to a square, the longer side along y. Local."""
    along_x = max(n for n in range(1, isqrt(ranks) + 1) if ranks % n == 0)
    return along_x, ranks // along_x


def parse(arguments: Sequence[str], ranks: int) -> ExchangeRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("exchange")
    parser.add_argument("--works", default=",".join(WORKS))
    parser.add_argument("--methods")
    parser.add_argument("--width", default=str(DEFAULT_WIDTH))
    parser.add_argument("--samples")
    parser.add_argument("--shape")
    options = parser.parse_args(arguments)
    known = method_names()
    methods = names_in("--methods", options.methods, known) if options.methods else tuple(known)
    return ExchangeRequest(
        works=names_in("--works", options.works, WORKS),
        # every share and ratio is one to these two
        methods=tuple(name for name in known if name in (*methods, REFERENCE, LIMIT)),
        blocks=_blocks(options.shape, ranks),
        width=number_in("--width", options.width, *WIDTHS),
        samples=None
        if options.samples is None
        else number_in("--samples", options.samples, 2, 100_000),
        json=options.json,
        progress=options.progress,
    )


def _blocks(text: str | None, ranks: int) -> tuple[int, int]:
    if text is None:
        return default_blocks(ranks)
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    blocks = (int(match[1]), int(match[2])) if match else (0, 0)
    if blocks[0] * blocks[1] != ranks:
        shapes = ", ".join(f"{n}x{ranks // n}" for n in range(1, ranks + 1) if ranks % n == 0)
        expected = f"PxQ blocks along x and y for {ranks} ranks: {shapes}"
        raise user_error("--shape", repr(text), expected, "change the shape or --ranks")
    return blocks
