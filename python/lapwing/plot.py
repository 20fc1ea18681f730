"""Pictures: a variable on the map, and who owns which part of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from lapwing.atomic_file import complete_or_absent
from lapwing.model import Axis, Geometry
from lapwing.partition import Partition

_LAND = "#c9c5bd"
_COAST = "#3c3a36"
_LONGER_SIDE = 7.0  # of the map, inches
_MANY_RANKS = 64  # beyond this, numbers and names would cover the picture


@dataclass(frozen=True)
class Words:
    """What is written on a picture."""

    title: str
    subtitle: str
    label: str = ""  # beside the colour bar, with the unit


def draw_map(
    path: Path, values: NDArray[Any], wet: NDArray[np.bool_], geometry: Geometry, words: Words
) -> None:
    """Draw values [nx, ny] with the coast to a PNG file, complete or not at all.

    Local. Values of both signs get a diverging colour map with white at zero, others a
    sequential one; dry points are land.
    """
    sheet = _Sheet(geometry)
    shown = np.ma.masked_where(~wet, np.asarray(values, dtype=np.float64))
    low, high, colours = _colour_range(shown)
    picture = sheet.axes.pcolormesh(
        *sheet.edges, shown.T, vmin=low, vmax=high, cmap=colours, rasterized=True
    )
    beyond = _beyond(shown, low, high)
    beside = sheet.axes.inset_axes((1.03, 0.0, 0.035, 1.0))  # as high as the map
    bar = sheet.figure.colorbar(picture, cax=beside, extend=beyond)
    bar.set_label(words.label)
    bar.outline.set_linewidth(0.6)
    sheet.draw_coast()
    sheet.finish(path, words)


def draw_partition(path: Path, partition: Partition, geometry: Geometry, words: Words) -> None:
    """Draw the subdomains, their ranks and their wet cells to a PNG file. Local."""
    sheet = _Sheet(geometry)
    wet = np.asarray(geometry.wet, dtype=bool)
    owner = np.full(wet.shape, np.nan)
    for subdomain in partition.subdomains:
        owner[_cells(subdomain.box)] = subdomain.rank
    shown = np.ma.masked_where(~wet | np.isnan(owner), owner)
    sheet.axes.pcolormesh(
        *sheet.edges, (shown % 8).T, cmap=colormaps["Pastel1"], vmin=0, vmax=8, rasterized=True
    )
    sheet.draw_coast()
    for subdomain in partition.subdomains:
        sheet.draw_box(subdomain.box)
        if len(partition.subdomains) <= _MANY_RANKS:
            sheet.name_box(subdomain, int(wet[_cells(subdomain.box)].sum()))
    sheet.finish(path, words)


def _cells(box: Any) -> tuple[slice, slice]:
    return slice(box.lo[0], box.hi[0]), slice(box.lo[1], box.hi[1])


class _Sheet:
    """A figure with the axes of a geometry: degrees or km, in the shape of the real area."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.degrees = geometry.x.units.startswith("degree")
        self.scale = 1.0 if self.degrees else 1e-3  # from the unit of the axis to degrees or km
        self.edges = (_edges(geometry.x) * self.scale, _edges(geometry.y) * self.scale)
        width, height = (float(abs(edge[-1] - edge[0])) for edge in self.edges)
        aspect = 1.0
        if self.degrees:  # a degree of longitude is shorter than one of latitude
            aspect = 1.0 / max(0.05, float(np.cos(np.radians(np.mean(geometry.y.values)))))
        longer = max(width, height * aspect)
        size = [_LONGER_SIDE * max(side / longer, 0.3) for side in (width, height * aspect)]
        self.figure = Figure(figsize=(size[0] + 1.0, size[1] + 1.0))
        FigureCanvasAgg(self.figure)
        self.axes: Axes = self.figure.add_subplot()
        self.axes.set_aspect(aspect)
        self.axes.set_facecolor(_LAND)

    def draw_coast(self) -> None:
        """Lines along the edges between wet and dry cells."""
        lines = _coast(np.asarray(self.geometry.wet, dtype=bool), *self.edges)
        self.axes.add_collection(LineCollection(lines, colors=_COAST, linewidths=0.5))

    def draw_box(self, box: Any) -> None:
        """The outline of a subdomain."""
        x, y = self.edges
        west, south = x[box.lo[0]], y[box.lo[1]]
        self.axes.add_patch(
            Rectangle(
                (west, south),
                x[box.hi[0]] - west,
                y[box.hi[1]] - south,
                fill=False,
                edgecolor="#1f4e79",
                linewidth=1.4,
            )
        )

    def name_box(self, subdomain: Any, wet_cells: int) -> None:
        """Rank and wet cells in the middle of a subdomain."""
        x, y = self.edges
        box = subdomain.box
        middle = (0.5 * (x[box.lo[0]] + x[box.hi[0]]), 0.5 * (y[box.lo[1]] + y[box.hi[1]]))
        self.axes.annotate(
            f"rank {subdomain.rank}\n{wet_cells:,} wet",
            middle,
            ha="center",
            va="center",
            fontsize=9,
            bbox={"boxstyle": "round,pad=0.3", "fc": "white", "ec": "#1f4e79", "alpha": 0.85},
        )

    def finish(self, path: Path, words: Words) -> None:
        """Title, axis names and the file."""
        self.axes.set_title(words.title, fontsize=12, loc="left", pad=22, fontweight="bold")
        self.axes.annotate(
            words.subtitle,
            (0, 1),
            (0, 6),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=9,
            color="#444444",
        )
        self.axes.set_xlim(self.edges[0].min(), self.edges[0].max())
        self.axes.set_ylim(self.edges[1].min(), self.edges[1].max())
        if self.degrees:
            self.axes.xaxis.set_major_formatter(_degrees("E", "W"))
            self.axes.yaxis.set_major_formatter(_degrees("N", "S"))
        else:
            self.axes.set_xlabel("x (km)")
            self.axes.set_ylabel("y (km)")
        with complete_or_absent(path) as part:
            # No date or version in the file: the same run gives the same picture.
            self.figure.savefig(
                part,
                format="png",
                dpi=150,
                bbox_inches="tight",
                pad_inches=0.15,
                metadata={"Software": None},
            )


