"""True if a link lets the first bytes pass faster than the rest: a token bucket, as clouds have.

A message of N bytes after a pause then takes T = L + max(N / P, (N - S) / B): S bytes pass at the
bandwidth P of the burst, and what is beyond leaves at that of the link, B.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from lapwing_lab import _core
from lapwing_lab.probe.request import ProbeSettings

_LONGEST = 1 << 20  # bytes; on a slow link, as many as take _PATIENCE seconds
_PATIENCE = 0.1
_ENOUGH = 5  # sizes, to tell a burst from none
_REST = 2e-3  # s of a pause, and as long as the message takes twice
_LEAST = 1024  # bytes of a burst that counts
_BETTER = 0.5  # of the misfit without a burst
_TRIED = 80  # sizes and bandwidths of bursts between the least and the most


@dataclass
class Bursts:
    """Samples of single messages after a pause, one way, s of the slowest rank."""

    sizes: list[int]  # bytes
    samples: list[list[float]] = field(default_factory=list)  # of each size

    def fit(self, bandwidth: float, per_byte: float) -> tuple[float, float] | None:
        """Bytes of a burst and bytes/s that they pass at; None where there is none. Local.

        `bandwidth` B of the link, bytes/s; `per_byte`: of the processor at both ends, s.
        """
        return fit_burst(self.sizes, [median(one) for one in self.samples], bandwidth, per_byte)


def measure_bursts(
    test: _core.LinkTest,
    settings: ProbeSettings,
    bandwidth: float,
    advance: Callable[[str], None],
) -> Bursts:
    """Time single messages of up to 1 MiB, or 0.1 s, each after a pause. Collective.

    `bandwidth` of the link, bytes/s, by which the pause is chosen. The same result on all ranks.
    """
    advance("bursts")
    longest = min(_LONGEST, _PATIENCE * bandwidth)
    sizes = [size for size in settings.sizes["contiguous"] if size <= longest]
    found = Bursts(sizes, [[] for _ in sizes])
    for _ in range(settings.samples):
        for size, samples in zip(sizes, found.samples, strict=True):
            work = _core.LinkWork("ping-pong", "two-sided", "contiguous", size)
            time.sleep(_REST + 2 * size / bandwidth)
            samples.append(test.time(work, 1))
    return found


def fit_burst(
    sizes: Sequence[int], times: Sequence[float], bandwidth: float, per_byte: float
) -> tuple[float, float] | None:
    """As `Bursts.fit`, from one time of each size, s: of all bursts the one that fits best."""
    if len(sizes) < _ENOUGH:
        return None
    size = np.array(sizes, dtype=float)
    took = np.array(times)
    burst = np.geomspace(_LEAST, size.max(), _TRIED)[:, np.newaxis, np.newaxis]
    peak = np.geomspace(1.2, 200, _TRIED)[:, np.newaxis] * bandwidth
    shaped = np.maximum(size / peak, (size - burst) / bandwidth)
    unshaped = took.min() + per_byte * size
    misfit = (((unshaped + shaped) / took - 1) ** 2).sum(axis=-1)
    plain = (((unshaped + size / bandwidth) / took - 1) ** 2).sum()
    best = np.unravel_index(misfit.argmin(), misfit.shape)
    if misfit[best] > _BETTER * plain:
        return None
    return float(burst[best[0], 0, 0]), float(peak[best[1], 0])
