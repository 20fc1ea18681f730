"""The links of a machine: times of messages within a node and between nodes, and their lines.

A message of N bytes takes T = L + c N / B; c is 2 where both directions are busy, as in a ring
shift, and B then the bandwidth of both together, 1 in ping-pong. The report on coarrays minimises
the relative residuals (L + c N / B) / T - 1, so that the shortest messages weigh as much as the
longest. Here T is the median of the samples of a size, so that single late samples have no part in
it. The residuals are squared as in the report: a loss that forgives large ones was tried, and took
the few longest messages of a network that lets short bursts pass for the exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from statistics import median
from typing import TypeVar

import numpy as np
from lapwing.base.error import OutsideError, user_error
from numpy.typing import NDArray

from lapwing_lab import _core
from lapwing_lab.probe.request import ProbeSettings

LINKS = {"node": "within a node", "network": "between nodes"}
PATTERNS = {"ring": 2, "ping-pong": 1}  # directions that are busy
WAYS = ("two-sided", "push", "pull")
LAYOUTS = ("contiguous", "strided", "element-wise")

Kind = tuple[str, str, str, str]  # link, pattern, way, layout
Size = TypeVar("Size", float, NDArray[np.float64])  # one or many

_MOST_ROUNDS = 2000

_LEAST = 1e-3  # of the shortest time: no latency, and no time per byte, is nothing at all
_VISIBLE = 0.05  # share of the time of the longest message

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


@dataclass(frozen=True)
class Fit:
    """T = latency + directions * N / bandwidth."""

    latency: float  # s
    bandwidth: float  # bytes/s, of all directions together
    directions: int  # c: 2 where both are busy
    longest: int  # bytes of the longest message
    misfit: float  # median of |T of the line / T measured - 1|
    worst: float  # the largest of them

    def seconds(self, size: Size) -> Size:
        """Seconds that a message of `size` bytes takes. Local."""
        return self.latency + self.directions * size / self.bandwidth

    @property
    def resolved(self) -> bool:
        """True if the longest message was long enough for the bandwidth to matter."""
        return self.seconds(self.longest) - self.latency > _VISIBLE * self.seconds(self.longest)

    @property
    def each_way(self) -> float:
        """Bytes per second in each direction."""
        return self.bandwidth / self.directions


def fit_line(sizes: Sequence[int], samples: Sequence[Sequence[float]], directions: int) -> Fit:
    """The line through the medians of the samples, s, of each size, bytes. Local.

    `directions`: 1 or 2, c of the formula. UserError for fewer than two sizes, a size without a
    sample, and times that are not above 0.
    """
    from scipy.optimize import lsq_linear  # here: it takes a while to load

    if len(set(sizes)) < 2 or len(sizes) != len(samples) or not all(samples):
        got = f"{len(set(sizes))} with {sum(map(len, samples))} samples"
        expected = "two different ones or more, each with samples"
        raise user_error("sizes of messages", got, expected, "measure more sizes")
    times = np.array([median(one) for one in samples])
    if not (np.isfinite(times).all() and times.min() > 0):
        expected = "finite times above 0"
        raise user_error("times of messages", f"{times.min():g} s", expected, "measure again")
    moved = directions * np.array(sizes, dtype=float)
    # unknowns near 1: latency and time per byte in units of what the data suggest
    unit = np.array([times.min(), times.max() / moved.max()])
    relative = np.stack([np.ones_like(moved), moved], axis=1) * unit / times[:, np.newaxis]
    found = lsq_linear(relative, np.ones_like(times), bounds=([_LEAST, 1e-9], np.inf)).x
    latency, per_byte = found * unit
    away = np.abs(relative @ found - 1)
    return Fit(
        latency=float(latency),
        bandwidth=float(1 / per_byte),
        directions=directions,
        longest=max(sizes),
        misfit=float(np.median(away)),
        worst=float(away.max()),
    )


@dataclass
class Series:
    """One kind of message on one link: samples of each size, s, of the slowest rank."""

    link: str
    pattern: str
    way: str
    layout: str
    sizes: list[int]  # bytes
    rounds: list[int] = field(default_factory=list)  # messages of a sample, of each size
    samples: list[list[float]] = field(default_factory=list)  # of each size

    @property
    def kind(self) -> Kind:
        """The key of its line in `Probed.fits`."""
        return self.link, self.pattern, self.way, self.layout

    @property
    def name(self) -> str:
        """The kind in words."""
        return f"{self.pattern} {self.way} {self.layout}"

    @property
    def medians(self) -> list[float]:
        """Median time of each size, s."""
        return [median(one) for one in self.samples]

    @property
    def sustained(self) -> float:
        """Bytes per second in each direction, of the longest message. Local."""
        return self.sizes[-1] / self.medians[-1]

    def fit(self) -> Fit:
        """Latency and bandwidth. Local."""
        return fit_line(self.sizes, self.samples, PATTERNS[self.pattern])


def measure_link(
    test: _core.LinkTest, link: str, settings: ProbeSettings, advance: Callable[[str], None]
) -> list[Series]:
    """Time every kind of message alternating; first each is checked. Collective.

    The same result on all ranks. OutsideError on all ranks where a message arrives wrong.
    """
    series = [
        Series(link, pattern, way, layout, list(settings.sizes[layout]))
        for pattern, way, layout in product(PATTERNS, WAYS, LAYOUTS)
    ]
    for one in series:
        _prepare(test, one, settings)
    advance(f"messages {LINKS[link]}")
    for _ in range(settings.samples):
        for one in series:
            for number, work in enumerate(_works(one)):
                one.samples[number].append(test.time(work, one.rounds[number]))
        advance(f"messages {LINKS[link]}")
    return series


def _works(series: Series) -> list[_core.LinkWork]:
    return [
        _core.LinkWork(series.pattern, series.way, series.layout, size) for size in series.sizes
    ]


def _prepare(test: _core.LinkTest, series: Series, settings: ProbeSettings) -> None:
    """Check the messages, warm up, and find how many of them make a sample. Collective."""
    for work, size in zip(_works(series), series.sizes, strict=True):
        if wrong := test.wrong_values(work):
            # all ranks know it
            raise OutsideError(
                f"messages {series.name} of {size} bytes {LINKS[series.link]}: {wrong} values are "
                "wrong; this MPI does not move them right"
            )
        seconds = test.time(work, 2)
        rounds = int(settings.sample_seconds / max(seconds, 1e-9))
        series.rounds.append(max(1, min(rounds, _MOST_ROUNDS)))
        series.samples.append([])


# ---- whether messages travel while the ranks compute: the report's test, and with polls between


@dataclass
class Overlap:
    """One message during a fixed amount of computing; times in s of whole rounds, slowest rank."""

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
        """Share of the smaller of communication and computation that `mode` hides; 1: all of it.

        The median of the shares of the turns, each from times that were taken one after the other.
        """
        alone = (self.samples["communication"], self.samples["computation"])
        return median(
            (message + work - together) / min(message, work)
            for message, work, together in zip(*alone, self.samples[mode], strict=True)
        )

    @property
    def background(self) -> str:
        """True if the message moves on while nobody calls MPI: yes, partly or no.

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
    """Each way and size of message, with computing that takes as long. Collective.

    The same result on all ranks.
    """
    found = []
    for size in settings.overlap_sizes:
        for way in WAYS:
            advance(f"overlap {way}, {size} bytes")
            found.append(_measure_beside(test, link, way, size, settings))
    return found


def _measure_beside(
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
