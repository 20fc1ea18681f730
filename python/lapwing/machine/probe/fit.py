"""Latency and bandwidth from measured times of messages, by relative least squares.

A message of N bytes takes T = L + c N / B; c is 2 where both directions are busy, as in a ring
shift, and B then the bandwidth of both together, 1 in ping-pong. The report on coarrays minimises
the relative residuals (L + c N / B) / T - 1, so that the shortest messages weigh as much as the
longest. Here T is the median of the samples of a size, so that single late samples have no part in
it. The residuals are squared as in the report: a loss that forgives large ones was tried, and took
the few longest messages of a network that lets short bursts pass for the exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from lapwing.base.error import user_error

_LEAST = 1e-3  # of the shortest time: no latency, and no time per byte, is nothing at all
_VISIBLE = 0.05  # share of the time of the longest message


@dataclass(frozen=True)
class Fit:
    """T = latency + directions * N / bandwidth."""

    latency: float  # s
    bandwidth: float  # bytes/s, of all directions together
    directions: int  # c: 2 where both are busy
    longest: int  # bytes of the longest message
    misfit: float  # median of |T of the line / T measured - 1|
    worst: float  # the largest of them

    def seconds(self, size: float) -> float:
        """Seconds that a message of `size` bytes takes. Local."""
        return self.latency + self.directions * size / self.bandwidth

    @property
    def resolved(self) -> bool:
        """Whether the longest message was long enough for the bandwidth to matter."""
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
    from scipy.optimize import least_squares  # here: it takes a while to load

    if len(set(sizes)) < 2 or len(sizes) != len(samples) or not all(samples):
        raise user_error(
            "sizes of messages",
            f"{len(set(sizes))} with {sum(map(len, samples))} samples",
            "two different ones or more, each with samples",
            "measure more sizes",
        )
    times = np.array([median(one) for one in samples])
    if not (np.isfinite(times).all() and times.min() > 0):
        raise user_error(
            "times of messages", f"{times.min():g} s", "finite times above 0", "measure again"
        )
    moved = directions * np.array(sizes, dtype=float)
    # unknowns near 1: latency and time per byte in units of what the data suggest
    unit = np.array([times.min(), times.max() / moved.max()])

    def residuals(unknowns: np.ndarray) -> np.ndarray:
        latency, per_byte = unknowns * unit
        return np.asarray((latency + per_byte * moved) / times - 1)

    found = least_squares(residuals, [1.0, 1.0], bounds=([_LEAST, 1e-9], np.inf))
    latency, per_byte = found.x * unit
    away = np.abs(residuals(found.x))
    return Fit(
        latency=float(latency),
        bandwidth=float(1 / per_byte),
        directions=directions,
        longest=max(sizes),
        misfit=float(np.median(away)),
        worst=float(away.max()),
    )
