import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import lapwing.core._core
import numpy
import numpy.typing
from numpy.typing import NDArray

class AcousticMethod:
    """
    One way to step the wave equation, written in C++: u, and the factor (c dt / h)^2.
    """

    def begin(
        self,
        values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        factor: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
    ) -> None:
        """
        Begin at rest with values and factor of the box of the rank, x fastest. Collective.
        """

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""

    def read(
        self,
        values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
    ) -> None:
        """
        Write the values of the box of the rank into an array, x fastest. Local.
        """

    @property
    def settled(self) -> bool:
        """Whether it steps as it always will. Local."""

    @property
    def choice(self) -> str:
        """How it steps, in words, where trials found that. Local."""

def step_acoustic(
    domain: lapwing.core._core.Domain, strategy: str, transport: str
) -> AcousticMethod:
    """By a stage of a lapwing.Step. Collective; raises UserError."""

def hand_acoustic(domain: lapwing.core._core.Domain, overlaps: bool) -> AcousticMethod:
    """
    With MPI by hand, ranks along z; `overlaps`: computes while messages are on their way. Local.
    """

def limit_acoustic(domain: lapwing.core._core.Domain) -> AcousticMethod:
    """The same passes through memory, without any neighbours. Local."""

class DiffusionMethod:
    """
    One way to step the diffusion of heat: the temperature, and the factor dt lambda / cp.
    """

    def begin(
        self,
        values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    ) -> None:
        """
        Begin at rest with values and factor of the box of the rank, x fastest. Collective.
        """

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""

    def read(
        self,
        values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    ) -> None:
        """
        Write the values of the box of the rank into an array, x fastest. Local.
        """

    @property
    def settled(self) -> bool:
        """Whether it steps as it always will. Local."""

    @property
    def choice(self) -> str:
        """How it steps, in words, where trials found that. Local."""

def step_diffusion(
    domain: lapwing.core._core.Domain, distances: Sequence[float], strategy: str, transport: str
) -> DiffusionMethod:
    """By a stage of a lapwing.Step. Collective; raises UserError."""

def hand_diffusion(
    domain: lapwing.core._core.Domain, distances: Sequence[float], overlaps: bool
) -> DiffusionMethod:
    """
    With MPI by hand, ranks along z; `overlaps`: computes while messages are on their way. Local.
    """

def limit_diffusion(domain: lapwing.core._core.Domain) -> DiffusionMethod:
    """The same passes through memory, without any neighbours. Local."""

class ExchangeWork:
    """
    Fields of nx x ny cells per rank, both axes periodic, corners, float64.
    """

    def __init__(
        self,
        nx: int,
        ny: int,
        levels: int,
        fields: int,
        width: int,
        blocks: Sequence[int],
        levels_fastest: bool,
    ) -> None:
        """
        `levels` 0: 2D fields; `width` of the halo in cells; `blocks`: ranks along x and y. Local.
        """

    @property
    def nx(self) -> int:
        """Cells of a rank along x."""

    @property
    def ny(self) -> int:
        """Cells of a rank along y."""

    @property
    def levels(self) -> int:
        """Levels; 0: a 2D field."""

    @property
    def fields(self) -> int:
        """Number of fields."""

    @property
    def width(self) -> int:
        """Width of the halo in cells."""

    @property
    def blocks(self) -> list[int]:
        """Ranks along x and y."""

    @property
    def levels_fastest(self) -> bool:
        """Whether levels are contiguous in memory, else x."""

    @property
    def halo_bytes(self) -> int:
        """Bytes of all halos of a rank. Local."""

class WorkArrays:
    """The arrays of a method that is written in Python."""

    def __init__(
        self, work: ExchangeWork, arrays: Sequence[numpy.typing.NDArray[numpy.float64]]
    ) -> None:
        """
        Use arrays [x, y, z] with halo in place, one per field, all with the same strides. Local.
        """

class Method:
    """One way to do the exchange of a work item."""

    def sample(self, rounds: int) -> tuple[float, float]:
        """
        Seconds per round of rewriting edges and exchanging, and of rewriting alone: means over `rounds`, of the slowest rank, after rounds that are not timed. Collective.
        """

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""

    def wrong_after_sample(self) -> int:
        """The same after the exchanges that `sample` timed last. Collective."""

    def close(self) -> None:
        """Give back what is held together with other ranks. Collective."""

