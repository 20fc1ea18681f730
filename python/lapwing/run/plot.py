"""Pictures: a variable on the map, and who owns which part of it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.ndimage import find_objects, label

from lapwing.base.atomic_file import save_png
from lapwing.core.partition import Partition
from lapwing.model.model import Geometry
from lapwing.run.partition_colours import PartitionPicture

_LAND = "#c9c5bd"
_COAST = "#3c3a36"
_LONGER_SIDE = 7.0  # inches of the map
_BOX = "#1f3b57"
_FULLEST = "#c8102e"
_MANY_RANKS = 64  # beyond this, numbers and names would cover the picture
_FEW_RANKS = 24  # up to here there is room for names
_MANY_CELLS = 1000  # along an axis, more than pixels: coasts get thinner
_STRIP = 8.0  # one side in the other: beyond this, both axes have their own scale
_ARROWS = 24  # along the longer side
_CHARACTERS = 10.0  # characters of a label or title on an inch; a title may be wider than a map
_NEAR_ZERO = 0.1  # share of the largest value: if all are positive, colours then begin at 0
_ALIKE = 1e-9  # share of the largest value: rounding differences should not get all colours


@dataclass(frozen=True)
class Words:
    """The texts on a picture."""

    title: str
    subtitle: str
    label: str = ""  # next to the colour bar, with the unit


def draw_map(
    path: Path,
    values: NDArray[Any],
    wet: NDArray[np.bool_],
    geometry: Geometry,
    words: Words,
    arrows: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> None:
    """Draw values [nx, ny] with the coast to a PNG file, complete or not at all.

    Local. Values of both signs get a diverging colour map with white at zero, others a
    sequential one; dry points are land. `arrows`: components along x and y [nx, ny] at the cell
    centres, a few of which are drawn.
    """
    sheet = _Sheet(geometry)
    sheet.paint(*sheet.edges, np.ma.masked_where(~wet, values), words.label)
    sheet.draw_coast(np.asarray(geometry.wet, dtype=bool), *sheet.edges)
    if arrows is not None:
        sheet.draw_arrows(arrows, wet)
    sheet.finish(path, words)


def draw_section(
    path: Path,
    values: NDArray[Any],
    heights: NDArray[Any],
    row: int,
    geometry: Geometry,
    words: Words,
) -> None:
    """Draw values [nx, levels] of a row of cells between heights [nx, levels + 1] (m) to a PNG.

    Local; complete or not at all. Bottom and surface are where the heights are; below the bottom
    and in dry cells is land. Colours as in `draw_map`.
    """
    wet = np.asarray(geometry.wet, dtype=bool)[:, row]
    sheet = _Sheet(geometry, section=True)
    edges = _heights_at_edges(np.asarray(heights, dtype=np.float64), wet)
    x = np.broadcast_to(sheet.edges[0][:, None], edges.shape)
    sheet.paint(
        x,
        edges,
        np.ma.masked_where(~np.broadcast_to(wet[:, None], values.shape), values),
        words.label,
    )
    sheet.draw_air(edges, wet)
    sheet.finish(path, words)


def _heights_at_edges(heights: NDArray[np.float64], wet: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Heights [nx + 1, levels + 1] between cells: mean of the wet ones on both sides, 0 in land."""
    counted = np.where(wet[:, None], heights, 0.0)
    none = np.zeros((1, heights.shape[1]))
    total = np.concatenate([counted, none]) + np.concatenate([none, counted])
    beside = np.append(wet, False).astype(int) + np.insert(wet, 0, False)
    return np.asarray(total / np.maximum(beside, 1)[:, None])


