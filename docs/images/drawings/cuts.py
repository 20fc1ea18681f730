"""Who owns which cells: ranks on nodes, blocks without water, ghost cells of patches and blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import lapwing
import numpy as np
from lapwing.core.partition import Mask, Partition, with_node_order
from lapwing.io.mask_file import read_mask
from lapwing.partition.layouts import block_edges, check_layout, read_layout, write_layout
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from drawings.style import (
    HALO,
    INK,
    LAND,
    OTHER,
    OWN,
    PALETTE,
    ROOT,
    WIDE,
    cells,
    key,
    lines_between,
    middle,
    outline,
    owned,
    write,
)

# ---- cluster: 24 ranks on 4 nodes

PER_NODE = 6


def cluster() -> Figure:
    """The ranks of each node, row by row and in node order, and the bytes of one exchange."""
    rows = lapwing.block_partition(lapwing.Grid((360, 240)), (6, 4))
    views = (("row by row", rows), ("in node order", with_node_order(rows, PER_NODE)))
    figure = Figure(figsize=(WIDE, 2.9))
    for axes, (title, partition) in zip(figure.subplots(1, 2), views, strict=True):
        for part in partition.subdomains:
            colour = PALETTE[2 * (part.rank // PER_NODE)]
            cells(axes, part.box, facecolor=colour, edgecolor="white", linewidth=1.5)
            write(axes, middle(part.box), str(part.rank))
        within, between = _bytes_by_link(partition)
        axes.set_title(f"{title}\n{between / 1e3:.0f} kB between nodes, {within / 1e3:.0f} within")
        axes.set(xlim=(0, 360), ylim=(0, 240), aspect="equal")
        axes.axis("off")
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    nodes = [(PALETTE[2 * n], f"node {n}") for n in range(4)]
    place = {"bbox_to_anchor": (-0.05, -0.05), "loc": "upper center", "ncols": 4}
    key(axes, nodes, **place, columnspacing=1.2)
    return figure


def _bytes_by_link(partition: Partition) -> tuple[int, int]:
    """Bytes of a halo of two cells that stay within nodes, and that travel between them."""
    spec = lapwing.FieldSpec("heat", extents=[lapwing.around(2)])
    found = [0, 0]
    for rank in range(partition.ranks):
        plan = lapwing.halo_plan(partition, rank, [spec])
        for message in (m for phase in plan.phases for m in phase.sends):
            found[message.peer // PER_NODE != rank // PER_NODE] += plan.bytes(message)
    return found[0], found[1]


# ---- layouts: blocks of the North Sea that get no process

BLOCKS = (12, 10)
COARSER = 5  # source cells along an axis of a cell of the picture
Blocks = list[tuple[lapwing.Box, bool]]  # and whether it is dropped


def layouts() -> Figure:
    """Blocks that MOM6, MITgcm and NEMO, and lapwing itself, leave out on one mask."""
    wet = north_sea()
    views: tuple[tuple[str, Callable[[], Blocks]], ...] = (
        ("MOM6, halo 2", lambda: of_model("mom6", wet)),
        ("MITgcm", lambda: of_model("mitgcm", wet)),
        ("NEMO", lambda: of_model("nemo", wet)),
        ("lapwing", lambda: of_lapwing(wet)),
    )
    figure = Figure(figsize=(WIDE, 6.0))
    for axes, (title, found) in zip(figure.subplots(2, 2).flat, views, strict=True):
        blocks = found()
        kept = _sea(axes, wet, blocks)
        dropped = sum(drop for _, drop in blocks)
        axes.set_title(f"{title}\n{dropped} dry blocks dropped, {kept} kept")
    figure.tight_layout(h_pad=1.2, rect=(0, 0.05, 1, 1))
    meaning = [(OWN, "sea"), (LAND, "land"), (INK, "dropped"), (HALO, "dry, but kept")]
    key(axes, meaning, bbox_to_anchor=(-0.05, -0.02), loc="upper center", ncols=4)
    return figure


def north_sea() -> np.ndarray:
    """The mask of the case `northsea` with larger cells: wet where more than half of it is."""
    file = ROOT / "models/coast/lapwing_coast/cases/northsea_mask.nc"
    wet = np.asarray(read_mask(file).wet, dtype=float)[: BLOCKS[0] * 30, : BLOCKS[1] * 30]
    shape = (wet.shape[0] // COARSER, COARSER, wet.shape[1] // COARSER, COARSER)
    return wet.reshape(shape).mean(axis=(1, 3)) > 0.5


def of_model(kind: str, wet: np.ndarray) -> Blocks:
    """The blocks of a layout file that lapwing writes, reads back and checks."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "layout"
        write_layout(kind, wet, BLOCKS, file, halo=2)
        layout = read_layout(kind, file)
    check_layout(layout, wet)
    x, y = (block_edges(kind, *pair, 2) for pair in zip(wet.shape, BLOCKS, strict=True))
    return [
        (lapwing.Box((x[i], y[j], 0), (x[i + 1], y[j + 1], 1)), (i, j) in set(layout.dropped))
        for j in range(BLOCKS[1])
        for i in range(BLOCKS[0])
    ]


def of_lapwing(wet: np.ndarray) -> Blocks:
    """The same blocks, of which lapwing drops what is dry."""
    partition = lapwing.block_partition(lapwing.Grid(wet.shape), BLOCKS)
    mask = Mask(wet)
    return [(part.box, mask.count(part.box) == 0) for part in partition.subdomains]


