"""What all pictures share: colours, sizes, and cells of a grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import lapwing
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

ROOT = Path(__file__).parents[3]
INK, OWN, HALO, OTHER = "#263238", "#90caf9", "#ffe082", "#eceff1"
PALETTE = ("#ef9a9a", "#ffcc80", "#fff59d", "#a5d6a7", "#80cbc4", "#81d4fa", "#b39ddb", "#f48fb1")
BLUE, SAND, GREEN, GREY = "#e3f2fd", "#fff3e0", "#e8f5e9", "#eceff1"
DARK, LAND, WRONG = "#1565c0", "#bcaaa4", "#ef5350"

FIRST = {"font.size": 9, "svg.hashsalt": "lapwing"}  # of the first pictures, at DPI
DPI = 110
# Those of the guides are 6 inches wide, so that their letters can be read on a telephone.
GUIDE = {"font.size": 10, "axes.titlesize": 10, "svg.hashsalt": "lapwing"}
GUIDE_DPI = 150
WIDE = 6.0  # inches


def save(figure: Figure, path: Path, dpi: int) -> None:
    """Write a picture that is the same whenever it is drawn."""
    figure.savefig(path, dpi=dpi, bbox_inches="tight", metadata={"Software": None})


def cells(axes: Axes, box: lapwing.Box, **style: object) -> None:
    """Fill the cells of a box."""
    (x, y), (nx, ny) = box.lo[:2], box.shape[:2]
    axes.add_patch(Rectangle((x, y), nx, ny, **style))


def outline(axes: Axes, box: lapwing.Box, colour: str = INK, width: float = 1.6) -> None:
    """A line around a box, above its cells."""
    cells(axes, box, fill=False, edgecolor=colour, linewidth=width, zorder=4)


def lines_between(axes: Axes, box: lapwing.Box) -> None:
    """Thin lines between the cells of a box."""
    (x0, y0), (x1, y1) = box.lo[:2], box.hi[:2]
    axes.hlines(range(y0, y1 + 1), x0, x1, color="white", linewidth=0.6, zorder=2)
    axes.vlines(range(x0, x1 + 1), y0, y1, color="white", linewidth=0.6, zorder=2)


def grid_lines(axes: Axes, box: lapwing.Box) -> None:
    """Thin lines between cells, and nothing else around."""
    lines_between(axes, box)
    (x0, y0), (x1, y1) = box.lo[:2], box.hi[:2]
    axes.set_xlim(x0 - 0.3, x1 + 0.3)
    axes.set_ylim(y0 - 0.3, y1 + 0.3)
    axes.set_aspect("equal")
    axes.axis("off")


def middle(box: lapwing.Box) -> tuple[float, float]:
    """The middle of a box along x and y."""
    return (box.lo[0] + box.hi[0]) / 2, (box.lo[1] + box.hi[1]) / 2


def write(axes: Axes, place: Sequence[float], text: str, **style: object) -> None:
    """Words around a place."""
    axes.text(*place, text, **{"ha": "center", "va": "center", "color": INK, "zorder": 5} | style)


def rounded(
    axes: Axes, place: tuple[float, float], size: tuple[float, float], colour: str
) -> tuple[float, float]:
    """A box with round corners; returns its middle."""
    look = {"boxstyle": "round,pad=0.03", "edgecolor": INK, "linewidth": 0.8}
    axes.add_patch(FancyBboxPatch(place, *size, facecolor=colour, **look))
    return place[0] + size[0] / 2, place[1] + size[1] / 2


def cell_ticks(axes: Axes, box: lapwing.Box, step: int = 1, shift: int = 0) -> None:
    """Number the cells of a box along both axes: their index plus `shift`, in the middle."""
    for axis, lo, hi in zip((axes.xaxis, axes.yaxis), box.lo, box.hi, strict=False):
        numbers = range(lo, hi, step)
        axis.set_ticks([n + 0.5 for n in numbers], [str(n + shift) for n in numbers])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def owned(partition: lapwing.Partition, rank: int) -> lapwing.Box:
    """The box of a rank that owns one."""
    return next(s.box for s in partition.subdomains if s.rank == rank)


def key(axes: Axes, entries: Iterable[tuple[str, str]], **place: object) -> None:
    """What colours mean."""
    handles = [Rectangle((0, 0), 1, 1, color=colour, label=label) for colour, label in entries]
    axes.legend(handles=handles, frameon=False, handlelength=1, handleheight=1, **place)
