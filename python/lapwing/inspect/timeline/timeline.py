"""What each rank did when, under one strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

KINDS = ("compute", "start", "unpack", "wait")  # as people call them: compute, pack, unpack, wait
NAMES = {"start": "pack", "unpack": "unpack", "wait": "wait"}
# of the rounds the quickest is shown: what else the machine does makes the others slower


@dataclass(frozen=True)
class Event:
    """A span of time on one rank."""

    kind: str  # of KINDS
    subject: str  # the stage, or the fields that are packed or unpacked
    begin: float  # s, in the end since the first event of the round on any rank
    end: float
    cells: int  # computed


@dataclass(frozen=True)
class Timeline:
    """The quickest round of steps under one strategy, on all ranks."""

    strategy: str  # as it was asked for
    taken: str  # what `auto` took, else the same
    steps: int
    rounds: int  # how many were tried
    ranks: list[list[Event]]  # by begin

    @property
    def span(self) -> float:
        """Seconds from the first to the last moment of the round, over all ranks. Local."""
        return max((event.end for events in self.ranks for event in events), default=0.0)

    def seconds(self, kind: str) -> float:
        """Seconds of one kind of event in the round, mean of the ranks. Local."""
        spent = [e.end - e.begin for events in self.ranks for e in events if e.kind == kind]
        return sum(spent) / len(self.ranks)

    @property
    def title(self) -> str:
        """Its strategy, with what `auto` took."""
        same = self.strategy == self.taken
        return self.strategy if same else f"{self.strategy}: {self.taken}"
