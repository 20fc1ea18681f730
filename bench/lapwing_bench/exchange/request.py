"""What `lapwing bench exchange` is asked for."""

from dataclasses import dataclass
from math import isqrt, prod
from typing import Annotated

from lapwing.base.error import user_error

from lapwing_bench.measure.request import Names, Request, Shape, count, names, shape_option

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


def method_names() -> list[str]:
    """All methods that there may be, in the order of the table. Local."""
    from lapwing import transport_names  # here: listing benchmarks loads no extension

    ours = [name + memory for name in transport_names() for memory in ("", WRAPPED)]
    return [*ours, SEPARATE, *HAND, *PEERS, LIMIT]


def default_blocks(ranks: int) -> tuple[int, int]:
    """The blocks near a square, the longer side along y. Local."""
    along_x = max(n for n in range(1, isqrt(ranks) + 1) if ranks % n == 0)
    return along_x, ranks // along_x


@dataclass(frozen=True, kw_only=True)
class ExchangeRequest(Request):
    """Halos by every transport compared with hand-written MPI and other libraries.

    Example:

    lapwing bench exchange --works 2d-60,3d-60@levels --shape 2x1 --width 10
    """

    works: Annotated[
        Names,
        names(
            lambda: WORKS,
            "Sizes of a rank; @levels: levels are contiguous in memory.",
        ),
    ] = Names(WORKS)
    methods: Annotated[
        Names | None,
        names(
            method_names,
            f"Methods; {REFERENCE} and {LIMIT}, which others are compared with, always.",
            show_default="all",
        ),
    ] = None
    shape: Annotated[
        Shape | None,
        shape_option("2x1", "Ranks along x and y.", show_default="near a square"),
    ] = None
    width: Annotated[int, count(*WIDTHS, "Cells of halo.")] = DEFAULT_WIDTH
    samples: Annotated[
        int | None,
        count(
            2,
            100_000,
            "Samples of each method.",
            show_default=f"{DEFAULT_SAMPLES}; 11 where ranks share cores",
        ),
    ] = None

    def __post_init__(self) -> None:
        if prod(self.blocks) != self.ranks:
            ranks = self.ranks
            shapes = ", ".join(f"{n}x{ranks // n}" for n in range(1, ranks + 1) if ranks % n == 0)
            expected = f"PxQ blocks along x and y for {ranks} ranks: {shapes}"
            raise user_error("--shape", str(self.shape), expected, "change the shape or --ranks")

    @property
    def blocks(self) -> tuple[int, int]:
        """Ranks along x and y."""
        if self.shape is None:
            return default_blocks(self.ranks)
        along_x, along_y = self.shape
        return along_x, along_y

    @property
    def chosen(self) -> list[str]:
        """The methods to measure, with those that shares and ratios are of."""
        known = method_names()
        return [one for one in known if one in (*(self.methods or known), REFERENCE, LIMIT)]

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
