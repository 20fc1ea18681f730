"""The same sea as files of three models keep it, and as lapwing reads it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from drawings.cuts import north_sea
from drawings.style import HALO, INK, LAND, OWN, WIDE, key

COARSER = 6  # cells of the North Sea's picture along an axis of a cell of this one
FILLED = 30  # numbers of HYCOM's record that are shown, of which the last are filling


def grid_files() -> Figure:
    """ROMS with its ring, GEBCO with north first, HYCOM as one row of numbers, and the sea."""
    wet = _sea()
    panels = Figure(figsize=(WIDE, 4.6)).subplots(2, 2, height_ratios=(1, 1))
    figure = panels[0, 0].figure
    _map(panels[0, 0], np.pad(wet, 1, mode="edge"), "ROMS: mask_rho has a ring more", ring=True)
    _map(panels[0, 1], wet[:, ::-1], "GEBCO: row 0 may be the north")
    _record(panels[1, 0], wet)
    _map(panels[1, 1], wet, "as lapwing reads them, ROMS with its ring")
    figure.tight_layout(h_pad=1.4, rect=(0, 0.06, 1, 1))
    meaning = [(OWN, "sea"), (LAND, "land"), (HALO, "ring, filling")]
    key(panels[1, 1], meaning, bbox_to_anchor=(-0.1, -0.08), loc="upper center", ncols=3)
    return figure


def _sea() -> np.ndarray:
    """Part of the North Sea in large cells [x, y]."""
    wet = north_sea()
    nx, ny = (n // COARSER for n in wet.shape)
    blocks = wet[: nx * COARSER, : ny * COARSER].reshape(nx, COARSER, ny, COARSER)
    return np.asarray(blocks.mean(axis=(1, 3)) > 0.5)


def _map(axes: Axes, wet: np.ndarray, title: str, ring: bool = False) -> None:
    colours = np.where(wet.T[..., None], to_rgb(OWN), to_rgb(LAND))
    if ring:
        outside = np.ones(wet.T.shape, dtype=bool)
        outside[1:-1, 1:-1] = False
        colours[outside] = to_rgb(HALO)
    nx, ny = wet.shape
    axes.pcolormesh(np.arange(nx + 1), np.arange(ny + 1), colours, edgecolor="white", lw=0.4)
    axes.text(-0.4, 0.5, "row 0", ha="right", va="center", color=INK, fontsize=8)
    axes.set(title=title, aspect="equal")
    axes.axis("off")


def _record(axes: Axes, wet: np.ndarray) -> None:
    """The last numbers of a record: rows of cells one behind the other, and what fills it."""
    row = wet.T.ravel()[-FILLED + 8 :]
    for n in range(FILLED):
        colour = HALO if n >= row.size else OWN if row[n] else LAND
        axes.add_patch(_square(n % 10, 2 - n // 10, colour))
    axes.set(title="HYCOM: one row of numbers, filled to 4096", xlim=(0, 10), ylim=(-0.5, 3.5))
    axes.set_aspect("equal")
    axes.axis("off")


def _square(x: int, y: int, colour: str) -> Rectangle:
    return Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.0)


DRAWINGS = {"guide/grid-files": grid_files}
