"""Pictures of the guides, from lapwing's own plans: `python docs/images/make_drawings.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import lapwing
import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INK, OWN, HALO, OTHER = "#263238", "#90caf9", "#ffe082", "#eceff1"
PALETTE = ("#ef9a9a", "#ffcc80", "#fff59d", "#a5d6a7", "#80cbc4", "#81d4fa", "#b39ddb", "#f48fb1")
WIDTH = 2  # of the halo, cells
RANK = 4  # of 3 x 3, with neighbours on all sides

mpl.rcParams.update({"font.size": 9, "svg.hashsalt": "lapwing"})


def save(figure: Figure, name: str) -> None:
    """Write a picture that is the same whenever it is drawn."""
    figure.savefig(HERE / name, dpi=110, bbox_inches="tight", metadata={"Software": None})


def cells(axes: Axes, box: lapwing.Box, **style: object) -> None:
    """Fill the cells of a box."""
    (x, y), (nx, ny) = box.lo[:2], box.shape[:2]
    axes.add_patch(Rectangle((x, y), nx, ny, **style))


def grid_lines(axes: Axes, box: lapwing.Box) -> None:
    """Thin lines between cells, and nothing else around."""
    (x0, y0), (x1, y1) = box.lo[:2], box.hi[:2]
    axes.hlines(range(y0, y1 + 1), x0, x1, color="white", linewidth=0.6, zorder=2)
    axes.vlines(range(x0, x1 + 1), y0, y1, color="white", linewidth=0.6, zorder=2)
    axes.set_xlim(x0 - 0.3, x1 + 0.3)
    axes.set_ylim(y0 - 0.3, y1 + 0.3)
    axes.set_aspect("equal")
    axes.axis("off")


def nine_blocks() -> lapwing.Partition:
    """A periodic grid in 3 x 3 blocks."""
    return lapwing.block_partition(lapwing.Grid((24, 24), periodic=True), (3, 3))


def owned(partition: lapwing.Partition, rank: int) -> lapwing.Box:
    """The box of a rank that owns one."""
    return next(s.box for s in partition.subdomains if s.rank == rank)


def draw_halo() -> None:
    """A box, its halo, and what a stage reads, from a plan of that stage."""
    partition = nine_blocks()
    own = owned(partition, RANK)
    extents = (
        ("around(2)", lapwing.Extent.horizontal(2)),
        ("cross(2)", lapwing.Extent.cross(2)),
        ('ahead("x")', lapwing.ahead("x")),
    )
    figure = Figure(figsize=(9.5, 3.4))
    for axes, (name, extent) in zip(figure.subplots(1, 3), extents, strict=True):
        cells(axes, own.grow(lapwing.Extent.horizontal(3)), color=OTHER)
        plan = lapwing.halo_plan(partition, RANK, [lapwing.FieldSpec("h", extents=[extent])])
        received = [p for phase in plan.phases for m in phase.receives for p in m.pieces]
        for piece in received:
            cells(axes, piece.target_box, color=HALO)
        cells(axes, own, color=OWN)
        grid_lines(axes, own.grow(lapwing.Extent.horizontal(3)))
        axes.set_title(
            f"reads(f, {name})\n{sum(p.target_box.volume for p in received)} cells travel"
        )
        axes.text(
            *[0.5 * (a + b) for a, b in zip(own.lo[:2], own.hi[:2], strict=True)],
            "owned:\ncomputed here",
            ha="center",
            va="center",
            color=INK,
        )
    figure.text(0.5, 0.02, "yellow: halo cells that neighbours send, by halo_plan", ha="center")
    save(figure, "halo.png")


def draw_phases() -> None:
    """What rank 4 receives, directly and in two phases."""
    partition = nine_blocks()
    own = owned(partition, RANK)
    spec = [lapwing.FieldSpec("h", extents=[lapwing.Extent.horizontal(WIDTH)])]
    columns = [("one phase", lapwing.halo_plan(partition, RANK, spec), 0)]
    ordered = lapwing.halo_plan(partition, RANK, spec, ordered=True)
    columns += [
        (f"two phases, the {word}", ordered, n) for n, word in enumerate(("first", "second"))
    ]
    figure = Figure(figsize=(9.5, 3.6))
    for axes, (title, plan, number) in zip(figure.subplots(1, 3), columns, strict=True):
        around = own.grow(lapwing.Extent.horizontal(WIDTH + 1))
        cells(axes, around, color=OTHER)
        for phase in plan.phases[:number]:
            for message in phase.receives:
                for piece in message.pieces:
                    cells(axes, piece.target_box, color="#cfd8dc")
        receives = plan.phases[number].receives
        for colour, message in zip(PALETTE, receives, strict=False):
            for piece in message.pieces:
                cells(axes, piece.target_box, color=colour)
        cells(axes, own, color=OWN)
        grid_lines(axes, around)
        axes.set_title(f"{title}\n{len(receives)} messages")
    figure.text(
        0.5,
        0.02,
        "a colour per message that the middle rank receives; grey: came in the first phase",
        ha="center",
    )
    save(figure, "phases.png")


def draw_transpose() -> None:
    """Who owns what in the three distributions, seen along one axis each."""
    twod = lapwing.twod_partition(lapwing.block_partition(lapwing.Grid((16, 12)), (2, 2)), levels=8)
    fft = lapwing.fft_partition(twod)
    views = (
        ("TWOD: blocks, all levels", twod, 0, 1, "x", "y"),
        ("FFT: whole rows of x", fft, 0, 2, "x", "level"),
        ("TRI: whole columns of y", lapwing.tri_partition(twod), 0, 2, "x", "level"),
    )
    figure = Figure(figsize=(9.5, 3.2))
    for axes, (title, partition, a, b, xlabel, ylabel) in zip(
        figure.subplots(1, 3), views, strict=True
    ):
        groups: dict[tuple[int, ...], list[int]] = {}
        for part in partition.subdomains:
            lo, hi = part.box.lo, part.box.hi
            groups.setdefault((lo[a], lo[b], hi[a], hi[b]), []).append(part.rank)
        for (x0, y0, x1, y1), ranks in groups.items():
            axes.add_patch(
                Rectangle(
                    (x0, y0),
                    x1 - x0,
                    y1 - y0,
                    facecolor=PALETTE[2 * ranks[0]],
                    edgecolor="white",
                    linewidth=2,
                )
            )
            text = (
                f"rank {ranks[0]}"
                if len(ranks) == 1
                else f"ranks {', '.join(map(str, ranks))}\n(one after the other along y)"
            )
            axes.text((x0 + x1) / 2, (y0 + y1) / 2, text, ha="center", va="center")
        axes.set_xlim(0, max(g[2] for g in groups))
        axes.set_ylim(0, max(g[3] for g in groups))
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
    figure.tight_layout()
    save(figure, "transpose.png")


BLUE, SAND, GREEN, GREY = "#e3f2fd", "#fff3e0", "#e8f5e9", "#eceff1"


class Flow(NamedTuple):
    """Boxes at places of a unit grid, with a title and a line of text, and arrows between them."""

    size: tuple[float, float]  # inches
    boxes: dict[str, tuple[float, float, str, str]]
    arrows: list[tuple[str, str]]


# The diagrams for colleagues who change lapwing.
FLOWS = {
    "house.png": Flow(
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
    "transport.png": Flow(
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
    "model.png": Flow(
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
    "strategy.png": Flow(
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


def draw_flow(name: str, flow: Flow) -> None:
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
    save(figure, name)


def draw_layers() -> None:
    """The layers of C++, as the table in CONTRIBUTING.md lists them."""
    table = re.search(
        r"^\| C\+\+ \|.*\n\|[-|]+\n((?:\|.*\n)+)", (ROOT / "CONTRIBUTING.md").read_text(), re.M
    )
    rows = (
        [[cell.strip() for cell in line.split("|")[1:-1]] for line in table[1].splitlines()]
        if table
        else []
    )
    figure = Figure(figsize=(9.5, 0.42 * len(rows)))
    axes = figure.add_axes((0, 0, 1, 1))
    for height, (layer, _, knows) in enumerate(rows):
        pure = height < [r[0] for r in rows].index("`memory`")
        axes.add_patch(
            Rectangle(
                (0, height),
                10,
                0.9,
                facecolor="#e3f2fd" if pure else "#fff3e0",
                edgecolor=INK,
                linewidth=0.6,
            )
        )
        axes.text(0.1, height + 0.45, layer.strip("`"), va="center", weight="bold", color=INK)
        axes.text(1.5, height + 0.45, knows, va="center", color=INK, fontsize=8.5)
    axes.text(10.1, 2.5, "arithmetic:\nno memory,\nno MPI", va="center", color="#1565c0")
    axes.text(10.1, 8.0, "memory,\nMPI and\nmachines", va="center", color="#e65100")
    axes.set_xlim(0, 11.6)
    axes.set_ylim(-0.1, len(rows))
    axes.axis("off")
    save(figure, "layers.png")


if __name__ == "__main__":
    draw_halo()
    draw_phases()
    draw_transpose()
    draw_layers()
    for picture, boxes_and_arrows in FLOWS.items():
        draw_flow(picture, boxes_and_arrows)
