"""The methods of `lapwing bench overlap`: making them, and how one is measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from lapwing.base.error import OutsideError, UserError
from lapwing.core.domain import Domain

from lapwing_bench import _core
from lapwing_bench._core import OverlapPart, OverlapWork
from lapwing_bench.measure.method import MethodMissingError
from lapwing_bench.overlap.request import BUFFERED, CEILING, PLAIN, POLLED, OverlapRequest

TILES = 16  # of the interior, where progress is polled between them
BATCH = 30e-3  # s of a sample: long against the clock and the bursts of a network
ROUNDS = (5, 400)  # steps of a sample, at least and at most
TRIAL = 100  # steps before it is asked again whether a method has found its way


def make_method(
    name: str, domain: Domain, work: OverlapWork, request: OverlapRequest
) -> _core.OverlapMethod:
    """The named method. Collective; raises MethodMissingError where it is not to be had."""
    chunk = request.chunk_bytes
    try:
        if name == CEILING:
            return _core.tcp_overlap(domain, work)
        if name in (PLAIN, POLLED, BUFFERED):
            tiles = TILES if name == POLLED else 1
            return _core.hand_overlap(domain, work, name == BUFFERED, tiles, chunk)
        return _core.step_overlap(domain, work, name, request.transport, chunk)
    except (UserError, OutsideError) as problem:
        raise MethodMissingError(str(problem)) from problem


@dataclass
class Part:
    """Samples of one part of a method, s."""

    rounds: int = ROUNDS[0]
    seconds: list[float] = field(default_factory=list)  # of a round, on the slowest rank
    kernels: list[float] = field(default_factory=list)  # of a round in kernels, mean of the ranks

    @property
    def median(self) -> float:
        """Median of the samples, s."""
        return median(self.seconds)


class Measured:
    """A method, and the samples of its parts."""

    def __init__(self, method: _core.OverlapMethod, domain: Domain) -> None:
        """Begin without samples. Local."""
        self.method, self.domain = method, domain
        self.step, self.communication = Part(), Part()

    def warm_up(self, part: Part, what: OverlapPart) -> float:
        """Find how many rounds a sample has; returns the least seconds of one. Collective."""
        part.rounds = ROUNDS[0]
        while what == OverlapPart.step and not self.method.settled:
            self.method.sample(self.domain, what, TRIAL)
        seconds = min(self.take(part, what) for _ in range(3))
        part.rounds = max(ROUNDS[0], min(ROUNDS[1], int(BATCH / max(seconds, 1e-7))))
        seconds = min(seconds, *(self.take(part, what) for _ in range(3)))
        part.seconds.clear()
        part.kernels.clear()
        return seconds

    def take(self, part: Part, what: OverlapPart) -> float:
        """Take one sample of a part, and return its seconds. Collective."""
        seconds, kernels = self.method.sample(self.domain, what, part.rounds)
        part.seconds.append(seconds)
        part.kernels.append(kernels)
        return seconds
