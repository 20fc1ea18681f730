"""The tripolar grid of an example: a tracer before and after its way across the fold."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from drawings.style import INK, ROOT, WIDE, WRONG

EXAMPLE = ROOT / "examples" / "14_tripolar" / "tripolar.py"
ROWS = slice(110, None)  # those that the picture shows
REACH = 34.0  # degrees around the pole


def global_grids() -> Figure:
    """The Arctic from above, with the rows and columns of the grid and the fold."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tripolar.npz"
        subprocess.run([sys.executable, EXAMPLE, file], check=True)
        data = dict(np.load(file))
    x, y = seen_from_above(data["points"])
    figure = Figure(figsize=(WIDE, 3.2))
    for n, (name, title) in enumerate((("before", "before"), ("after", "after 300 steps"))):
        axes = figure.add_subplot(1, 2, n + 1)
        sea = np.where(data["wet"], np.sqrt(data[name]), np.nan)
        axes.pcolormesh(x[:, ROWS], y[:, ROWS], sea[:, ROWS], cmap="YlGnBu", vmin=0, vmax=1)
        grid_over(axes, x, y)
        axes.set(title=title, xlim=(-REACH, REACH), ylim=(-REACH, REACH), xticks=[], yticks=[])
        axes.set(aspect="equal", facecolor="#bcaaa4")
    return figure


def seen_from_above(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Points of the sphere in degrees from the north pole, 90 degrees east on the right."""
    east, colatitude = np.arctan2(points[..., 1], points[..., 0]), np.arccos(points[..., 2])
    return np.degrees(colatitude) * np.sin(east), -np.degrees(colatitude) * np.cos(east)


def grid_over(axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    """Every tenth column and fifth row, dotted, and the fold."""
    style = {"color": INK, "linewidth": 0.4, "linestyle": ":"}
    for i in range(0, x.shape[0], 10):
        axes.plot(x[i, ROWS], y[i, ROWS], **style)
    for j in range(x.shape[1] - 1, ROWS.start, -5):
        axes.plot(x[:, j], y[:, j], **style)
    half = x.shape[0] // 2 + 1
    axes.plot(x[:half, -1], y[:half, -1], color=WRONG, linewidth=1.4)


DRAWINGS = {"guide/global-grids": global_grids}
