"""Strong scaling of 350^3 cells on a simulated machine, compared with the coarray report's model.

The report: Sembritzki, Hager, Krammer, Treibig and Wellein, Evaluation of the Coarray Fortran
Programming Model on the Example of a Lattice Boltzmann Code, sections 3.3 and 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path

from lapwing.base.atomic_file import save_png
from lapwing.base.error import user_error
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from lapwing_lab.machine.machine import Machine, load_machine
from lapwing_lab.simulate.simulate import simulate
from lapwing_lab.simulate.work import SimulationRequest

CELLS = 350  # of the report, along each axis
NODES = (1, 2, 4, 8, 16, 32, 54, 63)
MOST_GROWTH = 1.10  # of the cells by rounding up, beyond which the report leaves a run out
METHODS = ("blocking", "edge-first", "dataflow:4")  # the first is that of the report's MPI version

# axes that are cut, x being the fast one, as the first is in Fortran
CUTS = {
    "(1,x,x)": (False, True, True),
    "(x,1,x)": (True, False, True),
    "(x,x,1)": (True, True, False),
    "(x,x,x)": (True, True, True),
}

_MOVED = 5 * 8  # bytes per cell of a face: five populations fly through it
_STREAMED = 3 * 19 * 8  # bytes per cell through memory, write-allocate included


@dataclass(frozen=True)
class Scaled:
    """One point of the strong scaling."""

    cut: str
    nodes: int
    blocks: tuple[int, int, int]
    cells: tuple[int, int, int]
    step: dict[str, float]  # s, simulated, by method
    modelled: float  # s, by the report's model

    def rate(self, seconds: float) -> float:
        """Million updates of cells per second, with a step of so many seconds."""
        return math.prod(self.cells) / seconds / 1e6

    @property
    def difference(self) -> float:
        """The share by which the simulated rate of the report's method exceeds the model's."""
        return self.modelled / self.step[METHODS[0]] - 1.0


def blocks_of(cut: tuple[bool, ...], ranks: int) -> tuple[int, int, int]:
    """Blocks along each axis, as equal as they can be, more along slower axes. Local."""
    divisors = [n for n in range(1, ranks + 1) if ranks % n == 0]
    ascending = combinations_with_replacement(divisors, sum(cut))
    products = (one for one in ascending if math.prod(one) == ranks)
    factors = iter(min(products, key=lambda one: one[-1] / one[0]))
    x, y, z = (next(factors) if is_cut else 1 for is_cut in cut)
    return x, y, z


def rounded_up(cells: int, blocks: Sequence[int]) -> tuple[int, int, int]:
    """A cube's cells along each axis, up to the next multiple of the blocks there. Local."""
    x, y, z = (-(-cells // n) * n for n in blocks)
    return x, y, z


def points(cells: int, nodes: Sequence[int], per_node: int) -> Iterator[tuple[str, int]]:
    """Cuts and numbers of nodes that the report would run: those that grow little. Local."""
    for count in nodes:
        for name, cut in CUTS.items():
            blocks = blocks_of(cut, count * per_node)
            if math.prod(rounded_up(cells, blocks)) <= MOST_GROWTH * cells**3:
                yield name, count


def part_of(blocks: tuple[int, int, int], per_node: int) -> tuple[int, int, int]:
    """Blocks of a slab of the cube in which all goes on as in the whole. Local.

    The cube closes on itself, the network never blocks, and messages go to neighbours only: so a
    slab of whole nodes that is as large across the slowest axis that is cut, and at least three
    blocks thick along it, has the same messages on every link. It needs less time and memory.
    """
    slowest = max((axis for axis in range(3) if blocks[axis] > 1), default=2)
    across = math.prod(blocks) // blocks[slowest]
    for thick in range(3, blocks[slowest]):
        if thick * across % per_node == 0 and thick * across > 2 * per_node:
            x, y, z = (thick if axis == slowest else n for axis, n in enumerate(blocks))
            return x, y, z
    return blocks


def step_seconds(box: Sequence[float], cut: Sequence[bool], machine: Machine) -> float:
    """Seconds of a step by the report's model of section 3.3. Local.

    T = 3 L_e + 40 N^2 (4p + 2) / (B_e / 2) + 3 L_a + 40 N^2 2 (p - 1) / (B_a / 2) + 456 N^3 / M,
    for boxes of N^3 cells. Here for any box and for cuts along two axes: the p ranks of a node lie
    in line along the first axis that is cut, 2 (p - 1) faces there stay in the node, all others
    leave it; a latency for each axis. L, s, and B / 2, bytes/s, are those of the machine file.
    """
    p, faces = machine.ranks_per_node, [math.prod(box) / side for side in box]
    axes = [axis for axis in range(3) if cut[axis]]
    inside = 2 * (p - 1) * faces[axes[0]]
    outside = sum(2 * p * faces[axis] for axis in axes) - inside
    links = ((machine.link("network"), outside), (machine.link("node"), inside))
    messages = sum(len(axes) * link.latency + _MOVED * n / link.bandwidth for link, n in links)
    return messages + p * math.prod(box) * _STREAMED / memory_bandwidth(machine)


def memory_bandwidth(machine: Machine) -> float:
    """M of the model, bytes/s of a node, from the costs of the machine file. Local."""
    # per cell of a rank while all compute
    seconds = machine.computing("lattice", (1, 1, 1)).seconds["stream_and_collide"]
    return _STREAMED * machine.ranks_per_node / seconds


def simulated(name: str, cells: int = CELLS, nodes: Sequence[int] = NODES) -> Iterator[Scaled]:
    """Simulate all points, one after the other, on the machine of that name. Local.

    Of each the slab of `part_of`, of which 4 steps per method are computed. UserError where the
    memory or SimGrid is not there, and where methods end with other bits.
    """
    machine = load_machine(name)
    per_node = machine.ranks_per_node
    for cut, count in points(cells, nodes, per_node):
        blocks = blocks_of(CUTS[cut], count * per_node)
        sizes = rounded_up(cells, blocks)
        box = [n // b for n, b in zip(sizes, blocks, strict=True)]
        step = simulated_steps(name, box, part_of(blocks, per_node))
        modelled = step_seconds(box, CUTS[cut], machine)
        yield Scaled(cut, count, blocks, sizes, step, modelled)


def simulated_steps(
    name: str, box: Sequence[int], blocks: tuple[int, int, int]
) -> dict[str, float]:
    """Simulate a periodic grid of so many boxes: seconds per step by method. Local.

    UserError as `simulated`.
    """
    sizes = [n * b for n, b in zip(box, blocks, strict=True)]
    request = SimulationRequest(
        "lbm-350",
        name,
        math.prod(blocks),
        METHODS,
        samples=1,
        alone=False,
        steps=2,
        sets=tuple(f"grid.cells_{a}={n}" for a, n in zip("xyz", sizes, strict=True)),
        blocks=blocks,
        in_line=True,  # as the report's ranks
    )
    simulation = simulate(request)
    if other := simulation.disagreeing():
        raise user_error(
            f"blocks {blocks} on {name}",
            f"other bits by {', '.join(other)}",
            "the same by all",
            "report it as an error of lapwing",
        )
    return {result.method: result.step for result in simulation.results}


HEADS = ("nodes", "cut", "blocks", "cells", *METHODS, "model", f"{METHODS[0]} / model - 1")


def row_of(point: Scaled) -> list[str]:
    """The columns under HEADS; speeds are MLUP/s. Local."""
    speeds = [f"{point.rate(point.step[method]):.0f}" for method in METHODS]
    sizes = ["x".join(map(str, numbers)) for numbers in (point.blocks, point.cells)]
    modelled = [f"{point.rate(point.modelled):.0f}", f"{100 * point.difference:+.1f} %"]
    return [str(point.nodes), point.cut, *sizes, *speeds, *modelled]


_COLOURS = dict(zip(CUTS, ("#1f6fb2", "#d9822b", "#2f9e5b", "#7b2d8e"), strict=True))
_MARKS = dict(zip(CUTS, "osv^", strict=True))


def draw_scaling(path: Path, scalings: dict[str, Sequence[Scaled]]) -> None:
    """Draw a panel per machine to a PNG file, complete or not at all. Local."""
    figure = Figure(figsize=(6.5 * len(scalings), 5.0), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(scalings), squeeze=False)[0]
    for axes, (machine, rows) in zip(panels, scalings.items(), strict=True):
        for cut, colour in _COLOURS.items():
            chosen = [row for row in rows if row.cut == cut]
            nodes = [row.nodes for row in chosen]
            first, *_, last = METHODS
            simulated = [row.rate(row.step[first]) / row.nodes for row in chosen]
            hidden = [row.rate(row.step[last]) / row.nodes for row in chosen]
            modelled = [row.rate(row.modelled) / row.nodes for row in chosen]
            axes.plot(nodes, simulated, color=colour, marker=_MARKS[cut], markersize=5, label=cut)
            axes.plot(nodes, hidden, color=colour, linestyle=":", linewidth=1.2)
            axes.plot(nodes, modelled, color=colour, linestyle="--", linewidth=1.0)
        for style, label in (("-", METHODS[0]), (":", METHODS[-1]), ("--", "model")):
            axes.plot([], [], color="#555555", linestyle=style, linewidth=1.0, label=label)
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0.0)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("nodes of 24 ranks")
        axes.set_ylabel("simulated speed of a node (MLUP/s)")
        axes.set_title(machine, fontsize=11)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(fontsize=9, loc="lower left")
    save_png(figure, path, 100)
