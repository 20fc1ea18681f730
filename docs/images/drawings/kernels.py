"""What kernels see: their arrays, the bounds of their loops, and what the checker says of reads."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import lapwing
import numpy as np
from lapwing.core.mpi_runtime import start as start_mpi
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from drawings.halos import RANK
from drawings.style import (
    DARK,
    HALO,
    INK,
    OTHER,
    OWN,
    ROOT,
    WIDE,
    WRONG,
    cell_ticks,
    cells,
    key,
    lines_between,
    middle,
    outline,
    owned,
    write,
)


def alone(size: tuple[int, int]) -> lapwing.Domain:
    """A grid on this process alone, whoever started it."""
    return lapwing.Domain(size, start_mpi().COMM_SELF, periodic=True)


# ---- checking: what a stage reads beyond its declaration

WHERE = lapwing.Box((2, 2, 0), (7, 5, 1))  # the cells of the stage


def checking() -> Figure:
    """The cells that a stage declares to read, and those that the checker names."""
    report = _report()
    declared, named = lapwing.ahead("x"), _extent_in(report)
    figure = Figure(figsize=(WIDE, 3.6))
    axes = figure.add_axes((0.07, 0.16, 0.52, 0.82))
    around = WHERE.grow(lapwing.around(2))
    cells(axes, around, color=OTHER)
    for extent, colour in ((named, WRONG), (declared, HALO)):
        for box in extent.boxes(WHERE):
            cells(axes, box, color=colour)
    cells(axes, WHERE, color=OWN)
    lines_between(axes, around)
    outline(axes, WHERE)
    cell_ticks(axes, around)
    axes.set(xlim=(0, 9), ylim=(0, 7), aspect="equal", xlabel="i, cells", ylabel="j, cells")
    colours = [
        (OWN, "the stage's cells"),
        (HALO, "it declares to read"),
        (WRONG, "it reads as well"),
    ]
    key(axes, colours, bbox_to_anchor=(1.0, 1.04), loc="upper left")
    said = textwrap.fill("lapwing says: " + report, 30)
    figure.text(0.625, 0.66, said, fontsize=9.5, color=INK, va="top")
    return figure


def _report() -> str:
    """What `check` says of a stage that reads `heat` along y without a word of it."""
    domain = alone((9, 7))
    heat, new = (domain.field(name, halo=1) for name in ("heat", "new"))
    heat.set(lambda i, j: np.exp(-0.1 * ((i - 4) ** 2 + (j - 3) ** 2)))

    def spread(box: lapwing.Box, east: Any, out: Any) -> None:
        out[...] = east.at(x=1) + heat[box.shift(0, 1)]

    stage = lapwing.Stage(spread, [(heat, lapwing.ahead("x"))], [new], on=WHERE)
    step = lapwing.Step(domain, [stage], strategy="blocking")
    step.check()
    try:
        step.run(1)
    except lapwing.UserError as problem:
        return str(problem).partition("stage spread: ")[2]
    raise AssertionError("the check found nothing")


def _extent_in(report: str) -> lapwing.Extent:
    """The extent that a report names, among those of one cell."""
    found = []
    for west, east, south, north in itertools.product((0, 1), repeat=4):
        for corners in (False, True):
            extent = lapwing.Extent((west, south, 0), (east, north, 0), corners)
            if f"extent {repr(extent)[7:-1]};" in report:  # without the word Extent
                found.append(extent)
    return found[0]


# ---- fortran: the bounds of an array and of a loop

UNREAD = "#cfd8dc"  # corners
CLEAR = {"boxstyle": "square,pad=0.3", "facecolor": OWN, "edgecolor": "none"}  # of lines


def fortran() -> Figure:
    """An array of a rank in the middle: its bounds, the cells of a loop, and its halo."""
    partition = lapwing.block_partition(lapwing.Grid((18, 12), periodic=True), (3, 3))
    spec = lapwing.FieldSpec("a", extents=[lapwing.cross(1)])
    own = owned(partition, RANK)
    array = lapwing.core._core.Field.allocate(partition, RANK, spec).allocated(0)
    figure = Figure(figsize=(WIDE, 4.1))
    axes = figure.add_axes((0.1, 0.13, 0.62, 0.7))
    cells(axes, array, color=UNREAD)
    for phase in lapwing.halo_plan(partition, RANK, [spec]).phases:
        for piece in (piece for message in phase.receives for piece in message.pieces):
            cells(axes, piece.target_box, color=HALO)
    cells(axes, own, color=OWN)
    lines_between(axes, array)
    outline(axes, own)
    _bounds(axes, array, own)
    words = "do j = j1, j2\n    do i = i1, i2\n        b(i, j) = a(i, j) + ..."
    write(axes, middle(own), words, family="monospace", fontsize=9, ma="left", bbox=CLEAR)
    colours = [
        (OWN, "this rank's cells"),
        (HALO, "halo, filled by\nneighbours"),
        (UNREAD, "never read"),
    ]
    key(axes, colours, bbox_to_anchor=(1.0, 1.0), loc="upper left", labelspacing=1)
    return figure


def _bounds(axes: Axes, array: lapwing.Box, own: lapwing.Box) -> None:
    """Indices from 1 on: those of the whole grid below and left, local ones above."""
    cell_ticks(axes, array, shift=1)
    (x0, y0), (x1, y1) = array.lo[:2], array.hi[:2]
    axes.set(xlim=(x0, x1), ylim=(y0, y1), aspect="equal")
    axes.set(xlabel="i in the whole grid", ylabel="j in the whole grid")
    local = axes.secondary_xaxis("top")
    numbers = range(x0, x1)
    local.set_ticks([n + 0.5 for n in numbers], [str(n - own.lo[0] + 1) for n in numbers])
    local.tick_params(length=0)
    local.spines["top"].set_visible(False)
    local.set_xlabel("i with numbering='local'")
    axes.set_title(f"call field_a%get(a) returns a({x0 + 1}:{x1}, {y0 + 1}:{y1})", pad=12)
    for axis, name, lo, hi in zip((axes.xaxis, axes.yaxis), "ij", own.lo, own.hi, strict=False):
        labels = axis.get_ticklabels()
        ends = {str(lo + 1): f"{name}1={lo + 1}", str(hi): f"{name}2={hi}"}
        axis.set_ticklabels([ends.get(one.get_text(), one.get_text()) for one in labels])
        for label in axis.get_ticklabels():
            if label.get_text() in ends.values():
                label.set(color=DARK, weight="bold")


# ---- numba: the arrays that a compiled kernel gets


class Seen(NamedTuple):
    """A kernel's box, its arrays, and the cells of `heat` that one cell of `new` comes from."""

    box: lapwing.Box
    heat: tuple[int, ...]  # shapes
    new: tuple[int, ...]
    read: list[tuple[int, int]]


