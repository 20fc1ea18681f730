from collections.abc import Sequence

import lapwing._core
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

    def touch(self) -> None:
        """Rewrite the cells that a neighbour reads. Local."""

    def fill(self, rank: int) -> None:
        """Numbers that name their place; NaN in the halos. Local."""

    def wrong_cells(self, rank: int) -> int:
        """
        Cells that do not hold what they should after `fill` and an exchange. Local.
        """

class Method:
    """One way to do the exchange of a work item."""

    def sample(self, domain: lapwing._core.Domain, rounds: int) -> tuple[float, float]:
        """
        Seconds per round of rewriting edges and exchanging, and of rewriting alone: means over `rounds`, of the slowest rank. Collective.
        """

    def wrong_cells(self, domain: lapwing._core.Domain) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""

def hand_method(domain: lapwing._core.Domain, work: ExchangeWork, combined: bool) -> Method:
    """
    The exchange written by hand: one message per neighbour rank, or per field and direction. Local.
    """

def copy_limit(work: ExchangeWork) -> Method:
    """
    Every halo cell of a rank copied once between two arrays, without messages. Local.
    """

def lapwing_method(
    domain: lapwing._core.Domain,
    work: ExchangeWork,
    transport: str,
    wrapped: bool = False,
    separate: bool = False,
) -> Method:
    """
    The exchange through lapwing, on its own or (`wrapped`) the caller's memory; `separate`: an exchange per field. Collective. Raises UserError where the transport is not to be had.
    """

def pack_works() -> list[str]:
    """Names of the works of `time_pack`. Local."""

def time_pack(work: str, samples: int) -> dict[str, list[float]]:
    """
    Seconds per call of pack, unpack and memcpy, raw samples, and the bytes of a call. Local.
    """
