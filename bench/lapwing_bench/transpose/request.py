"""What `lapwing bench transpose` was asked for, checked before anything is measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

from lapwing.base.error import user_error

from lapwing_bench.measure.request import OptionParser, Style, names_in, number_in

DEFAULT_SIZE, DEFAULT_RANKS, DEFAULT_SAMPLES = "256x192x64", 2, 51
WAYS = ("twod-fft", "fft-tri")
KEPT = "-kept"  # appended to a way: x stays the fastest axis

LIMIT = "memcpy-limit"
HAND_MESSAGES, HAND = "hand-p2p", "hand-alltoallv"
MPI4PY_FFT = "mpi4py-fft"
FFTW = "fftw"


@dataclass(frozen=True)
class TransposeRequest:
    """Sizes and methods to measure, on how many ranks, and where to write the samples."""

    sizes: tuple[tuple[int, int, int], ...]
    ways: tuple[str, ...]
    methods: tuple[str, ...]
    ranks: int
    samples: int
    json: Path | None
    progress: Style

    def full_name(self, size: tuple[int, int, int], way: str) -> str:
        """The name of a work: size, way, and the number of ranks where it is not the usual."""
        nx, ny, nz = size
        ranks = "" if self.ranks == DEFAULT_RANKS else f"@{self.ranks}"
        return f"{nx}x{ny}x{nz}@{way}{ranks}"

    def blocks(self, way: str) -> tuple[int, int]:
        """Ranks along x and y: nearly a square, more of them where this way has its messages."""
        less = max(n for n in range(1, isqrt(self.ranks) + 1) if self.ranks % n == 0)
        more = self.ranks // less
        return (more, less) if way.startswith("twod") else (less, more)


def method_names() -> list[str]:
    """All methods that there may be, in the order of the table. Local."""
    from lapwing import transpose_methods  # here: listing benchmarks loads no extension

    first, *others = transpose_methods()
    return [*others, first, HAND_MESSAGES, HAND, MPI4PY_FFT, FFTW, LIMIT]


def parse(arguments: Sequence[str], ranks: int) -> TransposeRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("transpose")
    parser.add_argument("--work", default=DEFAULT_SIZE)
    ways = [way + kept for way in WAYS for kept in ("", KEPT)]
    parser.add_argument("--ways", default=",".join(ways))
    parser.add_argument("--methods")
    parser.add_argument("--samples", default=str(DEFAULT_SAMPLES))
    options = parser.parse_args(arguments)
    known = method_names()
    methods = names_in("--methods", options.methods, known) if options.methods else tuple(known)
    return TransposeRequest(
        sizes=tuple(_size(text, ranks) for text in options.work.split(",")),
        ways=names_in("--ways", options.ways, ways),
        # every share and ratio is one to these two
        methods=tuple(name for name in known if name in (*methods, HAND, LIMIT)),
        ranks=ranks,
        samples=number_in("--samples", options.samples, 2, 100_000),
        json=options.json,
        progress=options.progress,
    )


def _size(text: str, ranks: int) -> tuple[int, int, int]:
    match = re.fullmatch(r"(\d+)x(\d+)x(\d+)", text)
    size = (int(match[1]), int(match[2]), int(match[3])) if match else (0, 0, 0)
    if min(size) < ranks:
        expected = f"sizes NXxNYxNZ of at least {ranks} cells, the ranks: {DEFAULT_SIZE}"
        raise user_error("--work", repr(text), expected, "separate sizes by commas, no blanks")
    return size
