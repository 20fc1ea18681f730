import enum
from collections.abc import Callable, Sequence

import lapwing.core._core
import numpy
import numpy.typing

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
        Seconds per round of rewriting edges and exchanging, and of rewriting alone: means over `rounds`, of the slowest rank. Collective.
        """

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""

    def close(self) -> None:
        """Nothing: garbage collection ends it. Local."""

def hand_method(domain: lapwing.core._core.Domain, work: ExchangeWork, combined: bool) -> Method:
    """
    The exchange written by hand: one message per neighbour rank, or per field and direction. Local.
    """

def copy_limit(domain: lapwing.core._core.Domain, work: ExchangeWork) -> Method:
    """
    Every halo cell of a rank copied once between two arrays, without messages. Local.
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
