"""The processor's part of messages: what starting and completing them takes, by size."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean, median

from lapwing_lab import _core
from lapwing_lab.machine.costs import MessageCost
from lapwing_lab.probe.links import Fit, Overlap, Series, fit_line
from lapwing_lab.probe.request import ProbeSettings

_PAUSE = 4.0  # of the time of a message, until all but the receiver's calls is done
_SLOW_START = 0.9  # of a link's bandwidth: messages that get less are told by size
_SINGLE = 40  # messages timed by themselves, per sample of the others
_WIRE = 0.05  # of a message's time, the least that it travels


@dataclass
class OwnTimes:
    """Samples of the calls that start and complete a message on a link, s of the slowest rank."""

    link: str
    sizes: list[int]  # bytes
    start: list[list[float]] = field(default_factory=list)  # of each size: receive and send posted
    complete: list[list[float]] = field(default_factory=list)  # after a pause without MPI
    alone: list[float] = field(default_factory=list)  # the shortest one way, each timed by itself

    @property
    def per_byte(self) -> float:
        """The time of both calls together, s. Local."""
        return _per_byte(self.fit("start")) + _per_byte(self.fit("complete"))

    def fit(self, of: str) -> Fit:
        """A cost per message and per byte, from "start" or "complete". Local."""
        samples: list[list[float]] = getattr(self, of)
        return fit_line(self.sizes, samples, 1)


def measure_own_times(
    test: _core.LinkTest,
    link: str,
    settings: ProbeSettings,
    most_bytes: int,
    advance: Callable[[str], None],
) -> OwnTimes:
    """Time the calls of messages up to `most_bytes`, which travel without an answer. Collective.

    The same result on all ranks.
    """
    advance(f"calls of messages, {link}")
    sizes = [size for size in settings.sizes["contiguous"] if size <= most_bytes]
    found = OwnTimes(link, sizes, [[] for _ in sizes], [[] for _ in sizes])
    works = [_core.LinkWork("ring", "two-sided", "contiguous", size) for size in sizes]
    alone = [max(test.time(work, 4), 1e-7) for work in works]
    shortest = _core.LinkWork("ping-pong", "two-sided", "contiguous", sizes[0])
    for _ in range(2 * settings.samples):
        for number, work in enumerate(works):
            found.start[number].append(test.time_start(work))
            pause = max(_PAUSE * alone[number], 1e-4)
            found.complete[number].append(test.time_left(work, pause))
        found.alone += [test.time(shortest, 1) for _ in range(_SINGLE)]
    return found


def message_cost(
    own: OwnTimes,
    ping_pong: Series,
    element_wise: Series,
    overlap: Overlap | None,
    eager: int | None,
    poll: float,
) -> MessageCost:
    """The entries of a machine file about the messages of a link. Local.

    `overlap`: of the longest message, both ways; `poll`: of a call that finds nothing, s.
    """
    start, complete = own.fit("start"), own.fit("complete")
    limited = overlap is not None and eager is not None
    return MessageCost(
        send=start.latency,
        receive=complete.latency,
        send_byte=_per_byte(start),
        receive_byte=_per_byte(complete),
        poll=poll,
        eager_limit=float(eager) if limited and eager is not None else math.inf,
        progress="calls" if overlap is not None and overlap.background == "no" else "background",
        rate=_rate(element_wise),
        noise=_noise(own),
        bandwidth_by_size=_by_size(ping_pong),
    )


def _per_byte(fit: Fit) -> float:
    return 1 / fit.bandwidth if fit.resolved else 0.0


def _rate(element_wise: Series) -> float:
    """Return messages per second, from messages of one value each."""
    return 1 / (8 / element_wise.fit().each_way)


def _noise(own: OwnTimes) -> float:
    """The average delay of a message: the mean over what half of them take, s."""
    return max(fmean(own.alone) - median(own.alone), 0.0) if own.alone else 0.0


def wire_latency(ping_pong: Fit, cost: MessageCost) -> float:
    """The rest of a ping-pong's latency, s, one way, without what is charged besides. Local."""
    return max(ping_pong.latency - cost.send - cost.receive - cost.noise, _WIRE * ping_pong.latency)


def _by_size(ping_pong: Series) -> tuple[tuple[float, float], ...]:
    """The bandwidth of lone messages where the longest get more; none where all are alike."""
    latency, medians = median(ping_pong.samples[0]), ping_pong.medians
    speeds = [
        (float(size), size / (seconds - latency))
        for size, seconds in zip(ping_pong.sizes, medians, strict=True)
        if seconds > 1.2 * latency
    ]
    if not speeds or all(speed > _SLOW_START * speeds[-1][1] for _, speed in speeds):
        return ()
    return tuple(speeds)
