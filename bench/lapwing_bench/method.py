"""What all methods of `lapwing bench exchange` have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Method(ABC):
    """One way to do the exchange of a work item, in C++, in Python or in a program of its own."""

    @abstractmethod
    def sample(self, rounds: int) -> tuple[float, float]:
        """Seconds per round of rewriting and exchanging, and of rewriting alone. Collective."""

    @abstractmethod
    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one exchange. Collective."""

    def close(self) -> None:  # noqa: B027
        """End what garbage collection does not end. Collective."""


class MethodMissingError(Exception):
    """This method is not to be had here; the text says why."""
