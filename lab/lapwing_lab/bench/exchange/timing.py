"""The sampling of `lapwing bench exchange`, also where ranks share cores.

Ranks that share cores alternate on them, milliseconds each. A sample of few exchanges would then
measure those turns, by luck none or one; a long one holds many, as the time loop of a model does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean, median

from lapwing.core.domain import Domain

from lapwing_lab.bench.exchange.request import DEFAULT_SAMPLES
from lapwing_lab.bench.measure.method import Method

OVERSUBSCRIBED_SAMPLES = 11  # where the request does not say
GROWTH = 4  # a try of an oversubscribed sample holds so many times the exchanges of the last one


@dataclass(frozen=True)
class Sampling:
    """Samples of each method, and how long one should be.

    A sample is the mean of one batch of exchanges. Where ranks share cores, it is the mean of so
    many batches that they take `least`: one of them may be a hundred times as fast as the next.
    """

    samples: int = DEFAULT_SAMPLES
    seconds: float = 1e-3  # of a batch: long against the clock, short against drift
    rounds: tuple[int, int] = (5, 500)  # exchanges of a batch, at least and at most
    least: float = 0.0  # s
    ranks_on_node: int = 1
    cores: int = 1
    oversubscribed: bool = False

    def rounds_for(self, exchange: float) -> int:
        """Exchanges of a batch, each of which takes so many seconds. Local."""
        least, most = self.rounds
        return max(least, min(most, int(self.seconds / max(exchange, 1e-7))))

    @property
    def description(self) -> str:
        """Describe a sample, for the head of a table."""
        if not self.oversubscribed:
            return f"{self.samples} samples"
        return (
            f"OVERSUBSCRIBED: {self.ranks_on_node} ranks on {self.cores} cores, {self.samples} "
            f"samples, each the mean of the exchanges of {1e3 * self.least:.0f} ms or more"
        )


def sampling_on(domain: Domain, samples: int | None) -> Sampling:
    """The sampling on a domain; None: as many samples as suit it. Local, alike on all ranks."""
    if not domain.node.oversubscribed:
        return Sampling(samples or DEFAULT_SAMPLES)
    return Sampling(
        samples=samples or OVERSUBSCRIBED_SAMPLES,
        seconds=10e-3,
        rounds=(5, 100_000),
        least=50e-3,  # a dozen turns of the scheduler
        ranks_on_node=domain.node.ranks,
        cores=domain.node.cores,
        oversubscribed=True,
    )


def warm_up(methods: Mapping[str, Timed], reference: str) -> None:
    """Give all methods the number of rounds that suits one, and run each once. Collective."""
    methods[reference].find_rounds()
    for timed in methods.values():
        timed.rounds = methods[reference].rounds
        timed.method.sample(timed.rounds)


@dataclass
class Timed:
    """A method, how many exchanges a batch of it has, and its samples."""

    method: Method
    sampling: Sampling
    rounds: int = 1
    samples: list[tuple[float, ...]] = field(default_factory=list)  # with rewriting, that alone

    def take(self) -> None:
        """Take one sample. Collective."""
        batches = [self.method.sample(self.rounds)]
        while self.rounds * sum(both for both, _ in batches) < self.sampling.least:
            batches.append(self.method.sample(self.rounds))
        self.samples.append(tuple(fmean(times) for times in zip(*batches, strict=True)))

    def find_rounds(self) -> None:
        """Find the number of rounds; all ranks find the same. Collective."""
        if self.sampling.oversubscribed:
            self.rounds = self._rounds_by_growth()
            return
        # the best of some: one slice of the scheduler outweighs thousands of exchanges
        self.rounds = self._rounds_of(self._rounds_of(self.sampling.rounds[0]))

    def _rounds_of(self, rounds: int) -> int:
        """The rounds that take a batch's time, by the best of three samples. Collective."""
        return self.sampling.rounds_for(min(sum(self.method.sample(rounds)) for _ in range(3)))

    def _rounds_by_growth(self) -> int:
        """The same by longer and longer tries: a short one may be thousands of times too fast."""
        rounds, most = self.sampling.rounds
        while True:
            exchange, _ = self.method.sample(rounds)
            if rounds == most or rounds * exchange >= self.sampling.seconds:
                return self.sampling.rounds_for(exchange)
            rounds = min(most, GROWTH * rounds)

    @property
    def seconds(self) -> list[float]:
        """Seconds per exchange: samples less the median of rewriting alone."""
        rewriting = median(alone for _, alone in self.samples)
        return [both - rewriting for both, _ in self.samples]