def _degrees(positive: str, negative: str) -> Callable[[float, Any], str]:
    def show(value: float, _: Any) -> str:
        return f"{abs(value):g}°{'' if value == 0 else positive if value > 0 else negative}"

    return show


def _edges(axis: Axis) -> NDArray[np.float64]:
    """Edges [n + 1] of the cells around the centres [n]."""
    centres = np.asarray(axis.values, dtype=np.float64)
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    inner = 0.5 * (centres[1:] + centres[:-1])
    first, last = 2 * centres[0] - inner[0], 2 * centres[-1] - inner[-1]
    return np.concatenate([[first], inner, [last]])


def _coast(
    wet: NDArray[np.bool_], x: NDArray[np.float64], y: NDArray[np.float64]
) -> list[list[tuple[float, float]]]:
    """One line per edge between a wet and a dry cell."""
    lines = []
    for i, j in np.argwhere(wet[1:, :] != wet[:-1, :]):
        lines.append([(x[i + 1], y[j]), (x[i + 1], y[j + 1])])
    for i, j in np.argwhere(wet[:, 1:] != wet[:, :-1]):
        lines.append([(x[i], y[j + 1]), (x[i + 1], y[j + 1])])
    return lines


def _colour_range(shown: Any) -> tuple[float, float, str]:
    """Smallest and largest colour, and the colour map; a few extreme points may lie beyond."""
    values = shown.compressed()
    values = values[np.isfinite(values)]
    if values.size == 0:
        return 0.0, 1.0, "viridis"
    if values.min() < 0 <= values.max():
        limit = _rounded(float(np.percentile(np.abs(values), 99.8))) or 1.0
        return -limit, limit, "RdBu_r"
    low, high = np.percentile(values, [0.2, 99.8])
    return float(low), float(high) if high > low else float(low) + 1.0, "viridis"


def _rounded(limit: float) -> float:
    """The next larger number of two digits, so that the ends of the colour bar can be read."""
    if limit == 0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(limit)) - 1)
    return float(np.ceil(limit / unit - 1e-9) * unit)


def _beyond(shown: Any, low: float, high: float) -> str:
    """Which ends of the colour bar get an arrow."""
    under, over = bool(shown.min() < low), bool(shown.max() > high)
    return {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[under, over]
