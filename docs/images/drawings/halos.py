"""Halos and phases, from plans of a rank with neighbours on all sides."""

from __future__ import annotations

import lapwing
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from drawings.style import HALO, INK, OTHER, OWN, PALETTE, cells, grid_lines, owned

WIDTH = 2  # of the halo, cells
RANK = 4  # of 3 x 3, with neighbours on all sides


def nine_blocks() -> lapwing.Partition:
    """A periodic grid in 3 x 3 blocks."""
    return lapwing.block_partition(lapwing.Grid((24, 24), periodic=True), (3, 3))


def halo() -> Figure:
    """A box, its halo, and what a stage reads, from a plan of that stage."""
    partition = nine_blocks()
    extents = (
        ("around(2)", lapwing.Extent.horizontal(2)),
        ("cross(2)", lapwing.Extent.cross(2)),
        ('ahead("x")', lapwing.ahead("x")),
    )
    figure = Figure(figsize=(9.5, 3.4))
    for axes, (name, extent) in zip(figure.subplots(1, 3), extents, strict=True):
        _read_cells(axes, partition, name, extent)
    figure.text(0.5, 0.02, "yellow: halo cells that neighbours send, by halo_plan", ha="center")
    return figure


def _read_cells(axes: Axes, partition: lapwing.Partition, name: str, extent: object) -> None:
    own = owned(partition, RANK)
    around = own.grow(lapwing.Extent.horizontal(3))
    cells(axes, around, color=OTHER)
    plan = lapwing.halo_plan(partition, RANK, [lapwing.FieldSpec("h", extents=[extent])])
    received = [p for phase in plan.phases for m in phase.receives for p in m.pieces]
    for piece in received:
        cells(axes, piece.target_box, color=HALO)
    cells(axes, own, color=OWN)
    grid_lines(axes, around)
    axes.set_title(f"reads(f, {name})\n{sum(p.target_box.volume for p in received)} cells travel")
    axes.text(
        *[0.5 * (a + b) for a, b in zip(own.lo[:2], own.hi[:2], strict=True)],
        "owned:\ncomputed here",
        ha="center",
        va="center",
        color=INK,
    )


def phases() -> Figure:
    """What rank 4 receives, directly and in two phases."""
    partition = nine_blocks()
    spec = [lapwing.FieldSpec("h", extents=[lapwing.Extent.horizontal(WIDTH)])]
    columns = [("one phase", lapwing.halo_plan(partition, RANK, spec), 0)]
    ordered = lapwing.halo_plan(partition, RANK, spec, ordered=True)
    columns += [
        (f"two phases, the {word}", ordered, n) for n, word in enumerate(("first", "second"))
    ]
    figure = Figure(figsize=(9.5, 3.6))
    for axes, (title, plan, number) in zip(figure.subplots(1, 3), columns, strict=True):
        _received(axes, owned(partition, RANK), plan, number)
        axes.set_title(f"{title}\n{len(plan.phases[number].receives)} messages")
    words = "a colour per message that the middle rank receives; grey: came in the first phase"
    figure.text(0.5, 0.02, words, ha="center")
    return figure


def _received(axes: Axes, own: lapwing.Box, plan: lapwing.MessagePlan, number: int) -> None:
    """The messages of a phase in colours, those of earlier phases in grey."""
    around = own.grow(lapwing.Extent.horizontal(WIDTH + 1))
    cells(axes, around, color=OTHER)
    for phase in plan.phases[:number]:
        for message in phase.receives:
            for piece in message.pieces:
                cells(axes, piece.target_box, color="#cfd8dc")
    for colour, message in zip(PALETTE, plan.phases[number].receives, strict=False):
        for piece in message.pieces:
            cells(axes, piece.target_box, color=colour)
    cells(axes, own, color=OWN)
    grid_lines(axes, around)


DRAWINGS = {"halo": halo, "phases": phases}
