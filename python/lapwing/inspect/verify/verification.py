"""What a verification has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Difference:
    """A field that has other bits than on one rank."""

    field: str
    step: int | None  # the first one after which it differs; None: not found when run again
    cells: int  # how many differ then, every level and component counted
    first: tuple[int, ...]  # the first of them, in global indices


@dataclass(frozen=True)
class Outcome:
    """What one strategy with one transport gave."""

    strategy: str
    transport: str
    verdict: Literal["equal", "differs", "unavailable"]
    reason: str = ""  # why it is unavailable
    differences: list[Difference] = field(default_factory=list)
    steps: int = 0  # after which it was compared: `auto` runs on until it has chosen, and then more
    taken: str = ""  # the strategy that `auto` chose; "" for the others, and where it did not


@dataclass(frozen=True)
class Verification:
    """All outcomes, and what one rank did meanwhile."""

    name: str
    ranks: int
    steps: int
    changed: dict[str, float]  # by field: the share of values that the steps changed on one rank
    outcomes: list[Outcome]
    undeclared: str | None = (
        None  # the first thing that a stage does and does not say; None: no check
    )

    @property
    def is_right(self) -> bool:
        """Whether nothing was found. Local."""
        return not self.differing and not self.undeclared

    @property
    def differing(self) -> list[Outcome]:
        """Those that are not equal. Local."""
        return [outcome for outcome in self.outcomes if outcome.verdict == "differs"]
