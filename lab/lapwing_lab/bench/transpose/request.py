"""The options of `lapwing bench transpose`."""

from dataclasses import dataclass

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
    """Whole rows and columns by every method.

    Example:

    lapwing bench transpose --work 256x192x64 --methods shared,alltoallw
    """

    work: tuple[options.Shape, ...] = options.shapes(
        str(DEFAULT_SIZE), (DEFAULT_SIZE,), "Cells of the grid."
    )
    ways: tuple[str, ...] = options.names(
        lambda: WAYS, WAYS, f"From which distribution to which; {KEPT}: x stays the fastest axis."
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