def _sea(axes: Axes, wet: np.ndarray, blocks: Blocks) -> int:
    """Draw the blocks; returns how many are kept although they are dry."""
    mask = Mask(wet)
    kept = [box for box, drop in blocks if not drop and mask.count(box) == 0]
    colours = np.where(wet.T[..., None], to_rgb(OWN), to_rgb(LAND))
    axes.imshow(colours, origin="lower", extent=(0, wet.shape[0], 0, wet.shape[1]))
    for box, dropped in blocks:
        fill = INK if dropped else HALO if box in kept else "none"
        cells(axes, box, facecolor=fill, edgecolor="white", linewidth=0.7)
    axes.axis("off")
    return len(kept)


# ---- pyclaw: where the ghost cells of a rank come from

GHOSTS = 2  # num_ghost of PyClaw's classic solvers


def pyclaw() -> Figure:
    """The ghost cells of rank 0 of 4: from neighbours, or from boundary conditions."""
    partition = lapwing.block_partition(lapwing.Grid((20, 12)), (2, 2))
    patch, own = partition.grid.box, owned(partition, 0)
    figure = Figure(figsize=(WIDE, 3.9))
    axes = figure.add_axes((0, 0, 1, 1))
    for part in partition.subdomains:
        cells(axes, part.box, color=OTHER)
    around = own.grow(lapwing.around(GHOSTS))
    cells(axes, around, facecolor="white", edgecolor="#90a4ae", hatch="////", linewidth=0)
    for peer, box in _ghosts(partition, 0):
        cells(axes, box, color=PALETTE[2 * peer])
    cells(axes, own, color=OWN)
    lines_between(axes, patch)
    lines_between(axes, own)
    outline(axes, around)
    outline(axes, patch, "#90a4ae", 1.0)
    _names(axes, partition)
    axes.set(xlim=(-2.3, 20.3), ylim=(-2.3, 12.3), aspect="equal")
    axes.axis("off")
    return figure


def _ghosts(
    partition: Partition, rank: int, frame: bool = False
) -> Iterator[tuple[int, lapwing.Box]]:
    """What a rank receives by the plan of the adapter's exchange: the rank that sends, the box."""
    spec = lapwing.FieldSpec("patch", extents=[lapwing.around(GHOSTS)], frame=frame)
    for phase in lapwing.halo_plan(partition, rank, [spec]).phases:
        for message in phase.receives:
            for piece in message.pieces:
                yield message.peer, piece.target_box


def _names(axes: Axes, partition: Partition) -> None:
    for part in partition.subdomains[1:]:
        x, y = middle(part.box)
        write(axes, (x + (part.box.lo[0] > 0), y + (part.box.lo[1] > 0)), f"rank {part.rank}")
    own = owned(partition, 0)
    words = "rank 0: state.q\n(framed: with ghost cells)"
    look = {"boxstyle": "round,pad=0.25", "facecolor": OWN, "edgecolor": "none"}
    write(axes, middle(own), words, bbox=look)
    ghosts = [(PALETTE[2 * peer], f"from rank {peer}") for peer in (1, 2, 3)]
    hatched = Rectangle((0, 0), 1, 1, facecolor="white", edgecolor="#90a4ae", hatch="////")
    handles = [Rectangle((0, 0), 1, 1, color=colour, label=label) for colour, label in ghosts]
    hatched.set_label("by boundary conditions")
    place = {"bbox_to_anchor": (0.5, 0.0), "loc": "upper center", "ncols": 4}
    axes.legend(handles=[*handles, hatched], frameon=False, handlelength=1.2, **place)


# ---- veros: what an exchange of arrays with a frame brings


def veros() -> Figure:
    """The ghost cells of rank 1 of 3: from neighbours, or the model's own beyond a closed side."""
    partition = lapwing.block_partition(lapwing.Grid((22, 7), (True, False)), (3, 1))
    grid, own = partition.grid.box, owned(partition, 1)
    figure = Figure(figsize=(WIDE, 3.4))
    axes = figure.add_axes((0, 0, 1, 1))
    for part in partition.subdomains:
        cells(axes, part.box, color=OTHER)
        x, y = middle(part.box)
        write(axes, (x + part.rank - 1, y), f"rank {part.rank}:\n{part.box.shape[0]} columns")
    cells(axes, own.grow(lapwing.around(GHOSTS)), color=HALO)
    for peer, box in _ghosts(partition, 1, frame=True):
        cells(axes, box, color=PALETTE[4 + peer])
    cells(axes, own, color=OWN)
    lines_between(axes, grid)
    outline(axes, own.grow(lapwing.around(GHOSTS)))
    outline(axes, grid, "#90a4ae", 1.0)
    axes.set(xlim=(-0.3, 22.3), ylim=(-2.3, 9.3), aspect="equal")
    axes.axis("off")
    meaning = [(PALETTE[4 + peer], f"from rank {peer}") for peer in (0, 2)]
    place = {"bbox_to_anchor": (0.5, 0.0), "loc": "upper center", "ncols": 3}
    key(axes, [*meaning, (HALO, "beyond a closed side: its own")], **place)
    return figure


DRAWINGS = {
    "guide/cluster": cluster,
    "guide/layouts": layouts,
    "guide/pyclaw": pyclaw,
    "guide/veros": veros,
}