def draw_partition(
    path: Path, partition: Partition, geometry: Geometry, words: Words, ranks_per_node: int = 1
) -> None:
    """Draw the subdomains, their nodes and their wet cells to a PNG file, complete or not at all.

    Local. The ranks of a node have one colour, which its neighbours do not have; the fewer wet
    cells a rank has, the paler it is, and the fullest has a red outline. Names and numbers of ranks
    are left out where they would cover the picture.
    """
    sheet = _Sheet(geometry)
    picture = PartitionPicture(partition, np.asarray(geometry.wet, dtype=bool), ranks_per_node)
    edges = tuple(edge[lines] for edge, lines in zip(sheet.edges, picture.lines, strict=True))
    _paint(sheet, picture.colours(), *edges)
    sheet.draw_coast(picture.wet, *edges)
    few = len(partition.subdomains) <= _MANY_RANKS
    several = len(partition.subdomains) > partition.ranks  # boxes per rank
    sheet.draw_boxes(partition.subdomains, (0.15 if several else 0.35) * (3 if few else 1), _BOX)
    if several:
        sheet.draw_lines(_borders(picture.owned, *edges), _BOX, 0.6)
    if ranks_per_node > 1:
        lines = _borders(picture.nodes, *edges)
        sheet.draw_lines(lines, _BOX, 2.0 if few else 1.1)
    sheet.draw_boxes(picture.fullest(), 2.0 if few else 1.2, _FULLEST)
    if few:
        for number, subdomain in enumerate(partition.subdomains):
            sheet.name_box(subdomain, int(picture.wet_cells[number]), len(partition.subdomains))
    sheet.finish(path, words)


def _paint(
    sheet: _Sheet, colours: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]
) -> None:
    """Colour the cells between edges: an image where cells have one size, which is fast."""
    shown = np.swapaxes(colours, 0, 1)
    even = all(np.allclose(np.diff(edge), edge[1] - edge[0], rtol=1e-3) for edge in sheet.edges)
    if even:
        sheet.axes.imshow(
            shown, extent=(x[0], x[-1], y[0], y[-1]), origin="lower", interpolation="nearest"
        )
        sheet.axes.set_aspect(sheet.aspect)
    else:
        sheet.axes.pcolormesh(x, y, shown, rasterized=True)


def _corners(box: Any) -> list[tuple[int, int]]:
    """The corners of a box in the plane, one after the other."""
    (i, j), (m, n) = box.lo[:2], box.hi[:2]
    return [(i, j), (m, j), (m, n), (i, n)]


