"""Amplitude and phase of tides in records of the sea level: the model's own harmonic analysis.

python -m lapwing_coast.harmonics out/points.nc --period 44714.16
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray
from lapwing.base.error import user_error
from numpy.typing import NDArray


def harmonics(
    seconds: NDArray[np.float64], level: NDArray[np.float64], periods: Sequence[float]
) -> NDArray[np.complex128]:
    """Fit a mean and tides of these periods (s) to levels [time, ...] (m) at times (s).

    Local. Returns amplitude exp(i phase) [period, ...], the phase lag behind cos(2 pi t/period).
    UserError for fewer times than unknowns.
    """
    if len(seconds) < 2 * len(periods) + 1:
        raise user_error(
            "harmonic analysis",
            f"{len(seconds)} times for {len(periods)} periods",
            f"at least {2 * len(periods) + 1}",
            "write the sea level more often, or run longer",
        )
    angles = 2 * np.pi * seconds[:, None] / np.asarray(periods)[None, :]
    base = np.hstack([np.ones((len(seconds), 1)), np.cos(angles), np.sin(angles)])
    fit = np.linalg.lstsq(base, level.reshape(len(seconds), -1), rcond=None)[0]
    n = len(periods)
    found = fit[1 : n + 1] + 1j * fit[n + 1 :]
    return np.asarray(found).reshape(n, *level.shape[1:])


def main() -> None:
    """Print amplitude and phase of each tide at the points of a run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="the points.nc of a run")
    parser.add_argument("--period", type=float, action="append", required=True, help="s")
    parser.add_argument("--span", type=float, help="s at the end of the run: two longest periods")
    given = parser.parse_args()
    with xarray.open_dataset(given.file, decode_times=False) as data:
        seconds = np.asarray(data["time"].values, dtype=np.float64)
        last = seconds >= seconds[-1] - (given.span or 2 * max(given.period))
        level = data["sea_level"]
        names = [str(name) for name in data["point_name"].values]
        tides = harmonics(seconds[last], np.asarray(level.values[last]), given.period)
    for period, tide in zip(given.period, tides, strict=True):
        for name, one in zip(names, tide.ravel(), strict=True):
            lag = np.degrees(np.angle(one)) % 360
            print(f"{name:15s} {period:10.2f} s  {abs(one):6.3f} m {lag:5.1f} degrees")


if __name__ == "__main__":
    main()