def hand_method(domain: lapwing.core._core.Domain, work: ExchangeWork, name: str) -> Method:
    """The exchange written by hand in the way of that name. Collective."""

def copy_limit(domain: lapwing.core._core.Domain, work: ExchangeWork, means: str) -> Method:
    """
    As many bytes copied between ranks of one node, in one piece each: limit-pull, limit-push or limit-stream. Collective.
    """

def lapwing_method(
    domain: lapwing.core._core.Domain,
    arrays: WorkArrays,
    exchanges: Sequence[lapwing.core._core.Exchange],
) -> Method:
    """
    Exchanges of lapwing that fill the halos of the arrays, all in flight together. Local.
    """

def python_method(
    domain: lapwing.core._core.Domain, arrays: WorkArrays, exchange: Callable[[], None]
) -> Method:
    """A function that fills the halos of the arrays. Local."""

class Background:
    """Air at rest, by height."""

    def __init__(
        self, cells: Mapping[str, Sequence[float]], faces: Mapping[str, Sequence[float]]
    ) -> None:
        """
        `density`, `density_theta` and `pressure` of each; the density of cells from two below the ground to two above the top. Local.
        """

class MiniweatherModel:
    """Numbers of miniWeather's equations, in SI units."""

    def __init__(
        self, cells: Sequence[int], widths: Sequence[float], dt: float, background: Background
    ) -> None:
        """Cells along x and z, and their widths. Local."""

class MiniweatherMethod:
    """One way to step miniWeather's equations."""

    def begin(
        self, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")]
    ) -> None:
        """
        Begin with a state of the box of the rank, x fastest, variables slowest. Collective.
        """

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""

    def read(
        self, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")]
    ) -> None:
        """Write the state of the box of the rank into an array. Local."""

    @property
    def settled(self) -> bool:
        """Whether it steps as it always will. Local."""

    @property
    def choice(self) -> str:
        """How it steps, in words, where trials found that. Local."""

def step_miniweather(
    domain: lapwing.core._core.Domain, model: MiniweatherModel, strategy: str, transport: str
) -> MiniweatherMethod:
    """By stages of a lapwing.Step. Collective; raises UserError."""

def hand_miniweather(
    domain: lapwing.core._core.Domain, model: MiniweatherModel
) -> MiniweatherMethod:
    """With MPI by hand, ranks along x. Local."""

class OverlapWork:
    """
    A box of float64 cells per rank, in a row along y, x varying fastest; a face travels.
    """

    def __init__(self, nx: int, ny: int, nz: int, width: int) -> None:
        """
        `nx` x `ny` x `nz` cells of a rank; `width`: cells that the stencil reads along x and y. Local.
        """

    @property
    def message_bytes(self) -> int:
        """Bytes of the message to one neighbour. Local."""

class OverlapPart(enum.Enum):
    """What is measured of a method."""

    step = 0
    """Halos and computing together."""

    communicate = 1
    """One halo, packed, moved and unpacked."""

    compute = 2
    """The whole box, undivided."""

class OverlapMethod:
    """One way to step the model of `lapwing bench overlap`."""

    def sample(self, part: OverlapPart, rounds: int) -> tuple[float, float]:
        """
        Seconds of a round on the slowest rank, and in kernels as the mean of the ranks: means over `rounds`. Collective.
        """

    def fingerprint(self, steps: int) -> int:
        """
        A number for the bits of all ranks after `steps` from the beginning. Collective.
        """

    def set_iterations(self, count: int) -> None:
        """
        Arithmetic per cell: a multiplication and an addition, `count` times. Local.
        """

    @property
    def settled(self) -> bool:
        """
        Whether it steps as it always will; before, its steps are trials. Local, alike on all ranks.
        """

    @property
    def choice(self) -> str:
        """How it steps, in words, where that was found by trials. Local."""

    def close(self) -> None:
        """Finish what MPI still holds of it. Collective."""

def hand_overlap(
    domain: lapwing.core._core.Domain,
    work: OverlapWork,
    buffered: bool = False,
    tiles: int = 1,
    chunk_bytes: int = 0,
) -> OverlapMethod:
    """
    MPI by hand; `buffered`: MPI_Ibsend, of which there may be one at a time; `tiles` of the interior, with progress polled between them; `chunk_bytes`: of a message at most, 0: all. Local.
    """

def tcp_overlap(
    domain: lapwing.core._core.Domain, work: OverlapWork, sockets: Sequence[int]
) -> OverlapMethod:
    """
    Plain TCP through connected sockets that do not block, which it closes: to the rank before and the one after, as far as there are such. Local.
    """

