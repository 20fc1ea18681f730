"""Whether messages travel while the ranks compute: the report's test, and with polls between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from lapwing.core import _core
from lapwing.machine.probe.links import WAYS
from lapwing.machine.probe.request import ProbeSettings

CHUNKS = 32  # pieces of the computing with a poll after each
# mode: whether it communicates, computes, and in how many pieces
MODES = {
    "communication": (True, False, 1),
    "computation": (False, True, 1),
    "both": (True, True, 1),
    "polled": (True, True, CHUNKS),
}
_TRIAL = 200_000  # iterations by which the work is measured
_ENOUGH, _LITTLE = 0.25, 0.75  # share of a message that is left: progress, and none


@dataclass
class Overlap:
    """One message beside a fixed amount of computing; times in s of whole rounds, slowest rank."""

    link: str
    way: str
    size: int  # bytes of the message
    iterations: int  # of the computing, which takes as long as the message
    samples: dict[str, list[float]] = field(default_factory=dict)  # by mode
    left: float = 0.0  # s still needed after a pause without MPI longer than the message
    rounds: int = 1  # of a sample

    def seconds(self, mode: str) -> float:
        """Median of a mode, s."""
        return median(self.samples[mode])

    def hidden(self, mode: str) -> float:
        """Share of the lesser of communication and computation that `mode` hides; 1: all of it.

        The median of the shares of the turns, each from times that were taken one after the other.
        """
        alone = (self.samples["communication"], self.samples["computation"])
        return median(
            (message + work - together) / min(message, work)
            for message, work, together in zip(*alone, self.samples[mode], strict=True)
        )

    @property
    def background(self) -> str:
        """Whether the message moves on while nobody calls MPI: yes, partly or no.

        `at once`: the call that starts it moves it, so that nothing is left and nothing is hidden.
        """
        share = self.left / self.seconds("communication")
        if share > _LITTLE:
            return "no"
        if self.hidden("both") < 1 - _LITTLE:
            return "at once"
        return "yes" if share < _ENOUGH else "partly"


def measure_overlap(
    test: _core.LinkTest, link: str, settings: ProbeSettings, advance: Callable[[str], None]
) -> list[Overlap]:
    """Each way and size of message beside computing that takes as long. Collective.

    The same result on all ranks.
    """
    found = []
    for size in settings.overlap_sizes:
        for way in WAYS:
            advance(f"overlap {way}, {size} bytes")
            found.append(_measure(test, link, way, size, settings))
    return found


def _measure(
    test: _core.LinkTest, link: str, way: str, size: int, settings: ProbeSettings
) -> Overlap:
    work = _core.LinkWork("ring", way, "contiguous", size)
    alone = min(test.time_beside(work, True, 0, 1, 2) for _ in range(5))
    trial = min(test.time_beside(work, False, _TRIAL, 1, 1) for _ in range(5))
    iterations = max(CHUNKS, round(_TRIAL * alone / trial))
    rounds = max(1, int(settings.sample_seconds / alone))
    samples: dict[str, list[float]] = {mode: [] for mode in MODES}
    for _ in range(settings.samples):
        for mode, (communicate, compute, chunks) in MODES.items():
            amount = iterations if compute else 0
            samples[mode].append(test.time_beside(work, communicate, amount, chunks, rounds))
    pause = 4 * median(samples["communication"])
    left = median(test.time_left(work, pause) for _ in range(5))
    return Overlap(link, way, size, iterations, samples, left, rounds)
