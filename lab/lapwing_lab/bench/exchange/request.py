"""The options of `lapwing bench exchange` and `lapwing bench auto`."""

from dataclasses import dataclass
from math import prod

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

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
HAND = (
    REFERENCE,
    *("hand-separate", "hand-chunked", "hand-two-phase", "hand-shm", "hand-shm-in-place"),
)
SHARED_HAND = tuple(name for name in HAND if name.startswith("hand-shm"))
MEANS = ("limit-pull", "limit-push", "limit-stream")  # ways to copy between cores
LIMIT = "memcpy-limit"  # the fastest of them
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
    ours = [name + memory for name in lapwing.transport_names() for memory in ("", WRAPPED)]
    return [*ours, SEPARATE, *HAND, *PEERS, *MEANS]


@dataclass(frozen=True, kw_only=True)
class ExchangeRequest(Request):
    """Compare halos by every transport with hand-written MPI and other libraries.

    Example:

    lapwing bench exchange --works 2d-60,3d-60@levels --shape 2x1 --width 10
    """

    works: tuple[str, ...] = options.names(
        WORKS, WORKS, "Sizes of a rank; @levels: levels are contiguous in memory."
    )
    methods: tuple[str, ...] | None = options.names(
        method_names,
        None,
        "Methods; those by hand and the limits, which others are compared with, always.",
        show_default="all",
    )
    shape: options.Shape | None = options.shape(
        "2x1", None, "Ranks along x and y.", show_default="near a square"
    )
    width: int = options.count(*WIDTHS, DEFAULT_WIDTH, "Cells of halo.")
    samples: int | None = options.samples(
        None, show_default=f"{DEFAULT_SAMPLES}; 11 where ranks share cores"
    )

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
            return options.near_square(self.ranks)  # the longer side along y
        along_x, along_y = self.shape
        return along_x, along_y

    @property
    def chosen(self) -> list[str]:
        """The methods to measure, with those that shares and ratios are of."""
        known = method_names()
        return [one for one in known if one in (*(self.methods or known), *HAND, *MEANS)]

    def full_name(self, work: str) -> str:
        """The name of a work with all in which this request is not the usual one."""
        name = work
        if self.ranks != DEFAULT_RANKS:
            name += f"@{self.ranks}"
        if self.width != DEFAULT_WIDTH:
            name += f"@w{self.width}"
        if self.blocks != options.near_square(self.ranks):
            name += f"@{self.blocks[0]}x{self.blocks[1]}"
        return name


NEAR = 1.05  # of the time of the best, within which a choice is as good
ENOUGH = 0.9  # of the choices
DEFAULT_WORKS = ("2d-60", "3x2d-60", "3d-60", "3d-40x24", "8x3d-60", "3d-60@levels")


@dataclass(frozen=True, kw_only=True)
class AutoRequest(Request):
    """Compare transport auto, made several times, with the best of all transports.

    Exit code 1 where fewer than nine of ten choices are within 5 % of the best.

    Example:

    lapwing bench auto --works 2d-60,3d-60 --times 20
    """

    works: tuple[str, ...] = options.names(
        WORKS, DEFAULT_WORKS, "Sizes of a rank; @levels: levels are contiguous in memory."
    )
    times: int = options.count(1, 1000, 20, "How often a choice is made.")
    samples: int = options.samples(22)
