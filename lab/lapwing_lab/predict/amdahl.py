"""Amdahl's law, fitted to predicted steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def amdahl(ranks: Sequence[int], steps: Sequence[float]) -> float:
    """The serial fraction s of T(n) = T(1) (s + (1 - s) / n), fitted to steps. Local.

    `steps`: T, s, for each number of ranks n. Least squares of relative residuals of T = a + b / n
    with a and b not below 0 (G. M. Amdahl, Validity of the single processor approach to achieving
    large scale computing capabilities, 1967); s = a / (a + b). nan for fewer than two numbers.
    """
    if len(set(ranks)) < 2:
        return math.nan
    n, times = np.array(ranks, dtype=float), np.array(steps)
    rows = np.stack([1 / times, 1 / n / times], axis=1)
    (serial, parallel), *_ = np.linalg.lstsq(rows, np.ones(len(n)), rcond=None)
    if serial < 0:
        return 0.0
    return float(serial / (serial + parallel)) if parallel > 0 else 1.0
