"""The options of `lapwing bench transpose` and `lapwing bench helmholtz`."""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

DEFAULT_SIZE, DEFAULT_RANKS = options.Shape((256, 192, 64)), 2
KEPT = "-kept"  # appended to a way: x stays the fastest axis
WAYS = tuple(way + kept for way in ("twod-fft", "fft-tri") for kept in ("", KEPT))

# One array copied to another: by memcpy, line by line, and by stores that pass the caches.
COPIES = {"limit-memcpy": "", "limit-blocked": "blocked", "limit-stream": "nontemporal"}
LIMIT = "memcpy-limit"  # the fastest of them
HAND_MESSAGES, HAND = "hand-p2p", "hand-alltoallv"
MPI4PY_FFT = "mpi4py-fft"
FFTW = "fftw"


def method_names() -> list[str]:
    """All methods that there may be, in the order of the table. Local."""
    first, *others = lapwing.transpose_methods()
    return [*others, first, HAND_MESSAGES, HAND, MPI4PY_FFT, FFTW, *COPIES]


@dataclass(frozen=True, kw_only=True)
class TransposeRequest(Request):
    """Measure transposes to whole rows and columns by every method.

    Example:

    lapwing bench transpose --work 256x192x64 --methods shared,alltoallw
    """

    work: tuple[options.Shape, ...] = options.shapes(
        str(DEFAULT_SIZE), (DEFAULT_SIZE,), "Cells of the grid."
    )
    ways: tuple[str, ...] = options.names(
        WAYS, WAYS, f"From which distribution to which; {KEPT}: x stays the fastest axis."
    )
    methods: tuple[str, ...] | None = options.names(
        method_names,
        None,
        f"Methods; {HAND} and the limits, which others are compared with, always.",
        show_default="all",
    )
    samples: int = options.samples(51)

    def __post_init__(self) -> None:
        for size in self.work:
            if min(size) < self.ranks:
                expected = f"sizes NXxNYxNZ of at least {self.ranks} cells, the ranks"
                raise user_error("--work", str(size), expected, "change it, or --ranks")

    @property
    def chosen(self) -> list[str]:
        """The methods to measure, with those that shares and ratios are of."""
        known = method_names()
        return [one for one in known if one in (*(self.methods or known), HAND, *COPIES)]

    def full_name(self, size: options.Shape, way: str) -> str:
        """The name of a work: size, way, and the number of ranks where it is not the usual."""
        ranks = "" if self.ranks == DEFAULT_RANKS else f"@{self.ranks}"
        return f"{size}@{way}{ranks}"

    def blocks(self, way: str) -> tuple[int, int]:
        """Ranks along x and y: nearly a square, more of them where this way has its messages."""
        less, more = options.near_square(self.ranks)
        return (more, less) if way.startswith("twod") else (less, more)


GROUPS = (1, 2, 4, 8)  # where a rank has so many levels


@dataclass(frozen=True, kw_only=True)
class HelmholtzRequest(Request):
    """The solver of a semi-implicit step, by groups of levels.

    Example:

    lapwing netlab run --rate 1gbit -- lapwing bench helmholtz --groups 1,2,4,8
    """

    BOUND: ClassVar[bool] = False

    work: options.Shape = options.shape(
        "202x190x40", options.Shape((202, 190, 40)), "Points of the grid."
    )
    blocks: options.Shape | None = options.shape(
        "2x1", None, "Ranks along x and y.", show_default="all along x"
    )
    groups: tuple[int, ...] | None = options.counts(
        1,
        10_000,
        None,
        "Groups of levels: one is worked on while the next travels. 1 always.",
        show_default="1, 2, 4, 8, at most the levels of a rank",
    )
    method: str = options.option(
        "p2p",
        "Method of the transposes.",
        parser=options.name_among(lambda: lapwing.transpose_methods()),
        metavar="M",
    )
    samples: int = options.samples(15)

    def __post_init__(self) -> None:
        if prod(self.cut) != self.ranks:
            got, expected = f"{self.blocks} blocks", f"{self.ranks}, one per rank"
            raise user_error("--blocks", got, expected, "change --blocks or --ranks")
        if (most := max(self.chosen)) > self._most:
            expected = f"a whole number from 1 to {self._most}"
            raise user_error("--groups", repr(most), expected, "give such a number")

    @property
    def cut(self) -> options.Shape:
        """Ranks along x and y."""
        return self.blocks or options.Shape((self.ranks, 1))

    @property
    def _most(self) -> int:
        """The levels of a rank."""
        return max(1, self.work[2] // self.cut[0])

    @property
    def chosen(self) -> tuple[int, ...]:
        """Numbers of groups, 1 being the first."""
        asked = self.groups or [number for number in GROUPS if number <= self._most]
        return tuple(dict.fromkeys((1, *asked)))
