"""Pictures of timelines: a bar per rank, strategies below each other on one time axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from lapwing.base.atomic_file import save_png
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lapwing_lab.timeline.timeline import Event, Timeline

_STAGES = ("#8db7dd", "#f6c177", "#9fd39b", "#d9b8e6", "#c9b79c", "#8fd3d1", "#e9a8b4", "#c5d86d")
# what is no computing: name and colour
_PARTS = {
    "start": ("pack and post", "#1b1b1b"),
    "unpack": ("unpack", "#7b2d8e"),
    "wait": ("wait", to_rgba("#e4572e", 0.55)),
}
_INK = "#2b2b2b"
_WIDTH = 13.0  # inches
_BAR, _GAP = 0.8, 0.7  # of the height of a bar's slot
_MOST_NAMES = 12  # ranks, beyond which bars have no room for names


def draw_timelines(path: Path, timelines: Sequence[Timeline], title: str) -> None:
    """Draw timelines to a PNG file, complete or not at all. Local.

    Every rank has a bar in every strategy; computing is coloured by stage, what is white is spent
    in looking for messages and between tasks.
    """
    ranks = len(timelines[0].ranks)
    rows = len(timelines) * (ranks + _GAP)
    slot = 0.27 if ranks <= _MOST_NAMES else 2.5 / ranks
    figure = Figure(figsize=(_WIDTH, slot * rows + 1.75))
    height = figure.get_figheight()
    below, above = 0.55 / height, 1.15 / height
    axes = figure.add_axes((0.14, below, 0.845, 1 - below - above))
    events = [event for timeline in timelines for rank in timeline.ranks for event in rank]
    stages = list(dict.fromkeys(event.subject for event in events if event.kind == "compute"))
    for number, timeline in enumerate(timelines):
        _draw_timeline(axes, timeline, number * (ranks + _GAP), stages)
    _finish_axes(axes, timelines, rows)
    figure.text(0.012, 1 - 0.28 / height, title, fontsize=14, fontweight="bold", va="center")
    about = "one bar per rank; all ranks and strategies on one clock, the quickest of many rounds"
    figure.text(0.012, 1 - 0.55 / height, about, fontsize=9.5, color="#444444", va="center")
    _draw_legend(figure, stages, height)
    save_png(figure, path, 120)


def _draw_timeline(axes: Axes, timeline: Timeline, top: float, stages: list[str]) -> None:
    ranks = len(timeline.ranks)
    for rank, events in enumerate(timeline.ranks):
        _draw_rank(axes, events, top + rank, stages)
        if ranks <= _MOST_NAMES:
            axes.text(
                -0.004, top + rank + 0.5 * _BAR, f"rank {rank}", fontsize=7.5, ha="right",
                va="center", transform=axes.get_yaxis_transform(), color="#444444",
            )  # fmt: skip
    axes.text(
        -0.160, top + 0.5 * (ranks - 1) + 0.5 * _BAR, timeline.title, fontsize=11, ha="left",
        va="center", fontweight="bold", transform=axes.get_yaxis_transform(),
    )  # fmt: skip
    end = 1e6 * timeline.span
    axes.plot([end, end], [top - 0.1, top + ranks - 1 + _BAR + 0.1], color=_INK, lw=1.2)
    axes.text(end, top + 0.5 * (ranks - 1) + 0.5 * _BAR, f" {end:,.0f} us", fontsize=9, va="center")


def _draw_rank(axes: Axes, events: Sequence[Event], top: float, stages: list[str]) -> None:
    for computing in (True, False):
        drawn = [event for event in events if (event.kind == "compute") == computing]
        colours = [
            _STAGES[stages.index(e.subject) % len(_STAGES)] if computing else _PARTS[e.kind][1]
            for e in drawn
        ]
        axes.broken_barh(
            [(1e6 * event.begin, 1e6 * (event.end - event.begin)) for event in drawn],
            (top, _BAR),
            facecolors=colours,
            edgecolors="white" if computing else colours,
            linewidth=0.3 if computing else 0.4,
            zorder=2 if computing else 3,
        )


def _finish_axes(axes: Axes, timelines: Sequence[Timeline], rows: float) -> None:
    longest = 1e6 * max(timeline.span for timeline in timelines)
    axes.set_xlim(0, longest * 1.08)
    axes.set_ylim(rows - _GAP + 0.3, -0.3)
    axes.set_yticks([])
    axes.set_xlabel("time (us)")
    axes.grid(axis="x", color="#dddddd", lw=0.6, zorder=0)
    axes.set_axisbelow(True)
    axes.spines[["left", "right", "top"]].set_visible(False)


def _draw_legend(figure: Figure, stages: list[str], height: float) -> None:
    colours = zip(stages, cycle(_STAGES), strict=False)
    handles = [Patch(fc=colour, ec="white", label=stage) for stage, colour in colours]
    handles += [Patch(fc=colour, label=name) for name, colour in _PARTS.values()]
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.005, 1 - 0.68 / height),
        ncols=8,
        fontsize=9,
        frameon=False,
        handlelength=1.4,
    )
