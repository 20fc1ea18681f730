"""The options of `lapwing bench models`: one request for each model."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import lapwing  # loads its extension at first use: listing benchmarks must not
from lapwing.base.atomic_file import check_folder
from lapwing.base.error import user_error
from lapwing.core.names import check_strategy

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.measure.request import Request

STEP, HAND, OVERLAP, LIMIT = "lapwing", "hand", "hand-overlap", "limit"
LARGE = 1_000_000  # cells from which memory decides: samples have fewer steps


@dataclass(frozen=True, kw_only=True)
class ModelRequest(Request):
    """The options of benchmarks that step a whole model, cut along one axis."""

    AXIS: ClassVar[int] = 2  # that ranks cut
    LEAST: ClassVar[int] = 2  # cells of a rank along it
    PLANES: ClassVar[str] = "planes"  # the cells of one place on this axis
    PERIODIC: ClassVar[tuple[bool, ...] | bool] = False

    works: tuple[Shape, ...] = ()
    methods: tuple[str, ...] = ()
    strategy: str = options.option("blocking", "Order of lapwing's steps.", metavar="S")
    transport: str = options.transport()
    samples: int = options.samples(11)

    def __post_init__(self) -> None:
        for work in self.works:
            if work[self.AXIS] < self.LEAST * self.ranks:
                along = f"{self.PLANES} or more along {'xyz'[self.AXIS]}"
                expected = f"{self.LEAST} {along} for each of {self.ranks} ranks"
                remedy = f"take fewer ranks or more {self.PLANES}"
                raise user_error("--works", str(work), expected, remedy)
        check_strategy("--strategy", self.strategy)

    def call_steps(self, work: Shape) -> int:
        """Steps of a sample. Local."""
        raise NotImplementedError

    def full_name(self, work: Shape) -> str:
        """The name of a work with all in which this request is not the usual one."""
        return str(work) if self.ranks == 2 else f"{work}@{self.ranks}"


@dataclass(frozen=True, kw_only=True)
class AcousticRequest(ModelRequest):
    """The acoustic wave equation in 3D, order 8 in space, 2 in time: lapwing, by hand, Devito.

    Example:

    lapwing bench acoustic --works 64x64x64 --methods lapwing,hand,devito
    """

    REACH = 4  # cells that the stencil reads along each axis
    LEAST: ClassVar[int] = 2 * REACH
    PEER = "devito"
    METHODS = (STEP, HAND, OVERLAP, PEER, LIMIT)
    WORKS = (Shape((256, 256, 256)), Shape((64, 64, 64)))
    MODES = ("basic", "diag", "diag2", "overlap", "overlap2", "full")  # of Devito's messages

    works: tuple[Shape, ...] = options.shapes(
        "64x64x64", WORKS, "Cells of the grid along x, y and z.", least=REACH
    )
    methods: tuple[str, ...] = options.names(METHODS, METHODS, "Methods.")
    modes: tuple[str, ...] = options.names(
        MODES, MODES, "Devito's ways of sending messages, of which the fastest counts."
    )

    def call_steps(self, work: Shape) -> int:
        """Steps of a sample: the begin of a call must not count. Local."""
        return 50 if work[0] * work[1] * work[2] >= LARGE else 2000


@dataclass(frozen=True, kw_only=True)
class DiffusionRequest(ModelRequest):
    """The diffusion of heat in 3D, the example of ImplicitGlobalGrid.jl: lapwing, and MPI by hand.

    Example:

    lapwing bench diffusion --works 128x128x128 --methods lapwing,hand
    """

    METHODS = (STEP, HAND, OVERLAP, LIMIT)
    WORKS = (Shape((256, 256, 256)), Shape((64, 64, 64)))
    POINT_STEPS = 200_000_000  # in a sample: some tenths of a second

    works: tuple[Shape, ...] = options.shapes(
        "64x64x64", WORKS, "Points of the grid along x, y and z.", least=3
    )
    methods: tuple[str, ...] = options.names(METHODS, METHODS, "Methods.")

    def call_steps(self, work: Shape) -> int:
        """Steps of a sample. Local."""
        return max(10, self.POINT_STEPS // (work[0] * work[1] * work[2]))


@dataclass(frozen=True, kw_only=True)
class MiniweatherRequest(ModelRequest):
    """miniWeather's rising thermal, a whole model in x and z: lapwing, and MPI by hand.

    Example:

    lapwing bench miniweather --works 100x50 --seconds 400
    """

    AXIS: ClassVar[int] = 0
    LEAST: ClassVar[int] = 2  # cells that a stage reads along its axis
    PLANES: ClassVar[str] = "columns"
    PERIODIC: ClassVar[tuple[bool, ...]] = (True, False)
    METHODS = (STEP, HAND)
    WORKS = (Shape((400, 200)), Shape((100, 50)))
    CELL_STEPS = 4_000_000  # in a sample: some tenths of a second

    works: tuple[Shape, ...] = options.shapes(
        "100x50", WORKS, "Cells of the grid along x and z; twice as many along x.", least=LEAST
    )
    methods: tuple[str, ...] = options.names(METHODS, METHODS, "Methods.")
    seconds: float = options.option(
        400.0, "Model time after which mass and energy are compared.", min=1.0, metavar="S"
    )

    def call_steps(self, work: Shape) -> int:
        """Steps of a sample. Local."""
        return max(10, self.CELL_STEPS // (work[0] * work[1]))


@dataclass(frozen=True, kw_only=True)
class ShallowWaterRequest(ModelRequest):
    """Run mpi4jax's shallow-water benchmark in C++ and Python on lapwing, by hand, as it ships.

    Example:

    lapwing bench shallow-water --works 360x180 --methods cpp,numba,mpi4jax
    """

    AXIS: ClassVar[int] = 1
    LEAST: ClassVar[int] = 8
    PLANES: ClassVar[str] = "rows"
    PERIODIC: ClassVar[tuple[bool, ...]] = (True, False)
    PEER = "mpi4jax"
    OF_PEER = (PEER, "mpi4jax-friction", "mpi4jax-corrected")  # as it ships, corrected, more so
    CPP, NUMBA, NUMPY = "cpp", "numba", "numpy"
    USUAL = (CPP, NUMBA, NUMPY, HAND, PEER)
    METHODS = (*USUAL, *OF_PEER[1:])
    WORKS = (Shape((3600, 1800)), Shape((360, 180)))

    works: tuple[Shape, ...] = options.shapes(
        "360x180", WORKS, "Cells of the grid along x and y.", least=LEAST
    )
    methods: tuple[str, ...] = options.names(METHODS, USUAL, "Methods.")
    double: bool = options.option(False, "In float64; float32, JAX's own, if not.", "--double")
    samples: int = options.samples(44)  # of 10 steps each: 0.1 days of the large work

    def call_steps(self, work: Shape) -> int:
        """Steps of a sample, as many as mpi4jax does in one call. Local."""
        return 10 if work[0] * work[1] >= LARGE else 100

    def full_name(self, work: Shape) -> str:
        """The name of a work with all in which this request is not the usual one."""
        return super().full_name(work) + ("@double" if self.double else "")


def _strategies_and_hand() -> list[str]:
    return [*lapwing.strategy_names(), HAND]


@dataclass(frozen=True, kw_only=True)
class ByHandRequest(Request):
    """The tide of northsea and a tracer in three dimensions, with messages as GETM has them.

    Example:

    lapwing bench by-hand --works northsea --methods blocking,auto
    """

    WORKS = ("northsea", "tracer")

    works: tuple[str, ...] = options.names(WORKS, WORKS, "Models.")
    methods: tuple[str, ...] = options.names(
        _strategies_and_hand, ("blocking", "dataflow", HAND), f"Strategies; {HAND}, always."
    )
    transport: str = options.transport()
    size: Shape = options.shape(
        "60x60x20", Shape((60, 60, 20)), "Cells of a rank and layers of the tracer."
    )
    samples: int = options.samples(31)

    def __post_init__(self) -> None:
        if min(self.size[:2]) < 8:
            expected = "8 cells or more along x and y"
            raise user_error("--size", str(self.size), expected, "enlarge it")

    @property
    def chosen(self) -> list[str]:
        """The methods to measure, the one by hand among them."""
        return list(dict.fromkeys((*self.methods, HAND)))


def _but_deep() -> list[str]:
    return [name for name in lapwing.strategy_names() if not name.startswith("deep")]  # other cells


@dataclass(frozen=True, kw_only=True)
class ZoningRequest(Request):
    """Measure what cutting loops into zones costs."""

    BOUND: ClassVar[bool] = False
    RANKS = 2
    UNDIVIDED = "blocking"
    LEVELS = "@levels"  # appended to works whose layers are next to each other in memory
    # cells of a subdomain, and layers; GETM's report has its worst case in the last
    WORKS = (
        *("60x60x60", "60x60x60@levels", "40x24x60", "40x24x60@levels"),
        *("24x40x60", "24x40x60@levels"),
    )

    works: tuple[str, ...] = options.names(
        WORKS, WORKS, "Cells of a subdomain; @levels: layers are contiguous in memory."
    )
    methods: tuple[str, ...] | None = options.names(
        _but_deep, None, f"Strategies; {UNDIVIDED} always.", show_default="all"
    )
    transport: str = options.transport()
    samples: int = options.samples(41)

    def __post_init__(self) -> None:
        if self.ranks != self.RANKS:
            remedy = "two ranks have their subdomains like a chess board"
            raise user_error("--ranks", str(self.ranks), f"{self.RANKS}", remedy)

    def size_of(self, work: str) -> Shape:
        """Cells of a subdomain along x and y, and layers. Local."""
        return options.shape_like("60x60x60")(work.removesuffix(self.LEVELS))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The strategies to measure, the one that cuts nothing first."""
        return tuple(dict.fromkeys((self.UNDIVIDED, *(self.methods or _but_deep()))))


