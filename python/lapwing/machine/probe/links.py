"""The links of a machine: times of messages within a node and between nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from statistics import median

from lapwing.base.error import OutsideError
from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.machine.probe.fit import Fit, fit_line
from lapwing.machine.probe.request import ProbeSettings

LINKS = {"node": "within a node", "network": "between nodes"}
PATTERNS = {"ring": 2, "ping-pong": 1}  # directions that are busy
WAYS = ("two-sided", "push", "pull")
LAYOUTS = ("contiguous", "strided", "element-wise")

Kind = tuple[str, str, str, str]  # link, pattern, way, layout

_MOST_ROUNDS = 2000


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
        """What `Probed.fits` has its line under."""
        return self.link, self.pattern, self.way, self.layout

    @property
    def name(self) -> str:
        """The kind in words."""
        return f"{self.pattern} {self.way} {self.layout}"

    @property
    def medians(self) -> list[float]:
        """Median time of each size, s."""
        return [median(one) for one in self.samples]

    def fit(self) -> Fit:
        """Latency and bandwidth. Local."""
        return fit_line(self.sizes, self.samples, PATTERNS[self.pattern])


def open_link(domain: Domain, link: str, settings: ProbeSettings) -> _core.LinkTest | None:
    """What times the messages of a link; None where no two ranks are on it. Collective."""
    test = _core.LinkTest(domain, link, settings.most_bytes, settings.pool_bytes)
    if test.available:
        return test
    test.close()
    return None


def turns(settings: ProbeSettings) -> int:
    """How often `measure_link` tells of a turn. Local."""
    return settings.samples + 1


def measure_link(
    test: _core.LinkTest, link: str, settings: ProbeSettings, advance: Callable[[str], None]
) -> list[Series]:
    """Time every kind of message in turns; first each is checked. Collective.

    The same result on all ranks. OutsideError on all ranks where a message arrives wrong.
    """
    kinds = product(PATTERNS, WAYS, LAYOUTS)
    series = [
        Series(link, pattern, way, layout, list(settings.sizes[layout]))
        for pattern, way, layout in kinds
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
