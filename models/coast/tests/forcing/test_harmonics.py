"""The model's harmonic analysis, next to UTide's, on the tide of the bay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import utide
from lapwing.base.error import UserError
from lapwing_coast.harmonics import harmonics

MakeSea = Callable[..., Any]  # see conftest.py

M2 = 44714.16  # s
PERIODS = [M2 / n for n in (1, 2, 3)]  # M2, and what shallow water makes of it: M4, M6
PLACES = [(8, 30), (40, 30), (64, 31)]  # cells: the open sea, the middle, the estuary


def test_tides_are_those_of_utide(make_sea: MakeSea) -> None:
    """Amplitudes agree to a millimetre, and so do phases between places."""
    sea = make_sea("bay", "layers.levels=0", "rivers.temperature=[]", "run.duration=5d")
    sea.run.advance(1440)
    seconds, levels = [], []
    for _ in range(4 * 144):
        sea.run.advance(10)
        seconds.append(sea.run.step_number * sea.run.dt)
        levels.append([sea.level[cell] for cell in PLACES])
    times, heights = np.array(seconds), np.array(levels)
    ours = harmonics(times, heights, PERIODS)
    theirs = np.array([_by_utide(times, heights[:, n]) for n in range(len(PLACES))]).T
    for (i, j), one, other in zip(PLACES, ours[0], theirs[0], strict=True):
        print(f"M2 in cell ({i}, {j}): {abs(one):.4f} m, by UTide {abs(other):.4f} m")
    assert np.abs(ours[0]).min() > 0.5
    assert np.abs(np.abs(ours) - np.abs(theirs)).max() < 1e-3
    turned = ours[0] * np.conj(ours[0][0] / np.abs(ours[0][0]))
    expected = theirs[0] * np.conj(theirs[0][0] / np.abs(theirs[0][0]))
    assert np.abs(turned - expected).max() < 1e-3


def _by_utide(seconds: Any, level: Any) -> Any:
    """Amplitude exp(i phase) of M2, M4 and M6; plain numbers of time need an epoch."""
    names = ["M2", "M4", "M6"]
    found = utide.solve(
        seconds / 86400.0,
        level,
        lat=54.0,
        constit=names,
        nodal=False,
        trend=False,
        method="ols",
        conf_int="none",
        epoch="2000-01-01",
        verbose=False,
    )
    at = [list(found.name).index(name) for name in names]
    return found.A[at] * np.exp(1j * np.radians(found.g[at]))


def test_a_sum_of_tides_is_taken_apart() -> None:
    time = np.arange(0, 4 * M2, 600.0)
    level = 0.3 + np.cos(2 * np.pi * time / M2 - 1.0) + 0.1 * np.cos(4 * np.pi * time / M2 - 2.0)
    found = harmonics(time, level, PERIODS)
    assert found == pytest.approx([np.exp(1j), 0.1 * np.exp(2j), 0.0], abs=1e-12)


def test_too_few_times() -> None:
    with pytest.raises(UserError, match="2 times for 1 periods"):
        harmonics(np.arange(2.0), np.zeros(2), [M2])