class _Sheet:
    """A figure with the axes of a geometry: degrees, km or cells, in the shape of the real area."""

    def __init__(self, geometry: Geometry, section: bool = False) -> None:
        self.geometry, self.section = geometry, section
        self.degrees = geometry.x.units.startswith("degree")
        self.metres = geometry.x.units == "m"
        self.scale = 1e-3 if self.metres else 1.0  # from the unit of the axis to the picture's
        self.edges = (geometry.x.edges * self.scale, geometry.y.edges * self.scale)
        width, height = (float(abs(edge[-1] - edge[0])) for edge in self.edges)
        stretch = 1.0
        if self.degrees:  # a degree of longitude is shorter than one of latitude
            stretch = 1.0 / max(0.05, float(np.cos(np.radians(np.mean(geometry.y.values)))))
        sides = [1.0, 0.45] if section else [width, height * stretch]
        size = [_LONGER_SIDE * max(side / max(sides), 0.3) for side in sides]
        strip = section or max(sides) > _STRIP * min(sides)
        aspect: float | Literal["auto"] = "auto" if strip else stretch
        self.size = size  # size of the map, inches
        self.figure = Figure(figsize=(size[0] + 1.0, size[1] + 1.0))
        FigureCanvasAgg(self.figure)
        self.axes: Axes = self.figure.add_subplot()
        self.aspect = aspect
        self.axes.set_aspect(aspect)
        self.axes.set_facecolor(_LAND)

    def paint(self, x: NDArray[Any], y: NDArray[Any], values: Any, label: str) -> None:
        """Colour cells [n, m] between edges, [n + 1] and [m + 1] or both [n + 1, m + 1]."""
        shown = np.ma.masked_invalid(np.ma.asarray(values, dtype=np.float64))
        low, high, colours = _colour_range(shown)
        if x.ndim == 1:
            x, y = np.meshgrid(x, y, indexing="ij")
        picture = self.axes.pcolormesh(
            x, y, shown, vmin=low, vmax=high, cmap=colours, rasterized=True
        )
        beside = self.axes.inset_axes((1.03, 0.0, 0.035, 1.0))  # as high as the picture
        bar = self.figure.colorbar(picture, cax=beside, extend=_beyond(shown, low, high))
        label = label.replace(" (", "\u00a0(")  # the unit stays with the word before it
        bar.set_label(textwrap.fill(label, int(_CHARACTERS * self.size[1])))
        bar.outline.set_linewidth(0.6)

    def draw_arrows(
        self, arrows: tuple[NDArray[Any], NDArray[Any]], wet: NDArray[np.bool_]
    ) -> None:
        """A few arrows around middles of wet cells, as long as the root of their values is large.

        So the slow ones are seen too; the longest reach nearly from one to the next.
        """
        steps = _steps(wet.shape)
        few = tuple(slice(step // 2, None, step) for step in steps)
        centres = [self.scale * axis.values for axis in (self.geometry.x, self.geometry.y)]
        x, y = np.meshgrid(*centres, indexing="ij")
        # one without length would be a dot, where water is at rest and in obstacles
        drawn = wet[few] & (np.hypot(*(component[few] for component in arrows)) > 0.0)
        if not drawn.any():
            return
        shown = [values[few][drawn] for values in (x, y, *arrows)]
        speed = np.hypot(*shown[2:])
        root = np.sqrt(speed)
        self.axes.quiver(
            *shown[:2],
            *(component / root for component in shown[2:]),
            color=_COAST,
            edgecolor="white",  # shows on dark colours
            linewidth=0.4,
            width=0.003,
            pivot="mid",
            scale=float(root.max()) * wet.shape[0] / steps[0] / 0.9,
            scale_units="width",
        )

    def draw_air(self, edges: NDArray[np.float64], wet: NDArray[np.bool_]) -> None:
        """White above the surface, and lines along bottom and surface; edges as `paint` takes."""
        low, high = edges.min(), edges.max()
        self.heights = (low - 0.06 * (high - low), high + 0.06 * (high - low))
        for (cells,) in find_objects(label(wet)[0]):  # stretches of wet ones
            around = slice(cells.start, cells.stop + 1)
            x, part = self.edges[0][around], edges[around]
            self.axes.fill_between(x, part[:, -1], self.heights[1], color="white", linewidth=0)
            for height in (part[:, 0], part[:, -1]):
                self.axes.plot(x, height, color=_COAST, linewidth=0.8)

    def draw_coast(
        self, wet: NDArray[np.bool_], x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> None:
        """Lines along the edges between wet and dry cells."""
        width = 0.5 if max(wet.shape) < _MANY_CELLS else 0.25
        self.draw_lines(_borders(wet, x, y), _COAST, width)

    def draw_lines(self, lines: NDArray[np.float64], colour: str, width: float) -> None:
        """Straight lines [lines, end, x or y]."""
        self.axes.add_collection(LineCollection(list(lines), colors=colour, linewidths=width))

    def draw_boxes(self, subdomains: Sequence[Any], width: float, colour: str) -> None:
        """The outlines of subdomains."""
        x, y = self.edges
        corners = [[(x[i], y[j]) for i, j in _corners(subdomain.box)] for subdomain in subdomains]
        self.axes.add_collection(
            PolyCollection(corners, facecolors="none", edgecolors=colour, linewidths=width)
        )

    def name_box(self, subdomain: Any, wet_cells: int, subdomains: int) -> None:
        """Rank and wet cells in the middle of a subdomain; its number alone where it is small."""
        x, y = self.edges
        box = subdomain.box
        middle = (0.5 * (x[box.lo[0]] + x[box.hi[0]]), 0.5 * (y[box.lo[1]] + y[box.hi[1]]))
        few = subdomains <= _FEW_RANKS
        self.axes.annotate(
            f"rank {subdomain.rank}\n{wet_cells:,} wet" if few else str(subdomain.rank),
            middle,
            ha="center",
            va="center",
            fontsize=9 if few else 7,
            bbox={"boxstyle": "round,pad=0.3", "fc": "white", "ec": _BOX, "alpha": 0.85}
            if few
            else None,
        )

    def finish(self, path: Path, words: Words) -> None:
        """Title, axis names and the file."""
        pad = 22 + 13 * words.subtitle.count("\n")
        title = textwrap.fill(words.title, int(_CHARACTERS * (self.size[0] + 0.6)))
        self.axes.set_title(title, fontsize=12, loc="left", pad=pad, fontweight="bold")
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
        vertical = self.heights if self.section else (self.edges[1].min(), self.edges[1].max())
        self.axes.set_ylim(*vertical)
        unit = "km" if self.metres else "cells"
        if self.degrees:
            self.axes.xaxis.set_major_formatter(_degrees("E", "W"))
        else:
            self.axes.set_xlabel(f"x ({unit})")
        if self.section:
            self.axes.set_ylabel("height (m)")
        elif self.degrees:
            self.axes.yaxis.set_major_formatter(_degrees("N", "S"))
        else:
            self.axes.set_ylabel(f"y ({unit})")
        save_png(self.figure, path, 150, bbox_inches="tight", pad_inches=0.15)


def _steps(shape: tuple[int, ...]) -> list[int]:
    """Cells from one arrow to the next, the same along both axes where cells are many."""
    step = max(1, -(-max(shape) // _ARROWS))
    return [min(step, size) for size in shape]


def _degrees(positive: str, negative: str) -> Callable[[float, Any], str]:
    def show(value: float, _: Any) -> str:
        return f"{abs(value):g}°{'' if value == 0 else positive if value > 0 else negative}"

    return show


def _borders(
    values: NDArray[Any], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """One line [end, x or y] per edge between two cells of different values, none below 0."""
    i, j = np.nonzero(_differ(values[1:, :], values[:-1, :]))
    upright = np.stack([[x[i + 1], y[j]], [x[i + 1], y[j + 1]]])
    i, j = np.nonzero(_differ(values[:, 1:], values[:, :-1]))
    level = np.stack([[x[i], y[j + 1]], [x[i + 1], y[j + 1]]])
    return np.concatenate([upright, level], axis=2).transpose(2, 0, 1)


def _differ(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray((a != b) & (a >= 0) & (b >= 0))


def _colour_range(shown: Any) -> tuple[float, float, str]:
    """Smallest and largest colour, and the colour map; a few extreme points may lie beyond."""
    values = shown.compressed()
    values = values[np.isfinite(values)]
    if values.size == 0:
        return 0.0, 1.0, "viridis"
    if values.min() < 0 <= values.max():
        limit = _rounded(float(np.percentile(np.abs(values), 99.8))) or 1.0
        return -limit, limit, "RdBu_r"
    low, high = (float(value) for value in np.percentile(values, [0.2, 99.8]))
    if low >= 0.0 and (low < _NEAR_ZERO * high or high - low <= _ALIKE * high):
        return 0.0, high or 1.0, "viridis"
    return low, high if high > low else 0.0, "viridis"


def _rounded(limit: float) -> float:
    """The next larger number of two digits, so that the ends of the colour bar can be read."""
    if limit == 0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(limit)) - 1)
    return float(np.ceil(limit / unit - 1e-9) * unit)


def _beyond(shown: Any, low: float, high: float) -> str:
    """The ends of the colour bar that get an arrow."""
    under, over = bool(shown.min() < low), bool(shown.max() > high)
    return {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[under, over]