@dataclass(frozen=True, kw_only=True)
class OutputRequest(Request):
    """Measure what records cost a run with and without output servers.

    Example:

    lapwing bench output --ranks 3 --io-ranks 1
    """

    BOUND: ClassVar[bool] = False

    ranks: int = options.ranks(3)
    case: str = options.option("kelvin3d-small", "A shipped case or a file.", metavar="CASE")
    duration: str = options.option("6 d", "Model time of a run.", metavar="T")
    every: str = options.option("3 h", "Model time between records.", metavar="T")
    io_ranks: int = options.count(1, 3, 1, "Servers, of the ranks started.")
    samples: int = options.samples(7)
    folder: Path | None = options.option(
        None,
        "Folder on the disk to measure.",
        metavar="DIR",
        show_default="the system's for temporary files",
    )

    def __post_init__(self) -> None:
        if self.ranks <= self.io_ranks:
            expected = f"more than the {self.io_ranks} of --io-ranks"
            remedy = "start a rank or two more for the model"
            raise user_error("--ranks", str(self.ranks), expected, remedy)
        if self.folder is not None:
            check_folder(self.folder)

    @property
    def sets(self) -> tuple[str, ...]:
        """The settings that change in the case."""
        return (f"run.duration={self.duration}", f"output.every={self.every}")

    @property
    def model_ranks(self) -> tuple[int, ...]:
        """Numbers of ranks of the model, one after the other."""
        return tuple(dict.fromkeys((1, self.ranks - self.io_ranks)))
