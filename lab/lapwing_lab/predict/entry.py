"""The request of a prediction, and its answer for one number of ranks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PredictionRequest:
    """The options of `lapwing predict` as the user gave them."""

    case: str
    machine: str
    ranks: tuple[int, ...]
    strategies: tuple[str, ...] = ()  # none: that of the case
    mpi: str | None = None
    sets: tuple[str, ...] = ()
    model: str = "events"  # or closed-form


@dataclass(frozen=True)
class Entry:
    """One number of ranks by one strategy, s per step."""

    ranks: int
    strategy: str
    cells: int  # of the grid
    blocks: tuple[int, int, int]
    step: float  # of the slowest rank
    compute: float  # of the rank with most
    processor: float  # of it for messages, of the slowest rank
    waiting: float  # of the slowest rank
    messages: float  # sent per step by the rank with most
    bytes: float  # likewise
    slowest: int  # the rank that waits least
    waits: list[tuple[str, int, float]] = field(default_factory=list)  # of the slowest rank

    @property
    def halo(self) -> float:
        """The time of the step beyond its computing, s. Local."""
        return self.step - self.compute
