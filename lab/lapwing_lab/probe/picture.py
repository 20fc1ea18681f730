"""The picture of a probe: measured times of messages and the lines through them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lapwing.base.atomic_file import save_png
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lapwing_lab.probe.links import LINKS, PATTERNS, Fit, Series
from lapwing_lab.probe.result import Probed

_COLOURS = {"two-sided": "#1f6fb2", "push": "#d9822b", "pull": "#2f9e5b"}
_MARKS = {"contiguous": "o", "strided": "s", "element-wise": "^"}
_DASHES = {"contiguous": "-", "strided": "--", "element-wise": ":"}
_WIDTH, _HEIGHT = 15.0, 5.6  # inches, of a row
_FORMULAS = {"ring": "T = L + 2N/B", "ping-pong": "T = L + N/B"}


def draw_probe(path: Path, probed: Probed, title: str) -> None:
    """Draw times over sizes to a PNG file, a row per link, complete or not at all. Local."""
    links = probed.links
    figure = Figure(figsize=(_WIDTH, _HEIGHT * len(links)), layout="constrained")
    panels = figure.subplots(len(links), len(PATTERNS), squeeze=False)
    for row, link in zip(panels, links, strict=True):
        for axes, pattern in zip(row, PATTERNS, strict=True):
            chosen = [s for s in probed.series if (s.link, s.pattern) == (link, pattern)]
            for series in chosen:
                fit = probed.fits[link, pattern, series.way, series.layout]
                _draw_series(axes, series, fit)
            _finish(axes, f"{pattern} {LINKS[link]}: {_FORMULAS[pattern]}")
    figure.suptitle(title, fontsize=12, fontweight="bold")
    save_png(figure, path, 110)


def _draw_series(axes: Axes, series: Series, fit: Fit) -> None:
    colour = _COLOURS[series.way]
    medians = np.array(series.medians)
    ends = [(min(one), max(one)) for one in series.samples]
    axes.errorbar(
        series.sizes,
        1e6 * medians,
        yerr=1e6 * np.abs(np.transpose(ends) - medians),
        fmt=_MARKS[series.layout],
        color=colour,
        markersize=5,
        markerfacecolor="white" if series.layout != "contiguous" else colour,
        elinewidth=0.7,
        linestyle="none",
    )
    sizes = np.geomspace(min(series.sizes), max(series.sizes), 100)
    axes.plot(
        sizes,
        1e6 * fit.seconds(sizes),
        linestyle=_DASHES[series.layout],
        color=colour,
        linewidth=1.3,
        marker=_MARKS[series.layout],
        markevery=[],
        label=f"{series.way}, {series.layout}: L = {1e6 * fit.latency:.3g} us"
        + (f", B = {fit.bandwidth / 1e9:.3g} GB/s" if fit.resolved else ""),
    )


def _size(size: float, _: float) -> str:
    """A power of two bytes, in the units that people say."""
    for factor, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= factor:
            return f"{size / factor:g} {unit}"
    return f"{size:g} B"


def _finish(axes: Axes, title: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(_size)
    axes.set_xlabel("bytes N of a message")
    axes.set_ylabel("time T (us): median, least and largest")
    axes.set_title(title, fontsize=11)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(fontsize=8, loc="upper left", framealpha=0.9)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * 40)  # room for the legend above the points
