"""Pictures of timelines: a bar per rank, strategies below each other on one time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lapwing.base.atomic_file import save_png
from matplotlib.axes import Axes
from matplotlib.colors import hsv_to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.transforms import blended_transform_factory

from lapwing_lab.timeline.timeline import Event, Timeline

_FEW_STAGES = (
    "#8db7dd",
    "#f6c177",
    "#9fd39b",
    "#d9b8e6",
    "#c9b79c",
    "#8fd3d1",
    "#e9a8b4",
    "#c5d86d",
)
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
_MOST_EDGES = 200  # events of a rank, beyond which white edges would cover them
_LETTER, _MARK, _LINE = 0.078, 0.5, 0.2  # inches of the legend
_TITLES = 0.85  # inches above it
_TITLE_LETTER, _RIGHT = (
    0.0082,
    0.985,
)  # of the width: a letter of a strategy's name; the end of bars
_GOLDEN = 0.381966  # of the circle of hues: neighbours in a long list differ most


def draw_timelines(path: Path, timelines: Sequence[Timeline], title: str) -> None:
    """Draw timelines to a PNG file, complete or not at all. Local.

    Every rank has a bar in every strategy; computing is coloured by stage, what is white is spent
    in looking for messages and between tasks.
    """
    ranks = len(timelines[0].ranks)
    rows = len(timelines) * (ranks + _GAP)
    slot = 0.27 if ranks <= _MOST_NAMES else 2.5 / ranks
    events = [event for timeline in timelines for rank in timeline.ranks for event in rank]
    colours = _colours([event.subject for event in events if event.kind == "compute"])
    entries, longest = len(colours) + len(_PARTS), max(map(len, colours), default=0)
    columns = max(1, int(_WIDTH / (_MARK + _LETTER * max(longest, len("pack and post")))))
    lines = -(-entries // columns)
    figure = Figure(figsize=(_WIDTH, slot * rows + 1.4 + _LINE * lines))
    height = figure.get_figheight()
    below, above = 0.55 / height, (_TITLES + _LINE * lines) / height
    left = max(0.14, 0.06 + _TITLE_LETTER * max(len(one.title) for one in timelines))
    axes = figure.add_axes((left, below, _RIGHT - left, 1 - below - above))
    for number, timeline in enumerate(timelines):
        _draw_timeline(axes, timeline, number * (ranks + _GAP), colours)
    _finish_axes(axes, timelines, rows)
    figure.text(0.012, 1 - 0.28 / height, title, fontsize=14, fontweight="bold", va="center")
    about = "one bar per rank; all ranks and strategies on one clock, the quickest of many rounds"
    figure.text(0.012, 1 - 0.55 / height, about, fontsize=9.5, color="#444444", va="center")
    _draw_legend(figure, colours, columns)
    save_png(figure, path, 120)


def _colours(computed: Sequence[str]) -> dict[str, Any]:
    """A colour for each stage, in the order in which they are computed first."""
    stages = list(dict.fromkeys(computed))
    if len(stages) <= len(_FEW_STAGES):
        return dict(zip(stages, _FEW_STAGES, strict=False))
    return {
        stage: tuple(hsv_to_rgb((n * _GOLDEN % 1, 0.3 + 0.15 * (n % 3), 0.88)))
        for n, stage in enumerate(stages)
    }


def _draw_timeline(axes: Axes, timeline: Timeline, top: float, stages: Mapping[str, Any]) -> None:
    ranks = len(timeline.ranks)
    for rank, events in enumerate(timeline.ranks):
        _draw_rank(axes, events, top + rank, stages)
        if ranks <= _MOST_NAMES:
            axes.text(
                -0.004, top + rank + 0.5 * _BAR, f"rank {rank}", fontsize=7.5, ha="right",
                va="center", transform=axes.get_yaxis_transform(), color="#444444",
            )  # fmt: skip
    axes.text(
        0.005, top + 0.5 * (ranks - 1) + 0.5 * _BAR, timeline.title, fontsize=11, ha="left",
        va="center", fontweight="bold",
        transform=blended_transform_factory(axes.figure.transFigure, axes.transData),
    )  # fmt: skip
    end = 1e6 * timeline.span
    axes.plot([end, end], [top - 0.1, top + ranks - 1 + _BAR + 0.1], color=_INK, lw=1.2)
    axes.text(end, top + 0.5 * (ranks - 1) + 0.5 * _BAR, f" {end:,.0f} us", fontsize=9, va="center")


def _draw_rank(axes: Axes, events: Sequence[Event], top: float, stages: Mapping[str, Any]) -> None:
    edge = 0.3 if len(events) <= _MOST_EDGES else 0.0
    for computing in (True, False):
        drawn = [event for event in events if (event.kind == "compute") == computing]
        colours = [stages[e.subject] if computing else _PARTS[e.kind][1] for e in drawn]
        axes.broken_barh(
            [(1e6 * event.begin, 1e6 * (event.end - event.begin)) for event in drawn],
            (top, _BAR),
            facecolors=colours,
            edgecolors="white" if computing else colours,
            linewidth=edge if computing else 0.4,
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


def _draw_legend(figure: Figure, stages: Mapping[str, Any], columns: int) -> None:
    handles = [Patch(fc=colour, ec="white", label=stage) for stage, colour in stages.items()]
    handles += [Patch(fc=colour, label=name) for name, colour in _PARTS.values()]
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.005, 1 - 0.68 / figure.get_figheight()),
        ncols=columns,
        fontsize=9,
        frameon=False,
        handlelength=1.4,
    )
