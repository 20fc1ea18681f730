"""Ways to run a case, always with the same bits, and the time of a step of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Literal

Axis = Literal["cut", "transport", "strategy"]
AXES: tuple[Axis, ...] = ("cut", "transport", "strategy")


@dataclass(frozen=True)
class Candidate:
    """A cut of the grid (as text), a transport, and the order in which ranks work."""

    cut: str
    transport: str
    strategy: str

    def __str__(self) -> str:
        """The candidate in readable form."""
        return f"{self.cut}, transport {self.transport}, strategy {self.strategy}"


def _quartile(seconds: list[float]) -> float:
    """Return the lower quartile, which is one of the measured times. Local."""
    return sorted(seconds)[(len(seconds) - 1) // 4]


@dataclass
class Timed:
    """The results of rounds of short runs by a candidate."""

    candidate: Candidate
    seconds: list[float] = field(default_factory=list)  # per step of the slowest rank, by round
    runs: int = 0  # warming up included
    over_first: float = float("inf")  # its time over that of the first, in the same rounds
    dropped: bool = False  # clearly slower than another
    problem: str = ""  # why there was no run

    @property
    def step(self) -> float:
        """Median of the time of a step, s; infinite where there was no run. Local."""
        return median(self.seconds) if self.seconds else float("inf")

    def ratio(self, other: Timed) -> float:
        """Its time over that of another in the rounds of both; infinite for none. Local.

        Of the lower quartiles: what else a machine does makes runs longer, never shorter, and where
        it does so in every other round, medians are of disturbed ones.
        """
        rounds = min(len(self.seconds), len(other.seconds))
        if rounds == 0:
            return float("inf")
        return _quartile(self.seconds[:rounds]) / _quartile(other.seconds[:rounds])