def step_overlap(
    domain: lapwing.core._core.Domain,
    work: OverlapWork,
    strategy: str,
    transport: str,
    chunk_bytes: int = 0,
) -> OverlapMethod:
    """
    A lapwing.Step. Collective. Raises UserError where the strategy or the transport is not to be had.
    """

def empty_step(
    domain: lapwing.core._core.Domain, levels: int, strategy: str, transport: str
) -> lapwing.core._core.Step:
    """
    A step of two stages in turn, each reading a cell around its own of what the other writes, in fields of so many layers. Collective; raises UserError.
    """

def step_seconds(
    domain: lapwing.core._core.Domain, step: lapwing.core._core.Step, steps: int
) -> float:
    """Seconds per step on this rank, mean over `steps`. Collective."""

class ShallowModel:
    """The model of `lapwing bench shallow-water`, in SI units."""

    def __init__(self, nx: int, ny: int) -> None:
        """On so many cells along x and y. Local."""

    @property
    def nx(self) -> int:
        """Cells along x."""

    @property
    def ny(self) -> int:
        """Cells along y."""

    @property
    def spacing(self) -> float:
        """Width of a cell, m."""

    @property
    def gravity(self) -> float:
        """Acceleration, m/s2."""

    @property
    def depth(self) -> float:
        """Mean depth, m."""

    @property
    def coriolis(self) -> float:
        """Coriolis parameter of the first row, 1/s."""

    @property
    def beta(self) -> float:
        """Its growth along y, 1/(m s)."""

    @property
    def friction(self) -> float:
        """Lateral viscosity, m2/s."""

    @property
    def dt(self) -> float:
        """Time step, s."""

class ShallowMethod:
    """One way to step the model, written in C++."""

    def begin(
        self,
        h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    ) -> None:
        """Begin with this flow of the box of the rank, x fastest. Collective."""

    def run(self, steps: int) -> None:
        """Run so many steps. Collective."""

    def read(
        self,
        h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    ) -> None:
        """
        Write the flow of the box of the rank into arrays, x fastest. Collective.
        """

    @property
    def settled(self) -> bool:
        """Whether it steps as it always will. Local."""

    @property
    def choice(self) -> str:
        """How it steps, in words, where trials found that. Local."""

def step_shallow(
    domain: lapwing.core._core.Domain,
    model: ShallowModel,
    wide: bool,
    strategy: str,
    transport: str,
) -> ShallowMethod:
    """
    By a stage of a lapwing.Step; `wide`: in float64, else float32. Collective; raises UserError.
    """

def hand_shallow(
    domain: lapwing.core._core.Domain, model: ShallowModel, wide: bool
) -> ShallowMethod:
    """With MPI by hand, ranks along y. Local."""

class HandTranspose:
    """A transpose written by hand."""

    def __init__(
        self,
        domain: lapwing.core._core.Domain,
        from_boxes: Sequence[lapwing.core._core.Box],
        to_boxes: Sequence[lapwing.core._core.Box],
        source: numpy.typing.NDArray[numpy.float64],
        target: numpy.typing.NDArray[numpy.float64],
        collective: bool,
    ) -> None:
        """
        From the box of each rank to another of each: packed by hand, sent by MPI_Isend or (`collective`) MPI_Alltoallv. Arrays [x, y, z] of any strides are used in place. Collective.
        """

    def run(self) -> None:
        """Move all values once. Collective."""

    def close(self) -> None:
        """Free the communicator. Collective."""

class HandStep:
    """The stages of a step with communication written by hand."""

    def __init__(self, domain: lapwing.core._core.Domain, step: lapwing.core._core.Step) -> None:
        """
        Of a step that nobody runs any more. Fills all halos. Collective; raises UserError for stages that write into halos.
        """

    def run(self, steps: int, before_each: Callable[[], None]) -> None:
        """Run so many steps, each after a call of `before_each`. Collective."""

def time_divisions(repeats: int) -> tuple[float, float]:
    """
    Seconds per division, and per square root, of doubles that wait for nothing else: vectors of them from the nearest cache. Local.
    """

def pack_works() -> list[str]:
    """Names of the works of `time_pack`. Local."""

def time_pack(work: str, samples: int) -> dict[str, list[float]]:
    """
    Seconds per call of pack, unpack and memcpy, which alternate: raw samples, and the bytes of a call. Local.
    """
