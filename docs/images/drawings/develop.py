"""Diagrams for colleagues who change lapwing: what its parts are, and in which layers."""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from drawings.style import BLUE, GREEN, GREY, INK, ROOT, SAND


class Flow(NamedTuple):
    """Boxes at places of a unit grid, with a title and a line of text, and arrows between them."""

    size: tuple[float, float]  # inches
    boxes: dict[str, tuple[float, float, str, str]]
    arrows: list[tuple[str, str]]


FLOWS = {
    "house": Flow(
        (9.5, 3.2),
        {
            "Grid, mask": (0, 1.1, "cells, water", BLUE),
            "Partition": (1, 1.1, "who owns which box", BLUE),
            "Message plan": (2, 1.1, "which box to whom", BLUE),
            "Transport": (3, 1.1, "moves the bytes", SAND),
            "Stages": (0, 0, "what loops read, write", BLUE),
            "Strategy": (1, 0, "schedule, zones, order", BLUE),
            "Task list": (2, 0, "boxes to compute", BLUE),
            "Step": (3, 0, "runs the tasks", SAND),
            "Pictures, tests": (2, 2.2, "read the same plan", GREEN),
            "Simulator": (3, 2.2, "runs it in other time", GREEN),
        },
        [
            ("Grid, mask", "Partition"),
            ("Partition", "Message plan"),
            ("Message plan", "Transport"),
            ("Stages", "Strategy"),
            ("Strategy", "Task list"),
            ("Task list", "Step"),
            ("Transport", "Step"),
            ("Message plan", "Pictures, tests"),
            ("Transport", "Simulator"),
        ],
    ),
    "transport": Flow(
        (9.5, 2.2),
        {
            "Plan": (0, 0.55, "phases, messages", BLUE),
            "Exchange": (1, 0.55, "phase after phase", SAND),
            "Leg: phase 1": (2, 1.1, "W and E neighbours", SAND),
            "Leg: phase 2": (2, 0, "N and S neighbours", SAND),
            "connect, start": (3, 1.1, "collective once; pack, post", GREEN),
            "poll, deliver, sent": (3, 0, "arrivals, in any order", GREEN),
        },
        [
            ("Plan", "Exchange"),
            ("Exchange", "Leg: phase 1"),
            ("Exchange", "Leg: phase 2"),
            ("Leg: phase 1", "connect, start"),
            ("Leg: phase 2", "poll, deliver, sent"),
        ],
    ),
    "model": Flow(
        (9.5, 2.2),
        {
            "Settings": (0, 1.1, "dataclasses, units", GREEN),
            "Kernels": (0, 0, "loops over a box", GREEN),
            "Stages": (1, 0, "reads, writes", GREEN),
            "Model": (1, 1.1, "geometry, run, pictures", GREEN),
            "Step": (2, 0, "halos, order, checks", BLUE),
            "Driver": (2, 1.1, "cases, files, restart", BLUE),
            "lapwing run,": (3, 1.1, "verify, census, plan ...", GREY),
            "any ranks": (3, 0, "the same bits", GREY),
        },
        [
            ("Settings", "Model"),
            ("Kernels", "Stages"),
            ("Stages", "Step"),
            ("Model", "Driver"),
            ("Driver", "lapwing run,"),
            ("Step", "any ranks"),
            ("Driver", "Step"),
        ],
    ),
    "strategy": Flow(
        (9.5, 1.3),
        {
            "1. Schedule": (0, 0, "which exchange, when", BLUE),
            "2. Zones": (1, 0, "where boxes are cut", BLUE),
            "3. Dependences": (2, 0, "what waits for what", BLUE),
            "4. Order": (3, 0, "the task list", BLUE),
        },
        [
            ("1. Schedule", "2. Zones"),
            ("2. Zones", "3. Dependences"),
            ("3. Dependences", "4. Order"),
        ],
    ),
}


WIDE, HIGH, APART = 1.7, 0.72, 2.2  # a box, and from one to the next


def draw_box(axes: Axes, place: tuple[float, float], title: str, text: str, colour: str) -> None:
    """A box with a title and a line of text."""
    x, y = place
    style = {"boxstyle": "round,pad=0.04", "edgecolor": INK, "linewidth": 0.8}
    axes.add_patch(FancyBboxPatch((x * APART, y), WIDE, HIGH, facecolor=colour, **style))
    middle = x * APART + WIDE / 2
    centred = {"ha": "center", "va": "center", "color": INK}
    axes.text(middle, y + HIGH * 0.68, title, weight="bold", **centred)
    axes.text(middle, y + HIGH * 0.27, text, fontsize=7.5, **centred)


def draw_arrow(axes: Axes, first: tuple[float, float], second: tuple[float, float]) -> None:
    """From side to side of two boxes, or from one row to another."""
    (x0, y0), (x1, y1) = first, second
    if x1 > x0:
        ends = ((x0 * APART + WIDE + 0.05, y0 + HIGH / 2), (x1 * APART - 0.05, y1 + HIGH / 2))
    else:
        out, into = (HIGH + 0.05, -0.05) if y1 > y0 else (-0.05, HIGH + 0.05)
        ends = ((x0 * APART + WIDE / 2, y0 + out), (x1 * APART + WIDE / 2, y1 + into))
    axes.add_patch(
        FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=12, color=INK, linewidth=1)
    )


def draw_flow(flow: Flow) -> Figure:
    """Boxes and the arrows between them."""
    figure = Figure(figsize=flow.size)
    axes = figure.add_axes((0, 0, 1, 1))
    for title, (x, y, text, colour) in flow.boxes.items():
        draw_box(axes, (x, y), title, text, colour)
    for first, second in flow.arrows:
        draw_arrow(axes, flow.boxes[first][:2], flow.boxes[second][:2])
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.axis("off")
    return figure


def layers() -> Figure:
    """The layers of C++, as the table in CONTRIBUTING.md lists them."""
    table = re.search(
        r"^\| C\+\+ \|.*\n\|[-|]+\n((?:\|.*\n)+)", (ROOT / "CONTRIBUTING.md").read_text(), re.M
    )
    lines = table[1].splitlines() if table else []
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    memory = [row[0] for row in rows].index("`memory`")
    figure = Figure(figsize=(9.5, 0.42 * len(rows)))
    axes = figure.add_axes((0, 0, 1, 1))
    for height, (layer, _, knows) in enumerate(rows):
        look = {"edgecolor": INK, "linewidth": 0.6}
        axes.add_patch(
            Rectangle((0, height), 10, 0.9, facecolor=BLUE if height < memory else SAND, **look)
        )
        axes.text(0.1, height + 0.45, layer.strip("`"), va="center", weight="bold", color=INK)
        axes.text(1.5, height + 0.45, knows, va="center", color=INK, fontsize=8.5)
    axes.text(10.1, 2.5, "arithmetic:\nno memory,\nno MPI", va="center", color="#1565c0")
    axes.text(10.1, 8.0, "memory,\nMPI and\nmachines", va="center", color="#e65100")
    axes.set_xlim(0, 11.6)
    axes.set_ylim(-0.1, len(rows))
    axes.axis("off")
    return figure


DRAWINGS = {"layers": layers, **{name: partial(draw_flow, flow) for name, flow in FLOWS.items()}}