CELL = (3, 1)  # of `new`


def numba() -> Figure:
    """The arrays of the kernel in examples/11_numba for a box, with the indices that it uses."""
    seen = _seen()
    figure = Figure(figsize=(WIDE, 3.4))
    ratios = (seen.heat[0], seen.new[0])
    left, right = figure.subplots(1, 2, width_ratios=ratios, gridspec_kw={"wspace": 0.3})
    _array(left, seen.heat, seen.read, {1: "south 1", 2: "here 2", 3: "north 3"})
    outline(left, lapwing.Box((1, 1, 0), (seen.heat[0] - 1, seen.heat[1] - 1, 1)))
    left.set_title(f"heat: {seen.heat[0]} x {seen.heat[1]} cells")
    _array(right, seen.new, [CELL], {CELL[1]: f"out {CELL[1]}"})
    outline(right, lapwing.Box((0, 0, 0), (*seen.new, 1)))
    right.set_title(f"new: {seen.new[0]} x {seen.new[1]} cells")
    lo, hi = tuple(seen.box.lo[:2]), tuple(seen.box.hi[:2])
    here = tuple(n + 1 for n in CELL)
    words = (
        f"framed: the cells of the box, {lo} to {hi} in the whole grid\n"
        f"yellow: new{list(CELL)} is at heat{list(here)}, and computed from it and 4 around it"
    )
    assert here in seen.read
    figure.text(0.5, 0.09, words, ha="center", va="top", fontsize=9.5, color=INK, linespacing=1.5)
    return figure


def _array(
    axes: Axes, shape: tuple[int, ...], marked: list[tuple[int, int]], rows: dict[int, str]
) -> None:
    """An array with marked cells, and names of some of its rows."""
    whole = lapwing.Box((0, 0, 0), (*shape, 1))
    cells(axes, whole, color=OWN)
    for i, j in marked:
        cells(axes, lapwing.Box((i, j, 0), (i + 1, j + 1, 1)), color=HALO)
    lines_between(axes, whole)
    cell_ticks(axes, whole)
    axes.yaxis.set_ticklabels([rows.get(j, str(j)) for j in range(shape[1])])
    axes.set(xlim=(0, shape[0]), ylim=(0, shape[1]), aspect="equal", xlabel="first index, cells")


def _seen() -> Seen:
    """What lapwing gives to the kernel, and what the kernel reads of it."""
    found: list[Seen] = []
    kernel = _example_kernel()

    def watched(box: lapwing.Box, heat: Any, new: Any) -> None:
        found.append(Seen(box, heat.shape, new.shape, _read_by(kernel, heat.shape, new.shape)))

    domain = alone((20, 16))
    heat, new = domain.field("heat"), domain.field("new")
    box = lapwing.Box((12, 8, 0), (18, 12, 1))
    stage = lapwing.Stage(watched, [(heat, lapwing.cross(1))], [new], on=box)
    lapwing.Step(domain, [stage], strategy="blocking").run(1)
    return found[0]


def _example_kernel() -> Callable[..., None]:
    """The kernel of the example, without compiling it."""
    source = (ROOT / "examples/11_numba/heat.py").read_text()
    names: dict[str, Any] = {"njit": lambda **_: lambda function: function}
    exec(source.replace("from numba import njit", ""), names)
    return names["spread"]  # type: ignore[no-any-return]


def _read_by(kernel: Callable[..., None], heat: Any, new: Any) -> list[tuple[int, int]]:
    """The cells of `heat` that change CELL of `new`, found by changing each."""
    found = []
    for cell in np.ndindex(heat):
        values, out = np.zeros(heat, order="F"), np.zeros(new, order="F")
        values[cell] = 1.0
        kernel(None, values, out)
        if out[CELL] != 0:
            found.append(cell)
    return found


DRAWINGS = {"guide/checking": checking, "guide/fortran": fortran, "guide/numba": numba}
