"""Who owns what in the three distributions of a transpose."""

from __future__ import annotations

import lapwing
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from drawings.style import PALETTE

Ends = tuple[int, int, int, int]  # of a box: lower ends along two axes, then upper ones


def transpose() -> Figure:
    """The three distributions, seen along one axis each."""
    twod = lapwing.twod_partition(lapwing.block_partition(lapwing.Grid((16, 12)), (2, 2)), levels=8)
    views = (
        ("TWOD: blocks, all levels", twod, (0, 1), "x", "y"),
        ("FFT: whole rows of x", lapwing.fft_partition(twod), (0, 2), "x", "level"),
        ("TRI: whole columns of y", lapwing.tri_partition(twod), (0, 2), "x", "level"),
    )
    figure = Figure(figsize=(9.5, 3.2))
    subplots = figure.subplots(1, 3)
    for axes, (title, partition, along, xlabel, ylabel) in zip(subplots, views, strict=True):
        groups = _groups(partition, along)
        for ends, ranks in groups.items():
            _block(axes, ends, ranks)
        axes.set_xlim(0, max(g[2] for g in groups))
        axes.set_ylim(0, max(g[3] for g in groups))
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
    figure.tight_layout()
    return figure


def _groups(partition: lapwing.Partition, along: tuple[int, int]) -> dict[Ends, list[int]]:
    """The ranks whose boxes lie behind each other."""
    groups: dict[Ends, list[int]] = {}
    a, b = along
    for part in partition.subdomains:
        lo, hi = part.box.lo, part.box.hi
        groups.setdefault((lo[a], lo[b], hi[a], hi[b]), []).append(part.rank)
    return groups


def _block(axes: Axes, ends: Ends, ranks: list[int]) -> None:
    x0, y0, x1, y1 = ends
    look = {"facecolor": PALETTE[2 * ranks[0]], "edgecolor": "white", "linewidth": 2}
    axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, **look))
    text = f"rank {ranks[0]}"
    if len(ranks) > 1:
        text = f"ranks {', '.join(map(str, ranks))}\n(one after the other along y)"
    axes.text((x0 + x1) / 2, (y0 + y1) / 2, text, ha="center", va="center")


DRAWINGS = {"transpose": transpose}
