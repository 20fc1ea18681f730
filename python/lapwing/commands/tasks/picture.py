"""Pictures of task lists: maps of the owned box by stage, under the order of all tasks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle

from lapwing.base.atomic_file import save_png
from lapwing.commands.tasks.task_order import (
    ALL_SIDES,
    FIRST_PHASE,
    SECOND_PHASE,
    Done,
    Flight,
    TaskOrder,
)
from lapwing.commands.tasks.words import about_strategy
from lapwing.core._core import Box

Place = tuple[float, float]

# messages that travel while cells are computed
_COLOURS = {FIRST_PHASE: "#6aaed6", SECOND_PHASE: "#f5a65b", ALL_SIDES: "#74c476"}
_ALONE = "#dcd6c8"
_INK = "#2b2b2b"
_OWNED = "#1f3b57"
_THINNEST = (0.11, 0.16)  # least share of a map along x and y: rims are drawn wider than they are
_THIN_TASK = 0.3  # width of starts and arrivals in the strip, as a share of a computed box
_WIDTH = 15.0  # inches
_ROW = 2.75  # inches per strategy
_LETTER = 0.0037  # share of the strip
_MOST_NUMBERS = 60  # boxes of a step, beyond which numbers would cover the strip


def draw_task_orders(path: Path, plans: Sequence[TaskOrder], title: str) -> None:
    """Draw the task lists of one rank, a row per strategy, to a PNG file, complete or not at all.

    Local. Above: all tasks of the steady state from left to right, computed boxes with their
    numbers, and over them what travels. Below: the map of each stage, rims wider than they are.
    """
    figure = Figure(figsize=(_WIDTH, _ROW * len(plans) + 1.1))
    height = figure.get_figheight()
    figure.text(0.012, 1 - 0.30 / height, title, fontsize=15, fontweight="bold", va="center")
    _draw_legend(figure, height)
    for row, plan in enumerate(plans):
        _draw_row(figure, plan, 1 - (1.05 + _ROW * row) / height, height)
    save_png(figure, path, 120)


def _draw_legend(figure: Figure, height: float) -> None:
    patches: list[Patch | Line2D] = [
        Patch(fc=_COLOURS[FIRST_PHASE], ec=_INK, label="computed while W-E halos travel"),
        Patch(fc=_COLOURS[SECOND_PHASE], ec=_INK, label="while N-S halos travel"),
        Patch(fc=_COLOURS[ALL_SIDES], ec=_INK, label="while halos of all sides travel"),
        Patch(fc=_ALONE, ec=_INK, label="while nothing travels"),
        Line2D([], [], marker=">", color=_INK, lw=2.5, label="on the way; a gap below: waiting"),
        Line2D([], [], color=_OWNED, lw=2, ls="--", label="owned box (numbers: order)"),
    ]
    figure.legend(
        handles=patches,
        loc="upper left",
        bbox_to_anchor=(0.005, 1 - 0.45 / height),
        ncols=6,
        fontsize=9,
        frameon=False,
        handlelength=1.6,
        columnspacing=1.6,
    )


def _draw_row(figure: Figure, plan: TaskOrder, top: float, height: float) -> None:
    """One strategy: its name, the strip, and the maps. `top` as a share of the figure."""
    inch = 1 / height
    about = about_strategy(plan.strategy)
    if plan.strategy.startswith("dataflow"):
        about += "; drawn for slow messages"
    share = f"{100 * plan.hidden_share():.0f} % of the cells while something travels"
    figure.text(
        0.012, top - 0.12 * inch, plan.strategy, fontsize=13, fontweight="bold", va="center"
    )
    caption = max(0.105, 0.02 + 0.0088 * len(plan.strategy))  # behind the name
    figure.text(caption, top - 0.12 * inch, f"{about}  ({share})", fontsize=9.5, va="center")
    strip = figure.add_axes((0.012, top - 0.98 * inch, 0.976, 0.78 * inch))
    _draw_strip(strip, plan)
    _draw_maps(figure, plan, top - 2.52 * inch, 1.34 * inch)


# ---- the strip


def _slots(plan: TaskOrder) -> list[float]:
    """Left edge of every task in the strip, and the end; all lists are as long on paper."""
    widths = [1.0 if done.task.kind == "compute" else _THIN_TASK for done in plan.order]
    whole = [0.0] * plan.lists
    for done, width in zip(plan.order, widths, strict=True):
        whole[done.list] += width
    edges = [0.0]
    for done, width in zip(plan.order, widths, strict=True):
        edges.append(edges[-1] + width / whole[done.list] / plan.lists)
    return edges


def _draw_strip(axes: Axes, plan: TaskOrder) -> None:
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.axis("off")
    edges = _slots(plan)
    numbered = max(done.rank_of_box for done in plan.order) <= _MOST_NUMBERS
    for place, (done, (left, right)) in enumerate(zip(plan.order, pairwise(edges), strict=True)):
        if done.task.kind == "compute":
            number = str(done.rank_of_box) if numbered else ""
            _draw_box(axes, (left, 0), (right - left, 0.34), _colour(plan, place), number, 7)
        elif done.task.kind == "reduce":
            axes.add_patch(Rectangle((left, 0), right - left, 0.34, fc=_INK, ec=_INK))
    for place, (a, b) in enumerate(pairwise(plan.order)):
        if a.list != b.list:  # a line where a list ends
            axes.plot([edges[place + 1]] * 2, [-0.08, 0.42], color=_INK, lw=1.6, clip_on=False)
    _draw_flights(axes, plan, edges)


def _draw_flights(axes: Axes, plan: TaskOrder, edges: list[float]) -> None:
    """An arrow from the start of every phase to its arrival, above the tasks."""
    lanes: list[list[tuple[float, float, Flight]]] = []
    for flight in sorted(plan.flights, key=lambda flight: flight.begin):
        begin = 0.0 if flight.begin < 0 else 0.5 * (edges[flight.begin] + edges[flight.begin + 1])
        last = flight.end >= len(plan.order)
        end = 1.0 if last else 0.5 * (edges[flight.end] + edges[flight.end + 1])
        free = (lane for lane in lanes if lane[-1][1] <= begin + 1e-9)
        lane = next(free, None)
        if lane is None:
            lanes.append(lane := [])
        lane.append((begin, end, flight))
    for number, lane in enumerate(lanes):
        nexts = [begin for begin, _, _ in lane[1:]] + [1.0]
        for (begin, end, flight), room in zip(lane, nexts, strict=True):
            _draw_flight(axes, (begin, end, room), 0.47 + 0.24 * number, flight)


def _draw_flight(
    axes: Axes, places: tuple[float, float, float], height: float, flight: Flight
) -> None:
    """One arrow, and what travels as far as there is room for words."""
    begin, end, room = places
    axes.add_patch(
        FancyArrowPatch(
            (begin, height), (end, height), arrowstyle="-|>", mutation_scale=9, lw=2.6,
            color=0.72 * np.array(to_rgb(_COLOURS[flight.sides])), shrinkA=0, shrinkB=0,
            clip_on=False,
        )
    )  # fmt: skip
    for text in (f"{flight.fields}, {flight.sides}", flight.fields, flight.sides):
        if len(text) * _LETTER < room - begin:
            axes.text(begin + 0.002, height + 0.04, text, fontsize=7, va="bottom", color=_INK)
            return


def _colour(plan: TaskOrder, place: int) -> str:
    """The colour of the cells computed at a place: the colour of the message that arrives next."""
    travelling = plan.travelling(place)
    return _COLOURS[min(travelling, key=lambda f: f.end).sides] if travelling else _ALONE


def _draw_box(
    axes: Axes, corner: Place, size: Place, colour: str, number: str, letters: float
) -> None:
    """A computed box, and in it its number in letters of that size."""
    axes.add_patch(Rectangle(corner, *size, fc=colour, ec=_INK, lw=0.5))
    middle = (corner[0] + 0.5 * size[0], corner[1] + 0.5 * size[1])
    axes.text(*middle, number, fontsize=letters, ha="center", va="center")


# ---- the maps


def _draw_maps(figure: Figure, plan: TaskOrder, bottom: float, height: float) -> None:
    """One map per step and stage, in the order of the schedule."""
    maps = _maps(plan)
    most = max(sum(step == other for other, _, _ in maps) for step in range(plan.steps))
    width = 0.976 / plan.steps / most
    scales = [_scale(plan, axis) for axis in (0, 1)]
    for number, (step, stage, boxes) in enumerate(maps):
        column = step * most + sum(other == step for other, _, _ in maps[:number])
        axes = figure.add_axes((0.012 + column * width, bottom, width * 0.94, height))
        _draw_map(axes, plan, boxes, scales)
        steps = f"step {step}: " if plan.steps > 1 else ""
        axes.set_title(f"{steps}{stage}", fontsize=8, pad=2, loc="left")


def _maps(plan: TaskOrder) -> list[tuple[int, str, list[tuple[int, Done]]]]:
    """Step, stage and computed boxes with their places in the order, by schedule."""
    maps: dict[tuple[int, int], tuple[int, str, list[tuple[int, Done]]]] = {}
    for place, done in enumerate(plan.order):
        if done.task.kind == "compute":
            key = (done.list, done.task.entry)
            maps.setdefault(key, (done.step, done.task.subject, []))[2].append((place, done))
    return [maps[key] for key in sorted(maps)]


def _scale(plan: TaskOrder, axis: int) -> dict[int, float]:
    """The places where an axis is drawn, 0 to 1: pieces between cuts, thin ones widened."""
    boxes = [*plan.owned, *(d.task.box for d in plan.order if d.task.kind == "compute")]
    cuts = np.unique([(box.lo[axis], box.hi[axis]) for box in boxes])
    widths = np.maximum(np.diff(cuts) / (cuts[-1] - cuts[0]), _THINNEST[axis])
    places = np.cumsum([0.0, *widths / widths.sum()])
    return dict(zip(cuts.tolist(), places.tolist(), strict=True))


def _draw_map(
    axes: Axes, plan: TaskOrder, boxes: list[tuple[int, Done]], scales: list[dict[int, float]]
) -> None:
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.axis("off")
    for place, done in boxes:
        corner, size = _drawn(done.task.box, scales)
        thin = min(size)
        number = str(done.rank_of_box) if thin > 0.06 else ""  # else it would cover its neighbours
        _draw_box(axes, corner, size, _colour(plan, place), number, 6.5 if thin < 0.2 else 9)
    for box in plan.owned:
        corner, size = _drawn(box, scales)
        axes.add_patch(Rectangle(corner, *size, fc="none", ec=_OWNED, lw=1.6, ls="--"))


def _drawn(box: Box, scales: list[dict[int, float]]) -> tuple[Place, Place]:
    """Corner and size of a box in a map."""
    (left, low), (right, high) = (
        (scales[0][edge[0]], scales[1][edge[1]]) for edge in (box.lo, box.hi)
    )
    return (left, low), (right - left, high - low)
